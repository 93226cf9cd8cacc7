// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import io.meshtransport.nic.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The side of a TCP network that is dialled. A connection becomes a trunk if it proves to know a
 * wire of ours, to the device where another still seeks its peer ({@link Preamble}, {@link
 * WireProof}); it may wait for that for a moment while a queue pair here is in INIT. One that does
 * not is closed, counted, and affects nobody else: of those that have proved nothing there are few,
 * and few from each address. Guarded by the device's lock.
 */
final class TcpAcceptor implements PendingConnection.Host {
  private static final Logger LOG = LogManager.getLogger(TcpAcceptor.class);

  /** How long an accepted connection may take to prove what it wants. */
  private static final long GREETING_NS = 5_000_000_000L;

  /**
   * How long it waits for its wire to be known here: a handshake's answer is under way meanwhile.
   * Then whoever dialled may try for another wire.
   */
  private static final long EARLY_NS = 500_000_000L;

  /** Connections that have not become a trunk; beyond it one goes, see {@link #leastProved}. */
  private static final int MAX_GREETINGS = 256;

  /** Those from one address; beyond it one of that address goes. */
  private static final int MAX_GREETINGS_PER_ADDRESS = 32;

  /** Accepted at once, before others have their turn. */
  private static final int ACCEPTS = 32;

  private final TcpNetwork network;

  /** All that have not become a trunk, oldest first. */
  private final List<PendingConnection> greetings = new ArrayList<>();

  private long refusedConnections;
  private long refusedOpens;

  TcpAcceptor(TcpNetwork network) {
    this.network = network;
  }

  void armTimer(long atNs) {
    network.armTimer(atNs);
  }

  /** Connections that were closed because nobody here expected them. */
  long refusedConnections() {
    return refusedConnections;
  }

  /** A peer says that a wire is its, and does not know it. */
  void refusedOpen() {
    refusedOpens++;
  }

  /** OPENs that proved nothing. */
  long refusedOpens() {
    return refusedOpens;
  }

  /** Connections that wait for their wire to be known here. */
  long earlyConnections() {
    return greetings.stream().filter(PendingConnection::isWaiting).count();
  }

  /** Connections that have proved nothing so far. */
  int unprovedConnections() {
    return greetings.size();
  }

  /** A wire seeks its peer: what was too early may be expected now. */
  void expectMore() {
    if (!greetings.isEmpty()) {
      List.copyOf(greetings).stream().filter(PendingConnection::isWaiting).forEach(this::greeted);
    }
  }

  /**
   * Takes what the kernel has accepted.
   *
   * @throws IOException if the kernel gives no descriptor; what waits there stays
   */
  void accept(ServerSocketChannel listener) throws IOException {
    for (int i = 0; i < ACCEPTS; i++) {
      SocketChannel channel = listener.accept();
      if (channel == null) {
        return;
      }
      greet(channel);
    }
  }

  private void greet(SocketChannel channel) {
    boolean isKept = false;
    try {
      InetAddress from = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
      PendingConnection greeting =
          new PendingConnection(channel, from, this, network.nowNs() + GREETING_NS);
      network.driver().register(channel, SelectionKey.OP_READ, greeting);
      greetings.add(greeting);
      isKept = true;
      network.armTimer(greeting.deadlineNs());
      dropOne(from);
    } catch (IOException e) {
      refusedConnections++;
      LOG.debug("connection lost as it came", e);
    } finally {
      if (!isKept) {
        network.closeQuietly(channel);
      }
    }
  }

  private void dropOne(InetAddress from) {
    List<PendingConnection> alike =
        greetings.stream().filter(greeting -> greeting.from().equals(from)).toList();
    if (alike.size() > MAX_GREETINGS_PER_ADDRESS) {
      refuse(
          leastProved(alike),
          "too many connections from " + from.getHostAddress() + " prove nothing");
    } else if (greetings.size() > MAX_GREETINGS) {
      refuse(leastProved(greetings), "too many connections prove nothing");
    }
  }

  /**
   * The oldest of those that have come least far: one that is challenged has named a wire that is
   * known here, and its proof may be on its way.
   */
  private static PendingConnection leastProved(List<PendingConnection> some) {
    PendingConnection least = some.get(0);
    for (PendingConnection greeting : some) {
      if (greeting.progress() < least.progress()) {
        least = greeting;
      }
    }
    return least;
  }

  @Override
  public void greeted(PendingConnection greeting) {
    DevicePair ends = greeting.ends();
    TcpPeer peer = network.peer(ends);
    TcpStream wire = peer == null ? null : peer.wire(greeting.wireId());
    if (!isFromPeer(greeting.channel(), ends)) {
      refuse(greeting, "it is not where it says it is");
    } else if (wire != null && peer.isAnySeeking()) {
      challenge(greeting, wire);
    } else if (network.device().isAnyInInit()) {
      // Its owner has the peer's endpoint already, and will soon know ours.
      greeting.waitUntil(network.nowNs() + EARLY_NS);
      network.armTimer(greeting.deadlineNs());
    } else {
      refuse(greeting, "no queue pair here expects it");
    }
  }

  private void challenge(PendingConnection greeting, TcpStream wire) {
    try {
      greeting.challenge(wire, network.nonce());
    } catch (IOException e) {
      refuse(greeting, e.getMessage());
    }
  }

  @Override
  public void proved(PendingConnection greeting) {
    TcpPeer peer = network.peer(greeting.ends());
    if (peer != null && peer.isAnySeeking()) {
      greetings.remove(greeting);
      peer.begin(greeting.channel(), greeting.session());
    } else {
      refuse(greeting, "no queue pair here expects it any more");
    }
  }

  private static boolean isFromPeer(SocketChannel channel, DevicePair ends) {
    try {
      InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
      InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
      return Gid.of(local.getAddress()).equals(ends.localGid())
          && Gid.of(remote.getAddress()).equals(ends.remoteGid());
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void failed(PendingConnection greeting, String why) {
    refuse(greeting, why);
  }

  private void refuse(PendingConnection greeting, String why) {
    refusedConnections++;
    greetings.remove(greeting);
    network.closeQuietly(greeting.channel());
    LOG.debug("connection refused: {}", why);
  }

  /**
   * Closes what is overdue.
   *
   * @return the clock reading to be called again at, or {@link SoftDevice#NEVER}
   */
  long onTimer(long nowNs) {
    long nextNs = SoftDevice.NEVER;
    // Backwards, since one that is refused leaves the list.
    for (int i = greetings.size() - 1; i >= 0; i--) {
      PendingConnection greeting = greetings.get(i);
      if (greeting.deadlineNs() - nowNs <= 0) {
        refuse(greeting, "it was silent for too long");
      } else {
        nextNs = Math.min(nextNs, greeting.deadlineNs());
      }
    }
    return nextNs;
  }

  void close() {
    List.copyOf(greetings).forEach(greeting -> network.closeQuietly(greeting.channel()));
    greetings.clear();
  }
}
