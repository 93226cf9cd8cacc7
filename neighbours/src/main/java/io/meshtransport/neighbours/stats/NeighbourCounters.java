// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.stats;

import java.util.concurrent.atomic.AtomicLongArray;

/** The values of all {@link NeighbourCounter}s of one node. Written by one thread, read by any. */
public final class NeighbourCounters {
  private final AtomicLongArray values = new AtomicLongArray(NeighbourCounter.values().length);

  /** Counts one. */
  public void count(NeighbourCounter counter) {
    values.getAndIncrement(counter.ordinal());
  }

  /** How often it happened. */
  public long get(NeighbourCounter counter) {
    return values.get(counter.ordinal());
  }
}
