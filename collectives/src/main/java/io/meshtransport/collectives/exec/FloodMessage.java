// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What one rank sends to a neighbour as one: the elements of some origins. A value; the array
 * belongs to it.
 *
 * @param origins in ascending order, one at the least
 */
record FloodMessage(int from, int to, int[] origins) {
  /**
   * All messages of a run. Where nothing arrives later for it, all that a rank sends to a neighbour
   * is one message: a message costs ends and cables more than a few elements do. Otherwise each
   * origin's elements are one, and wait for no others.
   *
   * @param trees by origin, as {@link FloodProgram} has them
   */
  static List<FloodMessage> all(List<int[]> trees) {
    List<FloodMessage> joined = new ArrayList<>();
    List<FloodMessage> apart = new ArrayList<>();
    for (int from = 0; from < trees.size(); from++) {
      for (int to = 0; to < trees.size(); to++) {
        int[] origins = origins(trees, from, to);
        if (origins.length > 0) {
          joined.add(new FloodMessage(from, to, origins));
        }
        for (int origin : origins) {
          apart.add(new FloodMessage(from, to, new int[] {origin}));
        }
      }
    }
    return new Steps(trees, joined).areNoMoreThanHops() ? joined : apart;
  }

  private static int[] origins(List<int[]> trees, int from, int to) {
    int[] found = new int[trees.size()];
    int count = 0;
    for (int origin = 0; origin < found.length; origin++) {
      if (trees.get(origin)[to] == from) {
        found[count++] = origin;
      }
    }
    return Arrays.copyOf(found, count);
  }

  /** When messages arrive if each takes one step, from when all that it carries is there. */
  private static final class Steps {
    private static final int UNKNOWN = 0;
    private static final int IN_SEARCH = -1;

    private final List<int[]> trees;
    private final FloodMessage[][] messages;
    private final int[][] steps;

    /** Longer than any path; for messages that wait for each other. */
    private final int never;

    Steps(List<int[]> trees, List<FloodMessage> all) {
      int size = trees.size();
      this.trees = trees;
      messages = new FloodMessage[size][size];
      steps = new int[size][size];
      never = size;
      all.forEach(each -> messages[each.from][each.to] = each);
    }

    boolean areNoMoreThanHops() {
      int hops = 0;
      int most = 0;
      for (int[] tree : trees) {
        hops = Math.max(hops, new StreamPlan(tree, false, true, -1, 0, 0, 0).depth());
        for (int to = 0; to < tree.length; to++) {
          most = Math.max(most, tree[to] < 0 ? 0 : of(tree[to], to));
        }
      }
      return most <= hops;
    }

    private int of(int from, int to) {
      if (steps[from][to] == IN_SEARCH) {
        return never;
      }
      if (steps[from][to] == UNKNOWN) {
        steps[from][to] = IN_SEARCH;
        int before = 0;
        for (int origin : messages[from][to].origins) {
          int above = trees.get(origin)[from];
          before = Math.max(before, above < 0 ? 0 : of(above, from));
        }
        steps[from][to] = Math.min(never, before + 1);
      }
      return steps[from][to];
    }
  }
}
