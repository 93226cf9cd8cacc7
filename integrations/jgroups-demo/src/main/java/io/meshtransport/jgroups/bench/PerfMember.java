// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.topology.CommandLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A member of the group that is measured, a JVM of its own. Confined to its worker thread. */
final class PerfMember implements CommandLoop.Program<PerfCommand> {
  private final String name;
  private final Consumer<PerfEvent> events;
  private PerfProgram program;

  private PerfMember(String name, Consumer<PerfEvent> events) {
    this.name = name;
    this.events = events;
  }

  /**
   * @param arguments the member's name
   */
  public static void main(String[] arguments) throws IOException {
    CommandLoop.<PerfCommand, PerfEvent>run(
        arguments[0], PerfCommand.class, events -> new PerfMember(arguments[0], events));
  }

  @Override
  public void execute(PerfCommand command) throws InterruptedException {
    try {
      events.accept(outcome(command));
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      // JGroups' programs declare no more than that, and the harness reports it.
      e.printStackTrace();
      events.accept(new PerfEvent.Failed(e.getClass().getSimpleName(), String.valueOf(e)));
    }
  }

  private PerfEvent outcome(PerfCommand command) throws Exception {
    if (command instanceof PerfCommand.Join join) {
      program = join.program().create();
      program.join(join.stack(), name);
    } else if (command instanceof PerfCommand.AwaitMembers wait) {
      program.awaitMembers(wait.members(), Duration.ofMillis(wait.timeoutMs()));
    } else if (command instanceof PerfCommand.Prepare prepare) {
      program.prepare(prepare.load(), file(prepare.recording()));
    } else if (command instanceof PerfCommand.RunTest) {
      program.runTest();
    } else if (command instanceof PerfCommand.Report report) {
      return new PerfEvent.Measured(program.report(Duration.ofMillis(report.timeoutMs())));
    } else {
      program.leave();
    }
    return new PerfEvent.Done();
  }

  private static Optional<Path> file(String name) {
    return name.isEmpty() ? Optional.empty() : Optional.of(Path.of(name));
  }
}
