// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.PriorityQueue;

/**
 * Time that passes as fast as things happen: what is due next is done next, and what is due at the
 * same moment in the order in which it was planned. One thread.
 */
final class VirtualClock {
  private record Event(long atNs, long number, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return atNs == other.atNs
          ? Long.compare(number, other.number)
          : Long.compare(atNs, other.atNs);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowNs;
  private long planned;
  private long trace;

  long nowNs() {
    return nowNs;
  }

  void in(long delayNs, Runnable what) {
    events.add(new Event(nowNs + delayNs, planned++, what));
  }

  /** Until nothing is left to be done. */
  void run(long maxEvents) {
    long left = maxEvents;
    while (!events.isEmpty()) {
      if (left-- == 0) {
        throw new AssertionError("more than " + maxEvents + " events: it does not end");
      }
      next();
    }
  }

  private void next() {
    Event next = events.remove();
    nowNs = next.atNs;
    trace = trace * 31 + nowNs;
    next.what.run();
  }

  /** The next thing, if it is due in so long; else that time passes. */
  void step(long maxNs) {
    if (!events.isEmpty() && events.peek().atNs - nowNs <= maxNs) {
      next();
    } else {
      nowNs += maxNs;
    }
  }

  /** Differs where anything has happened at another time. */
  long trace() {
    return trace;
  }
}
