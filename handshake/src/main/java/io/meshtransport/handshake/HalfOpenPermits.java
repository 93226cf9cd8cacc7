// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The places for handshakes that hold a queue pair, and the line before them. Both bounded: a storm
 * of connects costs a bounded number of queue pairs at any time. No remote host has more than a
 * quarter of the places, or of the line; hosts take turns, and each is served in order of arrival.
 * Confined to the event loop.
 */
final class HalfOpenPermits {
  /** So many hosts together can hold all places; fewer cannot keep the others out. */
  static final int HOSTS_FOR_ALL = 4;

  /** What one remote host has. Kept while it has anything. */
  private static final class Share {
    final Set<InboundConnection> queued = new LinkedHashSet<>();
    int permits;
  }

  private final int maxPermits;
  private final int maxQueued;
  private final HandshakeCounters counters;

  /** The host whose turn is next comes first. */
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

  /** Stands in line, or gets a place at once; false if the line, or its host's share, is full. */
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

  /** Leaves the line without having had a place. */
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

  /** Gives a place back. */
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
    // To the end: the others' turns come first.
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
