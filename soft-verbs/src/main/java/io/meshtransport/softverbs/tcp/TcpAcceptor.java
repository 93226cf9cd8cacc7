// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.nic.Gid;
import io.meshtransport.softverbs.rc.DeviceTimers;
import io.meshtransport.softverbs.rc.WireProof;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The side of a TCP network that is dialled. A connection becomes a {@link MuxConnection} if its
 * dialler proves to know a stream of ours ({@link Preamble}, {@link WireProof}) and some stream to
 * that device has no peer yet; it may wait for that for a moment while a queue pair here is in
 * INIT. Any other connection is closed, counted, and affects no other: of those that have proved
 * nothing there are few, and few from each address. Guarded by the device's lock.
 */
final class TcpAcceptor implements PendingConnection.Host {
  private static final Logger LOG = LogManager.getLogger(TcpAcceptor.class);

  /** How long an accepted connection may take to prove itself. */
  private static final long PROOF_TIMEOUT_NS = 5_000_000_000L;

  /**
   * How long it waits for its stream to be known here: a handshake's answer is under way meanwhile.
   * After that the dialler may try for another stream.
   */
  private static final long EARLY_WAIT_NS = 500_000_000L;

  /** Connections that have not proved themselves; beyond it one is closed: {@link #leastProved}. */
  private static final int MAX_PENDING = 256;

  /** The same from one address; beyond it one of that address is closed. */
  private static final int MAX_PENDING_PER_ADDRESS = 32;

  /** Accepted at once, before other channels get their turn. */
  private static final int ACCEPTS = 32;

  private final TcpNetwork network;

  /** All that have not proved themselves, oldest first. The device's thread changes it alone. */
  private final List<PendingConnection> pendingConnections = new CopyOnWriteArrayList<>();

  private long refusedConnections;
  private long refusedOpens;

  TcpAcceptor(TcpNetwork network) {
    this.network = network;
  }

  void armTimer(long atNs) {
    network.armTimer(atNs);
  }

  /** Connections that were closed because no queue pair here expected them. */
  long refusedConnections() {
    return refusedConnections;
  }

  /** An OPEN named a stream that its sender does not know. */
  void countRefusedOpen() {
    refusedOpens++;
  }

  /** OPENs without a valid proof. */
  long refusedOpens() {
    return refusedOpens;
  }

  /** Connections that wait for their stream to be known here. */
  long earlyConnections() {
    return pendingConnections.stream().filter(PendingConnection::isWaiting).count();
  }

  /** Connections that have proved nothing so far. */
  int unprovedConnections() {
    return pendingConnections.size();
  }

  /** A stream has no peer yet: connections that were too early may be expected now. */
  void recheckWaiting() {
    if (!pendingConnections.isEmpty()) {
      List.copyOf(pendingConnections).stream()
          .filter(PendingConnection::isWaiting)
          .forEach(this::onPreamble);
    }
  }

  /**
   * Accepts what the kernel has queued.
   *
   * @throws IOException if the kernel gives no descriptor; what is queued there stays
   */
  void accept(ServerSocketChannel listener) throws IOException {
    for (int i = 0; i < ACCEPTS; i++) {
      SocketChannel channel = listener.accept();
      if (channel == null) {
        return;
      }
      admit(channel);
    }
  }

  private void admit(SocketChannel channel) {
    boolean isKept = false;
    try {
      InetAddress from = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
      PendingConnection pending =
          new PendingConnection(channel, from, this, network.nowNs() + PROOF_TIMEOUT_NS);
      network.driven().register(channel, SelectionKey.OP_READ, pending);
      pendingConnections.add(pending);
      isKept = true;
      network.armTimer(pending.deadlineNs());
      dropOne(from);
    } catch (IOException e) {
      refusedConnections++;
      LOG.debug("connection lost while it was accepted", e);
    } finally {
      if (!isKept) {
        network.closeQuietly(channel);
      }
    }
  }

  private void dropOne(InetAddress from) {
    List<PendingConnection> alike =
        pendingConnections.stream().filter(pending -> pending.from().equals(from)).toList();
    if (alike.size() > MAX_PENDING_PER_ADDRESS) {
      refuse(
          leastProved(alike),
          "too many connections from " + from.getHostAddress() + " prove nothing");
    } else if (pendingConnections.size() > MAX_PENDING) {
      refuse(leastProved(pendingConnections), "too many connections prove nothing");
    }
  }

  /**
   * The oldest of those that have come least far: one that is challenged has named a stream that is
   * known here, and its proof may be on its way.
   */
  private static PendingConnection leastProved(List<PendingConnection> some) {
    PendingConnection least = some.get(0);
    for (PendingConnection pending : some) {
      if (pending.progress() < least.progress()) {
        least = pending;
      }
    }
    return least;
  }

  @Override
  public void onPreamble(PendingConnection pending) {
    DevicePair ends = pending.ends();
    TcpPeer peer = network.peer(ends);
    TcpStream stream = peer == null ? null : peer.stream(pending.wireId());
    if (!isFromPeer(pending.channel(), ends)) {
      refuse(pending, "its addresses are not those of its preamble");
    } else if (stream != null && peer.isAnyConnecting()) {
      challenge(pending, stream);
    } else if (network.device().queuePairs().isAnyInInit()) {
      // Its owner has the peer's address already, and will soon know ours.
      pending.waitUntil(network.nowNs() + EARLY_WAIT_NS);
      network.armTimer(pending.deadlineNs());
    } else {
      refuse(pending, "no queue pair here expects it");
    }
  }

  private void challenge(PendingConnection pending, TcpStream stream) {
    try {
      pending.challenge(stream, network.nonce());
      network.driven().driver().setInterest(pending.channel(), SelectionKey.OP_READ);
      network.armTimer(pending.deadlineNs());
    } catch (IOException e) {
      refuse(pending, e.getMessage());
    }
  }

  @Override
  public void onProved(PendingConnection pending) {
    TcpPeer peer = network.peer(pending.ends());
    if (peer != null && peer.isAnyConnecting()) {
      pendingConnections.remove(pending);
      peer.adopt(pending.channel(), pending.session());
    } else {
      refuse(pending, "no queue pair here expects it any more");
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
  public void onFailed(PendingConnection pending, String why) {
    refuse(pending, why);
  }

  private void refuse(PendingConnection pending, String why) {
    refusedConnections++;
    pendingConnections.remove(pending);
    network.closeQuietly(pending.channel());
    LOG.debug("connection refused: {}", why);
  }

  /**
   * Closes what is overdue.
   *
   * @return the clock reading to be called again at, or {@link DeviceTimers#NEVER}
   */
  long onTimer(long nowNs) {
    long nextNs = DeviceTimers.NEVER;
    // Backwards, since one that is refused leaves the list.
    for (int i = pendingConnections.size() - 1; i >= 0; i--) {
      PendingConnection pending = pendingConnections.get(i);
      if (pending.deadlineNs() - nowNs <= 0) {
        refuse(pending, "it sent nothing for too long");
      } else {
        nextNs = Math.min(nextNs, pending.deadlineNs());
      }
    }
    return nextNs;
  }

  void close() {
    List.copyOf(pendingConnections).forEach(pending -> network.closeQuietly(pending.channel()));
    pendingConnections.clear();
  }
}
