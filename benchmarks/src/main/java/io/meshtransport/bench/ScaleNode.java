// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.topology.CommandLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A node with many channels, a JVM of its own. Confined to its worker thread. */
public final class ScaleNode implements CommandLoop.Program<ScaleCommand> {
  private static final int TRANSFER_WINDOW = 2;

  private final Consumer<ScaleEvent> events;
  private Transport transport;
  private Listener listener;
  private List<SendChannel> out = List.of();
  private List<ReceiveChannel> in = List.of();

  private ScaleNode(Consumer<ScaleEvent> events) {
    this.events = events;
  }

  /**
   * @param arguments the node's name
   */
  public static void main(String[] arguments) throws IOException {
    CommandLoop.<ScaleCommand, ScaleEvent>run(arguments[0], ScaleCommand.class, ScaleNode::new);
  }

  @Override
  public void execute(ScaleCommand command) throws InterruptedException {
    try {
      events.accept(outcome(command));
    } catch (TransportException e) {
      events.accept(new ScaleEvent.Failed(e.reason().name(), e.getMessage()));
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      // The harness reports it; a node has no other output.
      events.accept(new ScaleEvent.Failed(e.getClass().getSimpleName(), String.valueOf(e)));
      e.printStackTrace();
    }
  }

  private ScaleEvent outcome(ScaleCommand command)
      throws IOException, TransportException, InterruptedException {
    if (command instanceof ScaleCommand.Open) {
      transport = Transport.open();
      listener = transport.listen();
      return new ScaleEvent.Opened(listener.handle());
    }
    if (command instanceof ScaleCommand.Connect connect) {
      ConcurrentSetUps setUps = new ConcurrentSetUps(transport);
      ScaleEvent.Connected connected =
          setUps.run(listener, connect.handles(), connect.accepts(), connect.atOnce());
      out = setUps.out();
      in = setUps.in();
      return connected;
    }
    if (command instanceof ScaleCommand.Measure measure) {
      return new ScaleEvent.Measured(Footprint.measure(measure.idleMs()));
    }
    if (command instanceof ScaleCommand.Transfer transfer) {
      return transferred(transfer);
    }
    out.forEach(Channel::close);
    in.forEach(Channel::close);
    out = List.of();
    in = List.of();
    return new ScaleEvent.Done();
  }

  private ScaleEvent transferred(ScaleCommand.Transfer transfer) throws TransportException {
    List<? extends Channel> channels = transfer.sends() ? out : in;
    int bytes =
        ConnectionStreams.memoryBytes(
            channels.size(), transfer.messageBytes(), TRANSFER_WINDOW, transfer.sends());
    try (RegisteredMemory memory = transport.register(ByteBuffer.allocateDirect(bytes))) {
      ConnectionStreams streams =
          new ConnectionStreams(
              new TestedChannels(
                  channels, memory, ConnectionStreams.slots(TRANSFER_WINDOW, transfer.sends())),
              memory.segments().get(0),
              transfer.messageBytes(),
              TRANSFER_WINDOW,
              transfer.sends());
      RunClock clock = new RunClock(Duration.ZERO, Duration.ofMillis(transfer.timeMs()));
      Measurement measured = transfer.sends() ? streams.send(clock) : streams.receive(clock);
      return new ScaleEvent.Transferred(measured.total(), measured.nanos());
    }
  }
}
