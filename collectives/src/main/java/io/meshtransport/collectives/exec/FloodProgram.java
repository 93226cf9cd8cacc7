// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.List;

/**
 * One shot: what each rank has goes to every rank, over a tree of shortest paths from it, into one
 * of two slots there; then each rank does the rest by itself. Nothing has to be ready first: a rank
 * starts a run only when all have started the one before, so that the slots of the one before that
 * are free. A value.
 *
 * @param trees by origin: the parent of each rank, {@link StreamPlan#ROOT} at the origin
 * @param elements that each rank has, 0 or more
 * @param ending what each rank does with what all have
 */
public record FloodProgram(List<int[]> trees, int elements, Ending ending) implements Program {
  private static final int ALIGNMENT_BYTES = 64;

  /** What a rank does with the elements of all ranks. */
  public enum Ending {
    /** Folds them in the order of ranks. */
    REDUCE,
    /** Puts them one behind the other. */
    GATHER
  }

  /** Copies the list. */
  public FloodProgram {
    trees = List.copyOf(trees);
  }

  int size() {
    return trees.size();
  }

  private long aligned(long bytes) {
    return (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
  }

  /** Where the slot of an origin is, on every rank. */
  long slotAt(long run, int origin, Arithmetic arithmetic) {
    long slot = aligned((long) elements * arithmetic.elementBytes());
    return ((run & 1) * size() + origin) * slot;
  }

  /** Where partial results are that are wider than elements. */
  long partialsAt(Arithmetic arithmetic) {
    return slotAt(1, size(), arithmetic);
  }

  @Override
  public long scratchBytes(int rank, Arithmetic arithmetic) {
    return partialsAt(arithmetic) + aligned((long) elements * arithmetic.partialBytes());
  }

  @Override
  public boolean writesResults(int rank) {
    return false;
  }

  @Override
  public boolean isInRankOrder() {
    return true;
  }
}
