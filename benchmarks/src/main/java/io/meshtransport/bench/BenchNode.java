// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.TransportException;
import io.meshtransport.topology.CommandLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A node that measures, a JVM of its own: one end of a {@link NodePair}. Confined to its worker
 * thread; its end of the connection ends with the JVM.
 */
public final class BenchNode implements CommandLoop.Program<BenchNodeCommand> {
  private final Consumer<BenchEvent> events;
  private BenchEnd end;

  private BenchNode(Consumer<BenchEvent> events) {
    this.events = events;
  }

  /**
   * @param arguments the node's name
   */
  public static void main(String[] arguments) throws IOException {
    CommandLoop.<BenchNodeCommand, BenchEvent>run(
        arguments[0], BenchNodeCommand.class, BenchNode::new);
  }

  @Override
  public void execute(BenchNodeCommand command) throws InterruptedException {
    try {
      events.accept(outcome(command));
    } catch (TransportException e) {
      events.accept(new BenchEvent.Failed(e.reason().name(), e.getMessage()));
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      // The harness reports it; a node has no other output.
      events.accept(new BenchEvent.Failed(e.getClass().getSimpleName(), String.valueOf(e)));
      e.printStackTrace();
    }
  }

  private BenchEvent outcome(BenchNodeCommand command)
      throws IOException, TransportException, InterruptedException {
    if (command instanceof BenchNodeCommand.Open open) {
      end = open.ends().open(open.host());
      return new BenchEvent.Opened(end.address());
    }
    if (command instanceof BenchNodeCommand.Connect connect) {
      end.connect(connect.address(), connect.initiates(), connect.connections());
      return new BenchEvent.Connected();
    }
    if (command instanceof BenchNodeCommand.PassOn passOn) {
      end.passOn(passOn.address());
      return new BenchEvent.Connected();
    }
    ProcessorTime before = ProcessorTime.now();
    Measurement measurement = run((BenchNodeCommand.Run) command);
    return new BenchEvent.Measured(measurement, ProcessorTime.now().since(before));
  }

  private Measurement run(BenchNodeCommand.Run run)
      throws IOException, TransportException, InterruptedException {
    Optional<Path> file =
        run.recording().isEmpty() ? Optional.empty() : Optional.of(Path.of(run.recording()));
    try (FlightRecording recording = FlightRecording.start(file)) {
      Measurement measurement =
          run.initiates()
              ? end.initiate(run.workload(), clock(run))
              : end.respond(run.workload(), clock(run));
      recording.write();
      return measurement;
    }
  }

  private static RunClock clock(BenchNodeCommand.Run run) {
    return run.workload().messageLimit() > 0
        ? RunClock.ofMessages(run.workload().messageLimit())
        : new RunClock(Duration.ofMillis(run.warmUpMs()), Duration.ofMillis(run.timeMs()));
  }
}
