// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static io.meshtransport.spi.SendChannel.NO_DEADLINE;

import java.util.Arrays;

/**
 * The deadlines of those requests of one channel that are pending, by their slots, on the clock of
 * System.nanoTime. Polls ask it each time and do not pay for what is outstanding: it remembers a
 * moment before which no deadline passes, and looks at all slots only when that has come. Confined
 * to the channel's lock; allocates nothing but to grow.
 */
final class RequestDeadlines {
  private long[] deadlinesNs = new long[TableGrowth.FIRST];

  /** From the beginning of a request to its deadline; NO_DEADLINE where there is none. */
  private long[] timeoutsNs = new long[TableGrowth.FIRST];

  /** How many slots have a deadline. */
  private int size;

  /** No deadline is earlier; of no meaning if there is none. */
  private long noneBeforeNs;

  RequestDeadlines() {
    Arrays.fill(timeoutsNs, NO_DEADLINE);
  }

  /** From now on there are so many slots. */
  void grow(int slots) {
    int before = timeoutsNs.length;
    deadlinesNs = Arrays.copyOf(deadlinesNs, slots);
    timeoutsNs = Arrays.copyOf(timeoutsNs, slots);
    Arrays.fill(timeoutsNs, before, slots, NO_DEADLINE);
  }

  /**
   * A request begins in a slot that has no deadline.
   *
   * @param timeoutNs from now to its deadline, or NO_DEADLINE
   */
  void begin(int slot, long nowNs, long timeoutNs) {
    if (timeoutNs != NO_DEADLINE) {
      set(slot, nowNs, nowNs + timeoutNs, timeoutNs);
    }
  }

  private void set(int slot, long nowNs, long deadlineNs, long timeoutNs) {
    if (size == 0 || deadlineNs - nowNs < noneBeforeNs - nowNs) {
      noneBeforeNs = deadlineNs;
    }
    size += has(slot) ? 0 : 1;
    deadlinesNs[slot] = deadlineNs;
    timeoutsNs[slot] = timeoutNs;
  }

  /** Gives a request another deadline; one that has a deadline began when it did. */
  void postpone(int slot, long nowNs, long timeoutNs) {
    long beganNs = has(slot) ? beganNs(slot) : nowNs;
    long deadlineNs = nowNs + timeoutNs;
    set(slot, nowNs, deadlineNs, deadlineNs - beganNs);
  }

  /** A request is not pending any more. */
  void clear(int slot) {
    if (has(slot)) {
      size--;
      timeoutsNs[slot] = NO_DEADLINE;
    }
  }

  boolean has(int slot) {
    return timeoutsNs[slot] != NO_DEADLINE;
  }

  /** When the request of a slot that has a deadline began. */
  long beganNs(int slot) {
    return deadlinesNs[slot] - timeoutsNs[slot];
  }

  /** How long the request of a slot was given, or NO_DEADLINE. */
  long timeoutNs(int slot) {
    return timeoutsNs[slot];
  }

  /** The slot of a request whose deadline has passed, or -1. */
  int overdue(long nowNs) {
    if (size == 0 || nowNs - noneBeforeNs < 0) {
      return -1;
    }
    int earliest = earliest(nowNs);
    return nowNs - deadlinesNs[earliest] >= 0 ? earliest : -1;
  }

  /**
   * Nanoseconds in which no deadline passes, at most the given number. They may be fewer than until
   * the next deadline, if a request with an earlier one has ended meanwhile.
   */
  long untilNextNs(long nowNs, long atMostNs) {
    if (size == 0) {
      return atMostNs;
    }
    if (nowNs - noneBeforeNs >= 0) {
      earliest(nowNs);
    }
    return Math.min(atMostNs, Math.max(0, noneBeforeNs - nowNs));
  }

  /** The slot with the earliest deadline, of which there must be one. */
  private int earliest(long nowNs) {
    int earliest = -1;
    long untilNs = Long.MAX_VALUE;
    for (int slot = 0; slot < timeoutsNs.length; slot++) {
      if (has(slot) && (earliest < 0 || deadlinesNs[slot] - nowNs < untilNs)) {
        earliest = slot;
        untilNs = deadlinesNs[slot] - nowNs;
      }
    }
    noneBeforeNs = nowNs + untilNs;
    return earliest;
  }
}
