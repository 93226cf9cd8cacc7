// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.Arrays;

/**
 * One tree of an operation, and which bytes go over it: up to the root, where what the ranks have
 * is reduced hop by hop, or down from the root, or first up and then down. A value; the arrays
 * belong to it.
 *
 * @param parents by rank: the next rank towards the root, {@link #ROOT} or {@link #ABSENT}
 * @param goesUp whether elements go to the root
 * @param goesDown whether elements go from the root to all ranks of the tree
 * @param source the only rank that has elements to go up, or {@link #EVERY_RANK}
 * @param fromBytes where they begin in what ranks send
 * @param toBytes where they begin in what ranks receive
 * @param elements number of elements
 */
public record StreamPlan(
    int[] parents,
    boolean goesUp,
    boolean goesDown,
    int source,
    long fromBytes,
    long toBytes,
    long elements) {
  /** Of {@link #parents}: the root. */
  public static final int ROOT = -1;

  /** Of {@link #parents}: a rank that is not in the tree. */
  public static final int ABSENT = -2;

  /** Of {@link #source}: all ranks of the tree have elements. */
  public static final int EVERY_RANK = -1;

  /** Checks that the arrows lead to one root. */
  public StreamPlan {
    int roots = 0;
    for (int rank = 0; rank < parents.length; rank++) {
      roots += parents[rank] == ROOT ? 1 : 0;
      int at = rank;
      for (int steps = 0; parents[at] >= 0; steps++) {
        at = parents[at];
        if (at >= parents.length || steps == parents.length || parents[at] == ABSENT) {
          throw new IllegalArgumentException("no tree: parents " + Arrays.toString(parents));
        }
      }
    }
    if (roots != 1 || elements < 0) {
      throw new IllegalArgumentException(
          roots + " roots in " + Arrays.toString(parents) + ", " + elements + " elements");
    }
  }

  boolean has(int rank) {
    return parents[rank] != ABSENT;
  }

  boolean isRoot(int rank) {
    return parents[rank] == ROOT;
  }

  /** Whether a rank has elements of its own to go up. */
  boolean contributes(int rank) {
    return has(rank) && (source == EVERY_RANK || source == rank);
  }

  /** Whether what a rank sends to its parent is its own elements, as they are. */
  boolean isRaw(int rank) {
    return children(rank).length == 0 || source != EVERY_RANK;
  }

  /** In ascending order. */
  int[] children(int rank) {
    int[] found = new int[parents.length];
    int count = 0;
    for (int child = 0; child < parents.length; child++) {
      if (parents[child] == rank) {
        found[count++] = child;
      }
    }
    return Arrays.copyOf(found, count);
  }

  /** Links between the root and the rank farthest from it. */
  int depth() {
    int depth = 0;
    for (int rank = 0; rank < parents.length; rank++) {
      int steps = 0;
      for (int at = rank; parents[at] >= 0; at = parents[at]) {
        steps++;
      }
      depth = Math.max(depth, steps);
    }
    return depth;
  }
}
