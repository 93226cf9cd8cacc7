// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Poller;
import io.meshtransport.threads.YieldBackoff;

/**
 * Waits at a poller: polls and gives way to others in turn, unless that has cost it its core
 * ({@link YieldBackoff}), then sleeps. Only one thread at a time.
 */
final class YieldingPoller {
  /**
   * How long a wait polls before it sleeps, giving way to others between two polls: the peers of a
   * short operation answer within this, also one that waits for its turn on a processor that ranks
   * share, where the poller's own spin is too short.
   */
  private static final long YIELD_NS = 2_000_000;

  private final YieldBackoff backoff = new YieldBackoff();
  private final Poller poller;

  YieldingPoller(Poller poller) {
    this.poller = poller;
  }

  /** Until something is there, at most so long; answers how many things are. */
  int await(Completions completions, long timeoutNs) {
    long beginNs = System.nanoTime();
    int count = poller.poll(completions);
    if (count == 0 && backoff.mayPoll()) {
      count = pollAndYield(completions, beginNs, Math.min(timeoutNs, YIELD_NS));
    }
    if (count > 0) {
      return count;
    }
    long spentNs = System.nanoTime() - beginNs;
    return poller.await(completions, Math.max(0, timeoutNs - spentNs));
  }

  private int pollAndYield(Completions completions, long beginNs, long atMostNs) {
    long polledNs = beginNs;
    while (polledNs - beginNs < atMostNs) {
      Thread.yield();
      int count = poller.poll(completions);
      long nowNs = System.nanoTime();
      if (YieldBackoff.isLate(polledNs, nowNs)) {
        backoff.lost();
        return count;
      }
      if (count > 0) {
        backoff.paid();
        return count;
      }
      polledNs = nowNs;
    }
    return 0;
  }
}
