package io.meshtransport.softverbs;

import java.util.ArrayList;
import java.util.List;

/**
 * The trunks of a device whose next frames wait for others to leave with them. Guarded by the
 * device's lock, except {@link #areAny} and {@link #additions}.
 */
final class HeldTrunks {
  private final List<Trunk> trunks = new ArrayList<>();
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
  void add(Trunk trunk) {
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
    for (int i = 0; i < trunks.size(); i++) {
      Trunk trunk = trunks.get(i);
      trunk.held(false);
      trunk.flush();
    }
    trunks.clear();
  }
}
