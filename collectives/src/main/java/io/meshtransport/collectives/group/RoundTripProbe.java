// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;

/**
 * Measures what a short message takes to each neighbour of a rank and back, all at the same time:
 * the shortest counts. With the member's lock.
 */
final class RoundTripProbe {
  /**
   * Round trips are over once so many in a row have not been shorter than those before: by then the
   * ends are compiled, or busy with other things.
   */
  private static final int PINGS = 128;

  private static final int MAX_PINGS = 4096;
  private static final double SHORTER = 0.9;

  /** A round trip of a program that has just begun takes up to a millisecond. */
  private static final long PING_NS = 100_000_000;

  private final LocalRank member;

  /** Above all numbers of links, by which all arrays are. */
  private final int bound;

  private final int[] pongs;
  private final long[] pingedNs;
  private final long[] bestNs;

  /** Of each link: which round trip was the first of its length. */
  private final int[] bestAt;

  private boolean isMeasuring;

  RoundTripProbe(LocalRank member) {
    this.member = member;
    bound = member.links().bound();
    pongs = new int[bound];
    pingedNs = new long[bound];
    bestNs = new long[bound];
    bestAt = new int[bound];
  }

  /** Takes at most a tenth of a second; answers may come after that, and begin nothing. */
  void measure() throws CollectiveException {
    isMeasuring = true;
    long endNs = System.nanoTime() + PING_NS;
    for (int link = 0; link < bound; link++) {
      if (member.links().has(link)) {
        ping(link);
      }
    }
    while (!isDone() && endNs - System.nanoTime() > 0) {
      member.check();
      member.waitFor(Math.max(1, endNs - System.nanoTime()));
    }
    isMeasuring = false;
  }

  private boolean isDone() {
    for (int link = 0; link < bound; link++) {
      if (member.links().has(link) && !isDone(link)) {
        return false;
      }
    }
    return true;
  }

  private boolean isDone(int link) {
    return pongs[link] >= MAX_PINGS || pongs[link] - bestAt[link] >= PINGS;
  }

  private void ping(int link) {
    pingedNs[link] = System.nanoTime();
    member.send(link, RankMessage.Kind.PING, new byte[0]);
  }

  /** The answer to a ping has come. */
  void ponged(int link) {
    long tookNs = System.nanoTime() - pingedNs[link];
    pongs[link]++;
    if (bestNs[link] == 0 || tookNs < SHORTER * bestNs[link]) {
      bestAt[link] = pongs[link];
    }
    bestNs[link] = bestNs[link] == 0 ? tookNs : Math.min(bestNs[link], tookNs);
    if (isMeasuring && !isDone(link)) {
      ping(link);
    }
  }

  /** One way; 0 if no answer has come. */
  long latencyNs(int link) {
    return bestNs[link] / 2;
  }
}
