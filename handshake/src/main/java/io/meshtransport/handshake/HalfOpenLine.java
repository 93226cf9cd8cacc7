package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The places for handshakes that hold a queue pair, and the line before them, in order of arrival.
 * Both bounded: a storm of connects costs a bounded number of queue pairs at any time. Confined to
 * the event loop.
 */
final class HalfOpenLine {
  private final int maxPlaces;
  private final int maxWaiting;
  private final HandshakeCounters counters;
  private final Set<InboundConnection> waiting = new LinkedHashSet<>();
  private int takenPlaces;

  HalfOpenLine(HandshakeSettings settings, HandshakeCounters counters) {
    maxPlaces = settings.maxHalfOpen();
    maxWaiting = settings.maxSilent();
    this.counters = counters;
  }

  /** Stands in line, or gets a place at once; false if the line is full. */
  boolean enter(InboundConnection handshake) {
    if (waiting.size() >= maxWaiting) {
      return false;
    }
    waiting.add(handshake);
    counters.count(Counter.IN_LINE);
    grant();
    return true;
  }

  /** Leaves the line without having had a place. */
  void leave(InboundConnection handshake) {
    if (waiting.remove(handshake)) {
      counters.uncount(Counter.IN_LINE);
    }
  }

  /** Gives a place back. */
  void release() {
    takenPlaces--;
    counters.uncount(Counter.HALF_OPEN);
    grant();
  }

  private void grant() {
    Iterator<InboundConnection> first = waiting.iterator();
    if (takenPlaces < maxPlaces && first.hasNext()) {
      InboundConnection next = first.next();
      first.remove();
      counters.uncount(Counter.IN_LINE);
      takenPlaces++;
      counters.count(Counter.HALF_OPEN);
      next.placeGranted();
    }
  }
}
