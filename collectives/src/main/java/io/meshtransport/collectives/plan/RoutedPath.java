// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.HashSet;
import java.util.List;

/**
 * A way from a rank to another. A value.
 *
 * @param ranks from the source to the destination, both included; none twice
 * @param weight above 0: it carries weight / (sum of the weights of all paths of the two ranks)
 */
public record RoutedPath(List<Integer> ranks, long weight) {
  /** Checks and copies. */
  public RoutedPath {
    ranks = List.copyOf(ranks);
    if (ranks.size() < 2 || new HashSet<>(ranks).size() != ranks.size() || weight <= 0) {
      throw new IllegalArgumentException("a path over ranks " + ranks + " of weight " + weight);
    }
  }

  /** The first rank. */
  public int source() {
    return ranks.get(0);
  }

  /** The last rank. */
  public int destination() {
    return ranks.get(ranks.size() - 1);
  }
}
