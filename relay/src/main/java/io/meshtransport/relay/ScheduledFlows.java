// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Flows that the relay's thread is to look at, each once, in the order in which they came: a list
 * that any thread adds to and one empties (Treiber 1986). Allocates nothing.
 */
final class ScheduledFlows {
  /** The latest first. */
  private final AtomicReference<Flow> added = new AtomicReference<>();

  /** The earliest first. Of the relay's thread. */
  private Flow taken;

  /** Adds one; false if it is here already. Any thread. */
  boolean add(Flow flow) {
    if (!flow.isScheduled.compareAndSet(false, true)) {
      return false;
    }
    Flow before;
    do {
      before = added.get();
      flow.nextScheduled = before;
    } while (!added.compareAndSet(before, flow));
    return true;
  }

  /** Whether there is none that was added since the last {@link #poll}. Any thread. */
  boolean isEmpty() {
    return added.get() == null;
  }

  /** Removes the earliest; from here on it may be added again. Null if there is none. */
  Flow poll() {
    if (taken == null) {
      turnOver();
    }
    Flow first = taken;
    if (first != null) {
      taken = first.nextScheduled;
      first.nextScheduled = null;
      first.isScheduled.set(false);
    }
    return first;
  }

  private void turnOver() {
    Flow latest = added.getAndSet(null);
    while (latest != null) {
      Flow earlier = latest.nextScheduled;
      latest.nextScheduled = taken;
      taken = latest;
      latest = earlier;
    }
  }
}
