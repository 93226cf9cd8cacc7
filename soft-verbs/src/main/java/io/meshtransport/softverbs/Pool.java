package io.meshtransport.softverbs;

import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * Things that a device's wires need only while they move something. Keeps what comes back, so there
 * are never more than were in use at once. Guarded by the device's lock.
 */
final class Pool<T> {
  private final ArrayDeque<T> idle = new ArrayDeque<>();
  private final Supplier<T> maker;

  Pool(Supplier<T> maker) {
    this.maker = maker;
  }

  /** The borrower's until {@link #giveBack}. */
  T lend() {
    T last = idle.pollLast();
    return last == null ? maker.get() : last;
  }

  void giveBack(T thing) {
    idle.addLast(thing);
  }
}
