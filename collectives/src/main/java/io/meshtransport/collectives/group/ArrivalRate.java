// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.Arrays;

/**
 * How fast bytes come in over one link, in rounds, of which the best counts: what disturbs a round
 * makes bytes come late. So no round may seem faster than its link. What a thread that comes late
 * finds at once has come before: the rate is the least of those since several moments, as many
 * bytes may have waited at one of them; and a round whose later bytes come much faster counts with
 * all its bytes since it began. A round in which too few bytes came, or whose first bytes were
 * there before this rank had begun it, counts only if there is no other. With the member's lock.
 */
final class ArrivalRate {
  /** The first bytes may come at another rate: what limits a cable often lets some through. */
  static final long WARM_UP_BYTES = 512 << 10;

  /** Several times of what may wait to be read. */
  static final long MIN_BYTES = 448 << 10;

  /** How much faster the later bytes may come: ranks begin a round at about the same time. */
  private static final double LATE = 2;

  /** Between moments since which a rate is computed. */
  private static final long SPACING_BYTES = 64 << 10;

  /** Of a round; what comes later counts, and begins no rate. */
  private static final int MAX_MARKS = 64;

  /** Of rounds whose rates lie within {@link #AGREES} of the best: chance gives no such three. */
  private static final int MIN_AGREEING = 3;

  /** Of the best round. */
  private static final double AGREES = 0.9;

  private static final double NS_PER_S = 1e9;

  private final long[] markBytes = new long[MAX_MARKS];
  private final long[] markNs = new long[MAX_MARKS];
  private int marks;
  private long bytes;
  private long beginNs;

  /** Some bytes arrived at an unknown time before the round began: its rate shows nothing. */
  private boolean isEarly;

  private long lastNs;

  /** Of the rounds that count, one after the other; of more than these nothing is kept. */
  private final long[] sure = new long[ProbeTurns.MAX_PASSES];

  private int sureRounds;
  private long best;
  private long bestOfUnsure;

  /** The neighbour has not begun to send before. */
  void beginRound(long nowNs) {
    beginNs = nowNs;
    isEarly = bytes > 0;
  }

  /** So many bytes more have come. */
  void arrived(long length, long nowNs) {
    bytes += length;
    boolean isApart = marks == 0 || bytes - markBytes[marks - 1] >= SPACING_BYTES;
    if (isApart && marks < MAX_MARKS) {
      markBytes[marks] = bytes;
      markNs[marks] = nowNs;
      marks++;
    }
    lastNs = nowNs;
  }

  /** All bytes of a round have come. */
  void endRound() {
    int first = firstWarm();
    long came = marks == 0 ? 0 : bytes - markBytes[first];
    double afterMark = least(first, came / 2);
    if (afterMark > 0) {
      double sinceBegin = bytes * NS_PER_S / Math.max(1, lastNs - beginNs);
      long rate = (long) (afterMark > LATE * sinceBegin ? sinceBegin : afterMark);
      boolean isSure = came >= MIN_BYTES && !isEarly;
      if (isSure && sureRounds < sure.length) {
        sure[sureRounds] = rate;
        sureRounds++;
      }
      best = isSure ? Math.max(best, rate) : best;
      bestOfUnsure = isSure ? bestOfUnsure : Math.max(bestOfUnsure, rate);
    }
    bytes = 0;
    marks = 0;
  }

  /** The first of all where there is none, or nothing came after it. */
  private int firstWarm() {
    for (int i = 0; i < marks; i++) {
      if (markBytes[i] >= WARM_UP_BYTES && markBytes[i] < bytes) {
        return i;
      }
    }
    return 0;
  }

  /** Of the moments from one on that so many bytes came after; 0 if there is none. */
  private double least(int first, long minBytes) {
    double least = Double.MAX_VALUE;
    for (int i = first; i < marks; i++) {
      long came = bytes - markBytes[i];
      long tookNs = lastNs - markNs[i];
      if (came > 0 && came >= minBytes && tookNs > 0) {
        least = Math.min(least, came * NS_PER_S / tookNs);
      }
    }
    return least == Double.MAX_VALUE ? 0 : least;
  }

  /**
   * Whether rounds found the same rate: then that is what the link allows, however busy the host
   * is.
   */
  boolean isSteady() {
    return Arrays.stream(sure).filter(each -> each > 0 && each >= AGREES * best).count()
        >= MIN_AGREEING;
  }

  /** Of the best round; 0 if nothing has come. */
  long bytesPerSecond() {
    return best > 0 ? best : bestOfUnsure;
  }
}
