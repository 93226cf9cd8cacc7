// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.List;

/**
 * Spanning trees that together move bytes nearly as fast as the cables allow. A value.
 *
 * @param trees at least one, by root, then by parents
 * @param bytesPerSecond that they carry, each its share; infinite for one rank
 * @param bound bytes per second that no packing exceeds
 */
public record TreePacking(List<SpanningTree> trees, double bytesPerSecond, double bound) {
  public TreePacking {
    trees = List.copyOf(trees);
    if (trees.isEmpty() || !(bytesPerSecond > 0) || !(bound > 0)) {
      throw new IllegalArgumentException(
          trees.size() + " trees with " + bytesPerSecond + " of " + bound + " bytes/s");
    }
  }

  /** Links between a root and a rank at most. */
  public int depth() {
    return trees.stream().mapToInt(SpanningTree::depth).max().orElse(0);
  }
}
