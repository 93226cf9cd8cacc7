// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The permits for accepted handshakes to have a queue pair, and the queue for them. Both are
 * bounded, so that any number of connects costs a bounded number of queue pairs at any time. No
 * remote host has more than a quarter of the permits, or of the queue; hosts take turns, and each
 * is served in the order of arrival. Confined to the event loop.
 */
final class HalfOpenPermits {
  /** Number of hosts that can have all permits together; fewer cannot keep others out. */
  static final int HOSTS_FOR_ALL = 4;

  /** The permits and queued handshakes of one remote host. Removed when it has neither. */
  private static final class Share {
    final Set<InboundConnection> queued = new LinkedHashSet<>();
    int permits;
  }

  private final int maxPermits;
  private final int maxQueued;
  private final HandshakeCounters counters;

  /** Shares in the order of turns: the next host first. */
  private final Map<RemoteHost, Share> shares = new LinkedHashMap<>();

  private int permits;
  private int queued;

  HalfOpenPermits(HandshakeSettings settings, HandshakeCounters counters) {
    maxPermits = settings.maxHalfOpen();
    maxQueued = settings.maxPreHello();
    this.counters = counters;
  }

  private static int shareOf(int all) {
    return Math.max(1, all / HOSTS_FOR_ALL);
  }

  /**
   * Queues a handshake, or grants a permit at once; false if the queue, or the host's share, is
   * full.
   */
  boolean enqueue(InboundConnection handshake) {
    RemoteHost host = handshake.remoteHost();
    Share share = shares.get(host);
    int before = share == null ? 0 : share.queued.size();
    if (queued >= maxQueued || before >= shareOf(maxQueued)) {
      return false;
    }
    shares.computeIfAbsent(host, any -> new Share()).queued.add(handshake);
    queued++;
    counters.count(Counter.QUEUED);
    grant();
    return true;
  }

  /** Removes a handshake from the queue. */
  void withdraw(InboundConnection handshake) {
    Share share = shares.get(handshake.remoteHost());
    if (share != null && share.queued.remove(handshake)) {
      dequeued();
      removeIfEmpty(handshake.remoteHost(), share);
    }
  }

  private void dequeued() {
    queued--;
    counters.uncount(Counter.QUEUED);
  }

  /** Releases a permit. */
  void release(InboundConnection handshake) {
    Share share = shares.get(handshake.remoteHost());
    share.permits--;
    permits--;
    counters.uncount(Counter.HALF_OPEN);
    removeIfEmpty(handshake.remoteHost(), share);
    grant();
  }

  private void removeIfEmpty(RemoteHost host, Share share) {
    if (share.permits == 0 && share.queued.isEmpty()) {
      shares.remove(host);
    }
  }

  private void grant() {
    if (permits >= maxPermits) {
      return;
    }
    for (Map.Entry<RemoteHost, Share> entry : shares.entrySet()) {
      Share share = entry.getValue();
      if (!share.queued.isEmpty() && share.permits < shareOf(maxPermits)) {
        grant(entry.getKey(), share);
        return;
      }
    }
  }

  private void grant(RemoteHost host, Share share) {
    // To the end, so that the turns of the other hosts come first.
    shares.remove(host);
    shares.put(host, share);
    Iterator<InboundConnection> first = share.queued.iterator();
    InboundConnection next = first.next();
    first.remove();
    dequeued();
    share.permits++;
    permits++;
    counters.count(Counter.HALF_OPEN);
    next.permitGranted();
  }
}
