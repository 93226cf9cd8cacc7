// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import java.nio.ByteBuffer;

/**
 * A program's own reduction. Must be associative; it need not be commutative: the elements of lower
 * ranks are always the left operands. Must not keep the buffers, nor change what it was not given.
 *
 * <p>Called by the threads that start, test and await the operations of a group, one at a time. An
 * exception fails the operation on every rank, with its text.
 */
public non-sealed interface Reducer extends Reduction {
  /**
   * {@code accumulator[i] = accumulator[i] op operand[i]} for each element. Elements are in native
   * byte order; positions, limits and orders of the buffers neither count nor may change.
   *
   * @param accumulator written
   * @param accumulatorOffset of its first element, in bytes, from the buffer's index 0
   * @param operand read
   * @param operandOffset of its first element, in bytes
   * @param count elements, 0 or more; one call has a part of an operation's elements only
   */
  void fold(
      ByteBuffer accumulator,
      int accumulatorOffset,
      ByteBuffer operand,
      int operandOffset,
      int count);
}
