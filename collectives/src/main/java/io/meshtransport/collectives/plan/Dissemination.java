// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * Trees for small operands on a full mesh of 4, 8, 16 ... ranks, in which all that a rank has is
 * sent on in steps (Bruck et al.): to the next rank, to the one 2 further, 4 further and so on. A
 * rank sends log2 n messages in as many steps, where one step to everybody takes n - 1. Has no
 * state.
 */
final class Dissemination {
  private Dissemination() {}

  /** Whether there are such trees in a graph. */
  static boolean suits(LinkGraph graph) {
    int size = graph.size();
    boolean isFull = size >= 4 && Integer.bitCount(size) == 1;
    for (int one = 0; one < size; one++) {
      for (int other = 0; other < one; other++) {
        isFull &= graph.hasLink(one, other);
      }
    }
    return isFull;
  }

  /** By root. */
  static List<SpanningTree> trees(int size) {
    List<SpanningTree> trees = new ArrayList<>();
    for (int root = 0; root < size; root++) {
      int[] parents = new int[size];
      parents[root] = -1;
      for (int distance = 1; distance < size; distance++) {
        int before = distance - Integer.highestOneBit(distance);
        parents[(root + distance) % size] = (root + before) % size;
      }
      trees.add(TreeShares.tree(parents, 1));
    }
    return trees;
  }
}
