// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.Objects;

/**
 * How an operation is carried out, the same on every rank. A value.
 *
 * @param program what is done
 * @param text explains it to people
 */
public record Blueprint(Program program, String text) {
  /** Checks that both are there. */
  public Blueprint {
    Objects.requireNonNull(program, "program");
    Objects.requireNonNull(text, "text");
  }

  /** Whether peers of a rank write into its results. */
  public boolean writesResults(int rank) {
    return program.writesResults(rank);
  }

  /** Bytes that a rank needs for what its neighbours send. */
  public long scratchBytes(int rank, Arithmetic arithmetic) {
    return program.scratchBytes(rank, arithmetic);
  }

  Operation operation(
      Links links, int id, int rank, Arithmetic arithmetic, Local local, Peers peers) {
    if (program instanceof FloodProgram flood) {
      return new FloodOperation(links, id, flood, rank, arithmetic, local, peers);
    }
    if (program instanceof OrderedProgram ordered) {
      return new OrderedOperation(links, id, ordered, rank, arithmetic, local, peers);
    }
    if (program instanceof DoublingProgram doubling) {
      return new DoublingOperation(links, id, doubling, rank, arithmetic, local, peers);
    }
    return new TreeOperation(links, id, (TreeProgram) program, rank, arithmetic, local, peers);
  }
}
