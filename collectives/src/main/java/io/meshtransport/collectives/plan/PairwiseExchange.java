// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * Trees for small operands on a full mesh of 4, 8, 16 ... ranks, in which two ranks exchange all
 * that both have, in steps as of recursive doubling: those whose numbers differ by 1, then by 2, 4
 * and so on, in one binary digit. A rank sends log2 n messages in as many steps, where one step to
 * everybody takes n - 1, and the acknowledgement of each goes with one that is sent anyway. Has no
 * state.
 */
final class PairwiseExchange {
  private PairwiseExchange() {}

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
        parents[root ^ distance] = root ^ before;
      }
      trees.add(TreeShares.tree(parents, 1));
    }
    return trees;
  }
}
