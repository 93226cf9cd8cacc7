// SPDX-License-Identifier: Apache-2.0
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

  /**
   * @param ready how many are made at once: a busy host may hold up several wires, long after all
   *     else is warm
   */
  Pool(Supplier<T> maker, int ready) {
    this.maker = maker;
    for (int i = 0; i < ready; i++) {
      giveBack(maker.get());
    }
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
