// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.Optional;

/**
 * How an operation is carried out, the same on every rank. A value.
 *
 * @param flood in one shot; or else
 * @param trees by these streams
 * @param text explains it to people
 */
public record Blueprint(Optional<FloodProgram> flood, Optional<TreeProgram> trees, String text) {
  /** Checks that it is one of both. */
  public Blueprint {
    if (flood.isPresent() == trees.isPresent()) {
      throw new IllegalArgumentException("neither flood nor trees, or both");
    }
  }

  /** In one shot. */
  public static Blueprint of(FloodProgram program, String text) {
    return new Blueprint(Optional.of(program), Optional.empty(), text);
  }

  /** By trees. */
  public static Blueprint of(TreeProgram program, String text) {
    return new Blueprint(Optional.empty(), Optional.of(program), text);
  }

  /** Whether peers of a rank write into its results. */
  public boolean writesResults(int rank) {
    return trees.isPresent()
        && trees.get().streams().stream()
            .anyMatch(each -> each.goesDown() && each.has(rank) && !each.isRoot(rank));
  }

  /** Bytes that a rank needs for what its neighbours send. */
  public long scratchBytes(int rank, Arithmetic arithmetic) {
    return flood.isPresent()
        ? flood.get().scratchBytes(arithmetic)
        : trees.get().scratchBytes(rank, arithmetic);
  }

  Operation operation(
      Links links, int id, int rank, Arithmetic arithmetic, Local local, Peers peers) {
    return flood.isPresent()
        ? new FloodOperation(links, id, flood.get(), rank, arithmetic, local, peers)
        : new TreeOperation(links, id, trees.get(), rank, arithmetic, local, peers);
  }
}
