// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.failover;

import io.meshtransport.relay.Relay;
import io.meshtransport.relay.RelayCounter;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.topology.CommandLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A node of the demo: joins the mesh, runs a relay, and sends or receives as it is told. Its worker
 * thread has the channels.
 */
final class FailoverNode implements CommandLoop.Program<FailoverCommand> {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final String SERVICE = "failover";
  private static final int TAG = 1;

  /** Messages under way at once. */
  private static final int WINDOW = 8;

  private final Consumer<FailoverEvent> events;
  private final Mesh mesh;
  private final Relay relay;
  private final Listener listener;
  private final ByteBuffer[] buffers = new ByteBuffer[WINDOW];
  private SendChannel out;
  private ReceiveChannel in;

  private FailoverNode(Consumer<FailoverEvent> events, Transport transport)
      throws TransportException {
    this.events = events;
    mesh = Mesh.join(transport);
    // Before the handle, which is to say that relays lead here.
    relay = Relay.start(mesh);
    listener = transport.listen();
    mesh.publish(SERVICE, listener.handle());
  }

  /**
   * @param arguments the node's name
   */
  public static void main(String[] arguments) throws IOException, TransportException {
    // All is closed with the JVM.
    Transport transport = Transport.open();
    CommandLoop.<FailoverCommand, FailoverEvent>run(
        arguments[0], FailoverCommand.class, events -> start(events, transport));
  }

  private static FailoverNode start(Consumer<FailoverEvent> events, Transport transport) {
    try {
      return new FailoverNode(events, transport);
    } catch (TransportException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void execute(FailoverCommand command) throws InterruptedException {
    try {
      if (command instanceof FailoverCommand.AwaitNodes await) {
        awaitNodes(await.nodes());
      } else if (command instanceof FailoverCommand.Receive receive) {
        receive(receive);
      } else if (command instanceof FailoverCommand.Send send) {
        send(send);
      } else {
        events.accept(
            new FailoverEvent.Counted(
                relay.count(RelayCounter.RELAYED_BYTES), relay.count(RelayCounter.SENT_CHUNKS)));
      }
    } catch (TransportException e) {
      events.accept(new FailoverEvent.Failed(e.reason().name(), e.getMessage()));
    }
  }

  private void awaitNodes(int nodes) throws TransportException, InterruptedException {
    long endNs = System.nanoTime() + LIMIT.toNanos();
    boolean isThere = mesh.awaitNodes(nodes, LIMIT);
    while (isThere && !areReached()) {
      Thread.sleep(POLL.toMillis());
      isThere = System.nanoTime() - endNs < 0;
    }
    if (!isThere) {
      throw new TransportException(
          Reason.TIMED_OUT, "not all nodes are within reach in " + LIMIT + ": " + mesh.nodes());
    }
    events.accept(new FailoverEvent.Done());
  }

  private boolean areReached() {
    return mesh.nodes().stream()
        .map(MeshNode::peer)
        .allMatch(
            each -> relay.reaches(each.id()) && mesh.lookup(each.name(), SERVICE).isPresent());
  }

  private void send(FailoverCommand.Send command) throws TransportException {
    if (out == null) {
      byte[] handle =
          mesh.lookup(command.to(), SERVICE)
              .orElseThrow(
                  () ->
                      new TransportException(
                          Reason.PEER_UNREACHABLE, "no node " + command.to() + " in the mesh"));
      out = mesh.transport().connect(handle).await(LIMIT);
    }
    SplittableRandom content = new SplittableRandom(command.seed());
    MessageDigest digest = sha256();
    long[] requests = new long[WINDOW];
    long messages = command.bytes() / command.messageBytes();
    for (long i = 0; i < messages; i++) {
      int at = (int) (i % WINDOW);
      if (i >= WINDOW) {
        finish(out, requests[at]);
      }
      ByteBuffer buffer = buffer(at, command.messageBytes());
      while (buffer.remaining() >= Long.BYTES) {
        buffer.putLong(content.nextLong());
      }
      digest.update(buffer.clear());
      requests[at] = out.isend(buffer.clear(), TAG, LIMIT.toNanos());
      if (i == messages / 2) {
        events.accept(new FailoverEvent.Halfway());
      }
    }
    for (long i = Math.max(0, messages - WINDOW); i < messages; i++) {
      finish(out, requests[(int) (i % WINDOW)]);
    }
    events.accept(new FailoverEvent.Sent(HexFormat.of().formatHex(digest.digest())));
  }

  private void receive(FailoverCommand.Receive command) throws TransportException {
    if (in == null) {
      in = listener.accept().await(LIMIT);
    }
    MessageDigest digest = sha256();
    long[] requests = new long[WINDOW];
    long messages = command.bytes() / command.messageBytes();
    for (int i = 0; i < Math.min(WINDOW, messages); i++) {
      requests[i] = in.irecv(buffer(i, command.messageBytes()), TAG, LIMIT.toNanos());
    }
    long longestGapNs = 0;
    long lastNs = 0;
    for (long i = 0; i < messages; i++) {
      int at = (int) (i % WINDOW);
      finish(in, requests[at]);
      long nowNs = System.nanoTime();
      longestGapNs = i == 0 ? 0 : Math.max(longestGapNs, nowNs - lastNs);
      lastNs = nowNs;
      digest.update(buffers[at].clear());
      if (i + WINDOW < messages) {
        requests[at] = in.irecv(buffers[at].clear(), TAG, LIMIT.toNanos());
      }
    }
    events.accept(
        new FailoverEvent.Received(
            HexFormat.of().formatHex(digest.digest()),
            TimeUnit.NANOSECONDS.toMillis(longestGapNs)));
  }

  /** Kept, since what is allocated directly is given back late. */
  private ByteBuffer buffer(int at, int lengthBytes) {
    if (buffers[at] == null || buffers[at].capacity() != lengthBytes) {
      buffers[at] = ByteBuffer.allocateDirect(lengthBytes);
    }
    return buffers[at].clear();
  }

  private static void finish(Channel channel, long request) throws TransportException {
    long outcome = channel.await(request, LIMIT);
    while (outcome == Channel.PENDING) {
      outcome = channel.await(request, LIMIT);
    }
    if (outcome == Channel.FAILED) {
      throw channel.failure(request);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
