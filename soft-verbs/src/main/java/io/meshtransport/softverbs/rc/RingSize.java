// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

/**
 * How rings of a queue grow: small while the queue is idle, larger with a few requests under way,
 * then at once as large as the queue's depth, or in a few steps if that is very deep. So the ring
 * of a queue that has once had many under way does not grow later, when a busy host lets more pile
 * up than before; a {@link WorkQueue} makes requests for its places then. Sizes are powers of two.
 */
final class RingSize {
  static final int FIRST = 2;

  private static final int SECOND = 16;

  /** Covers the queues of a connection of 64 requests. */
  private static final int THIRD = 1024;

  private static final int GROWTH = 4;

  private RingSize() {}

  /**
   * The size after this one, which is full.
   *
   * @param depth the queue's depth, more than the size
   */
  static int after(int size, int depth) {
    if (size < SECOND) {
      return SECOND;
    }
    return Math.min(Integer.highestOneBit(depth - 1) << 1, Math.max(THIRD, GROWTH * size));
  }
}
