// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.bench.ProcessorTime;
import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.topology.CommandLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A member of a group, a JVM of its own. Confined to its worker thread; all that it has ends with
 * the JVM.
 */
public final class CollectiveNode implements CommandLoop.Program<CollectiveCommand> {
  private static final String GROUP = "bench";

  private final Consumer<CollectiveEvent> events;
  private Group group;
  private TimedSums sums;

  private CollectiveNode(Consumer<CollectiveEvent> events) {
    this.events = events;
  }

  /**
   * @param arguments the node's name
   */
  public static void main(String[] arguments) throws IOException {
    CommandLoop.<CollectiveCommand, CollectiveEvent>run(
        arguments[0], CollectiveCommand.class, CollectiveNode::new);
  }

  @Override
  public void execute(CollectiveCommand command) {
    try {
      events.accept(outcome(command));
    } catch (CollectiveException e) {
      fail(e.reason().name(), e);
    } catch (TransportException e) {
      fail(e.reason().name(), e);
    } catch (RuntimeException | OutOfMemoryError e) {
      // The harness reports it; a node has no other output.
      fail(e.getClass().getSimpleName(), e);
    }
  }

  private void fail(String reason, Throwable why) {
    events.accept(new CollectiveEvent.Failed(reason, String.valueOf(why.getMessage())));
    why.printStackTrace();
  }

  private CollectiveEvent outcome(CollectiveCommand command)
      throws CollectiveException, TransportException {
    if (command instanceof CollectiveCommand.Join join) {
      return join(join);
    }
    if (command instanceof CollectiveCommand.Time time) {
      ProcessorTime before = ProcessorTime.now();
      long nanos = sums.time(time.bytes(), time.runs());
      return new CollectiveEvent.Timed(nanos, ProcessorTime.now().since(before).compilerNanos());
    }
    if (command instanceof CollectiveCommand.Plan plan) {
      Collective sum = sums.prepared(plan.bytes());
      return new CollectiveEvent.Planned(sum.plan());
    }
    return new OperationChecks(group).run();
  }

  private CollectiveEvent join(CollectiveCommand.Join join)
      throws CollectiveException, TransportException {
    Duration limit = Duration.ofMillis(join.limitMs());
    group = join(GroupSpec.named(GROUP).members(join.members()), join.folder(), limit);
    group.timeout(limit);
    sums = new TimedSums(group, join.maxBytes(), limit);
    return new CollectiveEvent.Joined(group.describe());
  }

  private static Group join(GroupSpec spec, String folder, Duration limit)
      throws CollectiveException, TransportException {
    Transport transport = Transport.open();
    if (!folder.isEmpty()) {
      return Group.join(transport, spec, new FolderRendezvous(Path.of(folder)), limit);
    }
    Mesh mesh = Mesh.join(transport);
    if (!mesh.awaitNodes(spec.size(), limit)) {
      throw new TransportException(
          TransportException.Reason.TIMED_OUT,
          "only these nodes after " + limit + ": " + mesh.nodes());
    }
    return Group.join(mesh, spec, limit);
  }
}
