// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.PeerSession;
import io.meshtransport.session.PeerState;
import io.meshtransport.session.SendSlot;
import io.meshtransport.session.Session;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.time.WaitTimes;
import java.io.InterruptedIOException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sends a bundle to its destinations, and copies it into registered memory before that, once, if it
 * is not there. Any thread may call it; a caller waits for a slow peer at most {@code
 * send_timeout}, and not at all for one that has consumed nothing for so long already, or that
 * cannot be reached.
 */
final class BundleSender {
  private final Session session;
  private final Duration timeout;
  private final Set<PeerSession> stalled = ConcurrentHashMap.newKeySet();
  private final LongAdder bundles = new LongAdder();
  private final LongAdder copies = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder stalls = new LongAdder();
  private final LongAdder drops = new LongAdder();

  /** Notified of each peer that does not get a bundle for several. */
  interface FailedSends {
    void failed(PeerSession peer, SocketException why);
  }

  BundleSender(Session session, Duration timeout) {
    this.session = session;
    this.timeout = timeout;
  }

  /**
   * Sends one bundle to one peer.
   *
   * @param bundle from position to limit, read before this returns
   * @throws SocketException if the peer cannot be reached, or consumes nothing for too long
   * @throws InterruptedIOException if the thread is interrupted while it waits (the interrupt stays
   *     set)
   */
  void send(PeerSession peer, ByteBuffer bundle) throws SocketException, InterruptedIOException {
    int lengthBytes = bundle.remaining();
    SendSlot slot = lengthBytes <= session.slotCapacity() ? session.tryClaim() : null;
    copies.add(slot == null ? frames(lengthBytes) : 1);
    if (slot == null) {
      sendCopy(peer, bundle);
      return;
    }
    try {
      slot.bytes().put(0, bundle, bundle.position(), lengthBytes);
      send(peer, slot, lengthBytes);
    } finally {
      slot.close();
    }
  }

  private int frames(int lengthBytes) {
    return (lengthBytes + session.slotCapacity() - 1) / session.slotCapacity();
  }

  /** Queues a copy: the bundle is longer than a slot, or there is no slot for it now. */
  private void sendCopy(PeerSession peer, ByteBuffer bundle)
      throws SocketException, InterruptedIOException {
    if (bundle.remaining() > session.maxMessageBytes()) {
      throw new IllegalArgumentException(
          "a message of "
              + bundle.remaining()
              + " bytes; at most "
              + session.maxMessageBytes()
              + " are sent. Put FRAG2 or FRAG4 into the stack, or raise max_bundle on every node.");
    }
    requireReachable(peer);
    try {
      peer.send(bundle, patience(peer));
    } catch (TransportException e) {
      throw failed(peer, e);
    }
    sent(peer, bundle.remaining());
  }

  /**
   * Sends a bundle that is in a slot. The caller keeps its reference.
   *
   * @param lengthBytes of the bundle
   * @throws SocketException as above
   * @throws InterruptedIOException as above
   */
  void send(PeerSession peer, SendSlot slot, int lengthBytes)
      throws SocketException, InterruptedIOException {
    send(peer, slot, lengthBytes, patience(peer));
  }

  private void send(PeerSession peer, SendSlot slot, int lengthBytes, Duration patience)
      throws SocketException, InterruptedIOException {
    requireReachable(peer);
    try {
      slot.sendTo(peer, lengthBytes, patience);
    } catch (TransportException e) {
      throw failed(peer, e);
    }
    sent(peer, lengthBytes);
  }

  /**
   * As above, to several peers: those that have space get it first, then the others are waited for.
   *
   * @param failures notified of each peer that does not get it
   */
  void send(PeerSession[] peers, SendSlot slot, int lengthBytes, FailedSends failures)
      throws InterruptedIOException {
    long endNs = WaitTimes.endNs(timeout);
    PeerSession[] slow = null;
    for (int i = 0; i < peers.length; i++) {
      try {
        requireReachable(peers[i]);
        if (slot.trySendTo(peers[i], lengthBytes)) {
          sent(peers[i], lengthBytes);
        } else {
          slow = slow == null ? new PeerSession[peers.length] : slow;
          slow[i] = peers[i];
        }
      } catch (SocketException e) {
        failures.failed(peers[i], e);
      } catch (TransportException e) {
        failures.failed(peers[i], closed(e));
      }
    }
    for (int i = 0; slow != null && i < slow.length; i++) {
      if (slow[i] != null) {
        try {
          Duration left = Duration.ofNanos(Math.max(0, endNs - System.nanoTime()));
          Duration patience = patience(slow[i]);
          send(slow[i], slot, lengthBytes, left.compareTo(patience) < 0 ? left : patience);
        } catch (SocketException e) {
          failures.failed(slow[i], e);
        }
      }
    }
  }

  /**
   * Sends one bundle to several peers, and copies it into registered memory only once if it fits a
   * slot.
   */
  void send(PeerSession[] peers, ByteBuffer bundle, FailedSends failures)
      throws InterruptedIOException {
    int lengthBytes = bundle.remaining();
    SendSlot slot = lengthBytes <= session.slotCapacity() ? session.tryClaim() : null;
    if (slot != null) {
      copies.increment();
      try {
        slot.bytes().put(0, bundle, bundle.position(), lengthBytes);
        send(peers, slot, lengthBytes, failures);
      } finally {
        slot.close();
      }
      return;
    }
    for (PeerSession peer : peers) {
      try {
        copies.add(frames(lengthBytes));
        sendCopy(peer, bundle);
      } catch (SocketException e) {
        failures.failed(peer, e);
      }
    }
  }

  /** A peer that could not be reached is tried again, and messages do not wait for that. */
  private void requireReachable(PeerSession peer) throws SocketException {
    if (peer.isOpen()) {
      return;
    }
    peer.connect();
    if (peer.state() == PeerState.DOWN) {
      Optional<TransportException> why = peer.failure();
      if (why.isPresent() && why.get().reason() != Reason.PEER_CLOSED) {
        throw new NoRouteToHostException("no connection to " + peer);
      }
    }
  }

  /** Waiting again for a peer that has stalled would hold up what is for the others. */
  private Duration patience(PeerSession peer) {
    return !stalled.isEmpty() && stalled.contains(peer) ? Duration.ZERO : timeout;
  }

  private void sent(PeerSession peer, int lengthBytes) {
    if (!stalled.isEmpty()) {
      stalled.remove(peer);
    }
    bundles.increment();
    bytes.add(lengthBytes);
  }

  private SocketException failed(PeerSession peer, TransportException why)
      throws InterruptedIOException {
    if (why.reason() == Reason.INTERRUPTED) {
      throw new InterruptedIOException("interrupted while waiting for " + peer);
    }
    if (why.reason() == Reason.TIMED_OUT || why.reason() == Reason.BUSY) {
      stalled.add(peer);
      stalls.increment();
    }
    return closed(why);
  }

  private static SocketException closed(TransportException why) {
    SocketException failure = new SocketException("the message is dropped: " + why.summary());
    failure.initCause(why);
    return failure;
  }

  /** A peer could not be reached: what waited for it is dropped. */
  void unreachable(PeerSession peer) {
    drops.add(peer.dropQueued());
  }

  /** A peer is gone for good. */
  void removed(PeerSession peer) {
    stalled.remove(peer);
  }

  /** Bundles sent, one for each peer they went to. */
  long bundles() {
    return bundles.sum();
  }

  /** Slots that were filled here, by a copy, and not by the bundler. */
  long copies() {
    return copies.sum();
  }

  long bytes() {
    return bytes.sum();
  }

  long stalls() {
    return stalls.sum();
  }

  long drops() {
    return drops.sum();
  }

  /** The failure of a send to a destination that is not known. */
  static NoRouteToHostException unknownDestination(Object destination) {
    return new NoRouteToHostException(
        destination
            + " is no node that this one knows of (yet): is one of its cables' addresses a"
            + " seed of any node?");
  }
}
