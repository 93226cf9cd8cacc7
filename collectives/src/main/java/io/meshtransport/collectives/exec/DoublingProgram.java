// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.List;

/**
 * All-reduce by pairs, as of recursive doubling: in each round a rank and its partner exchange
 * their partial results, and both fold them, that of the block with the lowest rank first. So all
 * ranks fold the same in the same order. Nothing has to be ready first, as of a {@link
 * FloodProgram}: a rank starts a run only when all have started the one before, so two slots for
 * each round are enough. A value; the arrays belong to it.
 *
 * @param partners by round, one at least, then by rank: who has the other half of the next block
 * @param elements that each rank has, 0 or more
 */
public record DoublingProgram(List<int[]> partners, int elements) implements Program {
  private static final int ALIGNMENT_BYTES = 64;

  /** Copies the list. */
  public DoublingProgram {
    partners = List.copyOf(partners);
    if (partners.isEmpty() || elements < 0) {
      throw new IllegalArgumentException(partners.size() + " rounds, " + elements + " elements");
    }
  }

  int rounds() {
    return partners.size();
  }

  /** By round: whether a rank's own block has the lowest rank of both. */
  boolean[] isLower(int rank) {
    boolean[] isLower = new boolean[rounds()];
    int[] lowest = new int[partners.get(0).length];
    for (int each = 0; each < lowest.length; each++) {
      lowest[each] = each;
    }
    for (int round = 0; round < isLower.length; round++) {
      int[] before = lowest.clone();
      for (int each = 0; each < lowest.length; each++) {
        lowest[each] = Math.min(before[each], before[partners.get(round)[each]]);
      }
      isLower[round] = lowest[rank] == before[rank];
    }
    return isLower;
  }

  private long slot(long run, int index, Arithmetic arithmetic) {
    long bytes = (long) elements * arithmetic.partialBytes();
    long slot = (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    return ((run & 1) * (2L * rounds() + 1) + index) * slot;
  }

  /** Where a rank has its own block before a round, if it is not in a slot of its partners. */
  long ownAt(long run, int round, Arithmetic arithmetic) {
    return slot(run, round, arithmetic);
  }

  /** Where the partner's block of a round arrives, on every rank. */
  long theirsAt(long run, int round, Arithmetic arithmetic) {
    return slot(run, rounds() + 1 + round, arithmetic);
  }

  @Override
  public long scratchBytes(int rank, Arithmetic arithmetic) {
    return slot(1, 2 * rounds() + 1, arithmetic);
  }

  @Override
  public boolean writesResults(int rank) {
    return false;
  }

  /** Partial results are added to each other. */
  @Override
  public boolean isInRankOrder() {
    return false;
  }
}
