// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.verdict.LivenessPort;
import io.meshtransport.neighbours.verdict.ProbeAnswer;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import jdk.net.ExtendedSocketOptions;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One TCP connection per cable to the neighbour's host, on which nothing is sent, and the listening
 * socket for those of the neighbours. A keepalive a second ends a connection whose host has gone
 * while its process was stopped.
 *
 * <p>Confined to the agent's thread.
 */
final class LivenessConnections implements LivenessPort, Closeable {
  private static final Logger LOG = LogManager.getLogger(LivenessConnections.class);

  /** Max connections of neighbours: of a full set of interfaces, with some to spare. */
  static final int MAX_ACCEPTED = 128;

  /** Max connections from one address; others are closed at once. */
  static final int MAX_PER_ADDRESS = 8;

  private static final int KEEPALIVE_S = 1;
  private static final int KEEPALIVES = 3;

  /** Receives what hosts answer. */
  interface Answers {
    void answered(AdjacencyId cable, ProbeAnswer answer);

    void ended(AdjacencyId cable);
  }

  /** An attempt or a connection. */
  private final class Probe implements ReadyChannel {
    final AdjacencyId cable;
    final SocketChannel channel;
    final long endNs = clock.getAsLong() + TIMEOUT_NS;

    Probe(AdjacencyId cable, SocketChannel channel) {
      this.cable = cable;
      this.channel = channel;
    }

    @Override
    public void ready() {
      if (attempts.get(cable) == this) {
        finish(this);
      } else if (open.get(cable) == this && hasEnded(channel)) {
        close(channel);
        open.remove(cable);
        answers.ended(cable);
      }
    }
  }

  private final int port;
  private final Selector selector;
  private final LongSupplier clock;
  private final Answers answers;
  private final Predicate<InetAddress> isOnLink;
  private final ServerSocketChannel server;
  private final Map<AdjacencyId, Probe> attempts = new HashMap<>();
  private final Map<AdjacencyId, Probe> open = new HashMap<>();
  private final Map<SocketChannel, InetAddress> accepted = new HashMap<>();

  /** Attempts that failed before they began; answered in the next turn. */
  private final Set<AdjacencyId> failed = new HashSet<>();

  private final ByteBuffer buffer = ByteBuffer.allocate(1);

  /**
   * @param port of TCP, the same on all nodes
   * @param isOnLink whether an address is that of a host at the other end of a cable
   * @throws IOException if the port cannot be used; the text says why
   */
  LivenessConnections(
      int port,
      Selector selector,
      LongSupplier clock,
      Predicate<InetAddress> isOnLink,
      Answers answers)
      throws IOException {
    this.port = port;
    this.selector = selector;
    this.clock = clock;
    this.isOnLink = isOnLink;
    this.answers = answers;
    server = ServerSocketChannel.open();
    try {
      server.bind(new InetSocketAddress(port), MAX_ACCEPTED);
      server.configureBlocking(false);
      ReadyChannel accept = this::accept;
      server.register(selector, SelectionKey.OP_ACCEPT, accept);
    } catch (IOException e) {
      server.close();
      throw new IOException(
          PortHolder.refusal(
              PortHolder.Protocol.TCP,
              port,
              e.getMessage(),
              PortHolder.of(PortHolder.Protocol.TCP, port),
              "End the program that has it, or set MESH_NEIGHBOUR_PORT to another port on all nodes."),
          e);
    }
  }

  private void accept() {
    try {
      for (SocketChannel each = server.accept(); each != null; each = server.accept()) {
        accept(each);
      }
    } catch (IOException e) {
      LOG.debug("neighbours: a connection could not be accepted", e);
    }
  }

  private void accept(SocketChannel channel) throws IOException {
    InetAddress from = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
    long fromThere = accepted.values().stream().filter(from::equals).count();
    if (accepted.size() >= MAX_ACCEPTED || fromThere >= MAX_PER_ADDRESS || !isOnLink.test(from)) {
      close(channel);
      return;
    }
    accepted.put(channel, from);
    channel.configureBlocking(false);
    keepAlive(channel);
    ReadyChannel ready =
        () -> {
          if (hasEnded(channel)) {
            close(channel);
            accepted.remove(channel);
          }
        };
    channel.register(selector, SelectionKey.OP_READ, ready);
  }

  private static void keepAlive(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    Map<SocketOption<Integer>, Integer> pace =
        Map.of(
            ExtendedSocketOptions.TCP_KEEPIDLE, KEEPALIVE_S,
            ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEPALIVE_S,
            ExtendedSocketOptions.TCP_KEEPCOUNT, KEEPALIVES);
    for (Map.Entry<SocketOption<Integer>, Integer> each : pace.entrySet()) {
      if (channel.supportedOptions().contains(each.getKey())) {
        channel.setOption(each.getKey(), each.getValue());
      }
    }
  }

  /** Whether the other end has closed; what it sends against the rules ends a connection, too. */
  private boolean hasEnded(SocketChannel channel) {
    try {
      return channel.read(buffer.clear()) != 0;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void probe(AdjacencyId cable, InetAddress address) {
    close(attempts.remove(cable));
    try {
      SocketChannel channel = SocketChannel.open();
      Probe probe = new Probe(cable, channel);
      attempts.put(cable, probe);
      channel.configureBlocking(false);
      channel.connect(
          new InetSocketAddress(NeighbourSockets.scoped(address, cable.interfaceIndex()), port));
      channel.register(selector, SelectionKey.OP_CONNECT, probe);
    } catch (IOException e) {
      // The interface is going, or has no address of this family: as good as no answer.
      close(attempts.remove(cable));
      failed.add(cable);
    }
  }

  private void finish(Probe probe) {
    ProbeAnswer answer;
    try {
      if (!probe.channel.finishConnect()) {
        return;
      }
      keepAlive(probe.channel);
      probe.channel.keyFor(selector).interestOps(SelectionKey.OP_READ);
      answer = ProbeAnswer.ACCEPTED;
    } catch (ConnectException e) {
      // Before the timeout of Linux this is a reset, never silence.
      answer = ProbeAnswer.REFUSED;
    } catch (IOException e) {
      answer = ProbeAnswer.NONE;
    }
    end(probe, answer);
  }

  private void end(Probe probe, ProbeAnswer answer) {
    attempts.remove(probe.cable);
    close(open.remove(probe.cable));
    if (answer == ProbeAnswer.ACCEPTED) {
      open.put(probe.cable, probe);
    } else {
      close(probe);
    }
    answers.answered(probe.cable, answer);
  }

  @Override
  public void release(AdjacencyId cable) {
    failed.remove(cable);
    close(attempts.remove(cable));
    close(open.remove(cable));
  }

  /** Ends attempts that have lasted too long. */
  void tick(long nowNs) {
    List<AdjacencyId> now = List.copyOf(failed);
    failed.clear();
    now.forEach(each -> answers.answered(each, ProbeAnswer.NONE));
    for (Probe each : new ArrayList<>(attempts.values())) {
      if (nowNs >= each.endNs) {
        end(each, ProbeAnswer.NONE);
      }
    }
  }

  long nextDueNs() {
    long nextNs = failed.isEmpty() ? Long.MAX_VALUE : 0;
    for (Probe each : attempts.values()) {
      nextNs = Math.min(nextNs, each.endNs);
    }
    return nextNs;
  }

  private static void close(Probe probe) {
    if (probe != null) {
      close(probe.channel);
    }
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("neighbours: a connection could not be closed", e);
    }
  }

  @Override
  public void close() throws IOException {
    attempts.values().forEach(LivenessConnections::close);
    open.values().forEach(LivenessConnections::close);
    accepted.keySet().forEach(LivenessConnections::close);
    server.close();
    // Java keeps the descriptors of registered channels until the next selection.
    selector.selectNow();
  }
}
