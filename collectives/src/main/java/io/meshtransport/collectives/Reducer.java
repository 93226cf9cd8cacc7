// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import java.nio.ByteBuffer;

/**
 * A user's own operation on elements of a fixed length. It must be associative and commutative,
 * save for rounding, and give the same bits for the same operands on each rank. Which elements meet
 * first follows from the plan, and is the same in every run with the same plan.
 *
 * <p>Threads: each operation calls it by one thread at a time; a reducer that several operations
 * share must bear calls at once.
 */
public non-sealed interface Reducer extends Reduction {
  /** Length of an element in bytes, 1 or more; always the same. */
  int elementBytes();

  /**
   * Folds each element of the operand into the element of the accumulator at the same place. Both
   * buffers hold the same number of whole elements from position to limit, in native byte order;
   * how the positions are left does not matter. They are valid until the call returns.
   *
   * <p>What it throws fails the operation on all ranks.
   *
   * @param accumulator read and written
   * @param operand read only
   */
  void reduce(ByteBuffer accumulator, ByteBuffer operand);

  /** What the ranks of a group compare: the class's name, unless overridden. */
  @Override
  default String name() {
    return getClass().getName();
  }
}
