// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;

/**
 * Folds elements of one type into others by one operation, in native byte order. Allocates nothing
 * once it has met the buffers and the compiler the kernel; pass the same buffers, not duplicates,
 * of which it keeps the last few reachable. Threads: one at a time; each thread that folds at the
 * same time as others has a kernel of its own.
 */
public interface Kernel {
  /**
   * {@code accumulator[i] = accumulator[i] op operand[i]} for each element. The left operand is the
   * accumulator's, which counts where an operation is not commutative. Positions and limits of the
   * buffers neither count nor change.
   *
   * @param accumulator direct; written
   * @param accumulatorOffset of its first element, in bytes, from the buffer's index 0
   * @param operand direct; read; must not overlap the accumulator, unless both ranges are equal
   * @param operandOffset of its first element, in bytes
   * @param count elements, 0 or more
   * @throws IndexOutOfBoundsException if a range is not within its buffer's capacity; nothing is
   *     written, and a retry cannot help
   */
  void fold(
      ByteBuffer accumulator,
      int accumulatorOffset,
      ByteBuffer operand,
      int operandOffset,
      int count);
}
