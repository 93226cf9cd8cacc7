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
    final Set<InboundConnection> waiting = new LinkedHashSet<>();
    int places;
  }

  private final int maxPlaces;
  private final int maxWaiting;
  private final HandshakeCounters counters;

  /** The host whose turn is next comes first. */
  private final Map<RemoteHost, Share> shares = new LinkedHashMap<>();

  private int takenPlaces;
  private int waiting;

  HalfOpenPermits(HandshakeSettings settings, HandshakeCounters counters) {
    maxPlaces = settings.maxHalfOpen();
    maxWaiting = settings.maxPreHello();
    this.counters = counters;
  }

  private static int shareOf(int all) {
    return Math.max(1, all / HOSTS_FOR_ALL);
  }

  /** Stands in line, or gets a place at once; false if the line, or its host's share, is full. */
  boolean enter(InboundConnection handshake) {
    RemoteHost host = handshake.remoteHost();
    Share share = shares.get(host);
    int before = share == null ? 0 : share.waiting.size();
    if (waiting >= maxWaiting || before >= shareOf(maxWaiting)) {
      return false;
    }
    shares.computeIfAbsent(host, any -> new Share()).waiting.add(handshake);
    waiting++;
    counters.count(Counter.QUEUED);
    grant();
    return true;
  }

  /** Leaves the line without having had a place. */
  void leave(InboundConnection handshake) {
    Share share = shares.get(handshake.remoteHost());
    if (share != null && share.waiting.remove(handshake)) {
      leftLine();
      forgetIfEmpty(handshake.remoteHost(), share);
    }
  }

  private void leftLine() {
    waiting--;
    counters.uncount(Counter.QUEUED);
  }

  /** Gives a place back. */
  void release(InboundConnection handshake) {
    Share share = shares.get(handshake.remoteHost());
    share.places--;
    takenPlaces--;
    counters.uncount(Counter.HALF_OPEN);
    forgetIfEmpty(handshake.remoteHost(), share);
    grant();
  }

  private void forgetIfEmpty(RemoteHost host, Share share) {
    if (share.places == 0 && share.waiting.isEmpty()) {
      shares.remove(host);
    }
  }

  private void grant() {
    if (takenPlaces >= maxPlaces) {
      return;
    }
    for (Map.Entry<RemoteHost, Share> entry : shares.entrySet()) {
      Share share = entry.getValue();
      if (!share.waiting.isEmpty() && share.places < shareOf(maxPlaces)) {
        grant(entry.getKey(), share);
        return;
      }
    }
  }

  private void grant(RemoteHost host, Share share) {
    // To the end: the others' turns come first.
    shares.remove(host);
    shares.put(host, share);
    Iterator<InboundConnection> first = share.waiting.iterator();
    InboundConnection next = first.next();
    first.remove();
    leftLine();
    share.places++;
    takenPlaces++;
    counters.count(Counter.HALF_OPEN);
    next.placeGranted();
  }
}
