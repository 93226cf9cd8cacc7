// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import java.util.Arrays;

/**
 * The posted requests of a send or receive queue, and how full it is. Slots are counted from 0 for
 * ever; slot n lives at n modulo the number of places in use.
 *
 * <pre>
 *   released      head        tail
 *   ----+-----------+-----------+----> slots
 *       | completed |outstanding|
 * </pre>
 *
 * A completed slot is released only when a completion of it, or of a later one, has been polled:
 * that is when adapters release it, and a caller that never requests a completion must find a full
 * queue here as there.
 *
 * <p>The ring grows with what is posted at once ({@link RingSize}), so that a queue pair that is
 * idle costs little. Of a ring with space for many only the first places are in use, twice as many
 * whenever those are full: the next slot is always at the place that was not used for the longest,
 * and among few places that one is still in the processor's cache. A request is made when its place
 * is first used, so a queue makes no garbage while no more are posted at once than ever before.
 * Guarded by the device's lock.
 *
 * @param <T> a request, used again and again
 */
abstract class WorkQueue<T> {
  private final int depth;
  private Object[] ring = new Object[RingSize.FIRST];

  /** The places in use, less one. */
  private int mask = RingSize.FIRST - 1;

  private long released;
  private long head;
  private long tail;

  WorkQueue(int depth) {
    this.depth = depth;
  }

  /** An unused request, for a slot used for the first time. */
  abstract T newRequest();

  final boolean isFull() {
    return tail - released == depth;
  }

  final boolean isEmpty() {
    return head == tail;
  }

  final long head() {
    return head;
  }

  final long tail() {
    return tail;
  }

  final int depth() {
    return depth;
  }

  /** The request of a slot that was claimed and is not released. */
  @SuppressWarnings("unchecked")
  final T at(long slot) {
    return (T) ring[(int) slot & mask];
  }

  final T oldest() {
    return at(head);
  }

  /** Claims the next slot; the caller has made sure that there is one. */
  final T claim() {
    if (tail - released > mask) {
      useMore();
    }
    int at = (int) tail & mask;
    if (ring[at] == null) {
      // Before the slot is claimed: there may be no memory for it.
      ring[at] = newRequest();
    }
    return at(tail++);
  }

  /** Twice as many places are used, where those in use are full. */
  private void useMore() {
    if (mask + 1 == ring.length) {
      ring = Arrays.copyOf(ring, RingSize.after(ring.length, depth));
    }
    int former = mask;
    mask = 2 * mask + 1;
    for (long slot = released; slot < tail; slot++) {
      swap((int) slot & former, (int) slot & mask);
    }
  }

  private void swap(int from, int to) {
    Object moved = ring[from];
    ring[from] = ring[to];
    ring[to] = moved;
  }

  /** The oldest outstanding request has ended. */
  final void complete() {
    head++;
  }

  /** A completion of the slot was polled. */
  final void release(long slot) {
    released = Math.max(released, slot + 1);
  }
}
