// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A tree over all ranks of a group, each edge of which is a link of its graph, and the share of an
 * operation's elements that it carries. A value.
 *
 * @param root the rank without a parent
 * @param parents by rank: its parent; -1 for the root
 * @param weight of this tree, above 0: it carries weight / (sum of all weights of its plan) of the
 *     elements
 */
public record SpanningTree(int root, List<Integer> parents, long weight) {
  /** By root, then by parents. */
  static final Comparator<SpanningTree> ORDER =
      Comparator.comparingInt(SpanningTree::root)
          .thenComparing(tree -> tree.parents().toArray(new Integer[0]), Arrays::compare);

  /** Checks that it is a tree with that root, and copies the parents. */
  public SpanningTree {
    parents = List.copyOf(parents);
    if (root < 0 || root >= parents.size() || weight <= 0) {
      throw new IllegalArgumentException(
          "a tree of " + parents.size() + " ranks with root " + root + " and weight " + weight);
    }
    for (int rank = 0; rank < parents.size(); rank++) {
      int at = rank;
      for (int steps = 0; at != root; steps++) {
        if (at < 0 || at >= parents.size() || steps == parents.size()) {
          throw new IllegalArgumentException(
              "rank " + rank + " does not reach the root " + root + ": parents " + parents);
        }
        at = parents.get(at);
      }
    }
    if (parents.get(root) != -1) {
      throw new IllegalArgumentException("the root " + root + " has a parent: " + parents);
    }
  }

  /** Number of ranks. */
  public int size() {
    return parents.size();
  }

  /** The children of a rank, in ascending order. */
  public int[] children(int rank) {
    int[] found = new int[size()];
    int count = 0;
    for (int child = 0; child < size(); child++) {
      if (parents.get(child) == rank) {
        found[count++] = child;
      }
    }
    return Arrays.copyOf(found, count);
  }

  /** Links between the root and a rank. */
  public int depth(int rank) {
    int depth = 0;
    for (int at = rank; at != root; at = parents.get(at)) {
      depth++;
    }
    return depth;
  }

  /** The greatest depth of a rank. */
  public int depth() {
    int depth = 0;
    for (int rank = 0; rank < size(); rank++) {
      depth = Math.max(depth, depth(rank));
    }
    return depth;
  }
}
