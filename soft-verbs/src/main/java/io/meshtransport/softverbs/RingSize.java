// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

/**
 * How rings of a queue grow: small while the queue is idle, some more for one who has a few
 * requests under way, then at once to all it can hold. So whoever has once had many under way meets
 * no growth later, when a busy host lets more pile up than before. Sizes are powers of two.
 */
final class RingSize {
  static final int FIRST = 2;

  private static final int SECOND = 16;

  private RingSize() {}

  /**
   * The size after this one, which is full.
   *
   * @param depth what the queue may hold, more than the size
   */
  static int after(int size, int depth) {
    return size < SECOND ? SECOND : Integer.highestOneBit(depth - 1) << 1;
  }
}
