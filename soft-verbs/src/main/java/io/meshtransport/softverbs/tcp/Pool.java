// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * Objects that a device's connections need only while they move something. Keeps what is released,
 * so there are never more than were in use at once. Guarded by the device's lock.
 */
final class Pool<T> {
  private final ArrayDeque<T> idle = new ArrayDeque<>();
  private final Supplier<T> maker;

  /**
   * @param ready how many are made at once: a busy host may delay several connections, long after
   *     all else is warm
   */
  Pool(Supplier<T> maker, int ready) {
    this.maker = maker;
    for (int i = 0; i < ready; i++) {
      release(maker.get());
    }
  }

  /** Returns one that is the caller's until {@link #release}. */
  T acquire() {
    T last = idle.pollLast();
    return last == null ? maker.get() : last;
  }

  void release(T thing) {
    idle.addLast(thing);
  }
}
