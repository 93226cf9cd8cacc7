// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import java.util.ArrayList;
import java.util.List;

/**
 * The trunks of a device whose next frames wait for others to leave with them. Guarded by the
 * device's lock, except {@link #areAny} and {@link #additions}.
 */
final class DeferredFlushes {
  private final List<MuxConnection> trunks = new ArrayList<>();
  private volatile boolean areAny;
  private volatile int additions;

  /** Any thread. What it misses was added a moment ago. */
  boolean areAny() {
    return areAny;
  }

  /** Changes whenever something is added. Any thread. */
  int additions() {
    return additions;
  }

  /** Written under the lock only, read by anybody. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void add(MuxConnection trunk) {
    if (!trunk.isHeld()) {
      trunk.held(true);
      trunks.add(trunk);
      additions++;
      areAny = true;
    }
  }

  /** Passes on what they have; one that has ended has nothing. */
  void flush() {
    if (!areAny) {
      return;
    }
    areAny = false;
    // By index, since an iterator would be garbage, and one that is added meanwhile is met, too.
    int done = 0;
    try {
      while (done < trunks.size()) {
        MuxConnection trunk = trunks.get(done++);
        trunk.held(false);
        trunk.flush();
      }
    } finally {
      forgetFirst(done);
    }
  }

  /** After a failure half way the others are still held, and flushed the next time. */
  private void forgetFirst(int done) {
    if (done == trunks.size()) {
      trunks.clear();
    } else {
      trunks.subList(0, done).clear();
      areAny = true;
    }
  }
}
