// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

/** What all ranks do in one operation; each makes its {@link Operation} of it. A value. */
public sealed interface Program permits FloodProgram, DoublingProgram, TreeProgram, OrderedProgram {
  /** Bytes that a rank needs for what its neighbours send. */
  long scratchBytes(int rank, Arithmetic arithmetic);

  /** Whether peers of a rank write into its results. */
  boolean writesResults(int rank);

  /** Whether each element is folded from rank 0 on, one rank after the other. */
  boolean isInRankOrder();
}
