// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.List;

/**
 * A reduction in the order of ranks on any graph: each rank gets the elements of all others of one
 * block, as they are, reduces that block from rank 0 on, and sends the result to where it belongs.
 * The streams of the inputs come first, then those of the results. A value.
 *
 * @param trees all streams
 * @param inputs how many of them are of inputs: from each rank to each other, up
 * @param begins by rank: the first element of its block; the last is the number of elements
 * @param ending where results go
 */
public record OrderedProgram(TreeProgram trees, int inputs, List<Long> begins, Ending ending)
    implements Program {
  private static final int ALIGNMENT_BYTES = 64;

  /** What becomes of the block that a rank has reduced. */
  public enum Ending {
    /** It goes to all, to its place in the result. */
    TO_ALL,
    /** It goes to one rank, to its place in the result there. */
    TO_ROOT,
    /** It is this rank's result. */
    STAYS
  }

  /** Copies the list. */
  public OrderedProgram {
    begins = List.copyOf(begins);
    if (inputs > trees.streams().size()) {
      throw new IllegalArgumentException(inputs + " of " + trees.streams().size() + " streams");
    }
  }

  int size() {
    return begins.size() - 1;
  }

  int elements(int rank) {
    return Math.toIntExact(begins.get(rank + 1) - begins.get(rank));
  }

  /** Where the elements of a rank's block begin, among those of an operand. */
  long blockAt(int rank, Arithmetic arithmetic) {
    return begins.get(rank) * arithmetic.elementBytes();
  }

  private static long aligned(long bytes) {
    return (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
  }

  /** Where the operands of a rank's block begin in its scratch memory, one slot for each rank. */
  long operandsAt(int rank, Arithmetic arithmetic) {
    return trees.scratchBytes(rank, arithmetic);
  }

  /** Of an operand of a block, relative to {@link #operandsAt}; all blocks have slots alike. */
  long slotAt(int origin, Arithmetic arithmetic) {
    return Schedules.operandSlot(begins, arithmetic.elementBytes()) * origin;
  }

  /** Where the reduction of a block is that is wider than elements. */
  long partialsAt(int rank, Arithmetic arithmetic) {
    return operandsAt(rank, arithmetic) + slotAt(size(), arithmetic);
  }

  @Override
  public long scratchBytes(int rank, Arithmetic arithmetic) {
    long wide = arithmetic.isWidening() ? (long) elements(rank) * arithmetic.partialBytes() : 0;
    return partialsAt(rank, arithmetic) + aligned(wide);
  }

  @Override
  public boolean writesResults(int rank) {
    return trees.writesResults(rank);
  }

  @Override
  public boolean isInRankOrder() {
    return true;
  }
}
