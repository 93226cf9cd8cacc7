// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.BitSet;
import java.util.function.BiPredicate;

/**
 * Gives each pair of neighbours in a graph a colour, such that the pairs of one node all differ:
 * the pairs of one colour are a matching. Takes pairs in the order of their ranks, and of each the
 * least colour that neither of its ranks has yet, so that every rank finds the same. Has no state.
 *
 * <p>That is at most 2 d - 1 colours, where d is the max number of neighbours of a rank, and as few
 * as there can be on stars, lines, rings and full meshes of 2, 4, 8 ... ranks, where two ranks have
 * the colour of the bits that their numbers differ in.
 */
public final class EdgeColours {
  /** The colour of what are no neighbours. */
  public static final int NONE = 0;

  private EdgeColours() {}

  /**
   * @param areNeighbours asked for a lower and a higher rank
   * @return by both ranks, in either order: from 1 on, or {@link #NONE}
   */
  public static int[][] of(int size, BiPredicate<Integer, Integer> areNeighbours) {
    int[][] colours = new int[size][size];
    for (int low = 0; low < size; low++) {
      for (int high = low + 1; high < size; high++) {
        if (areNeighbours.test(low, high)) {
          colours[low][high] = colours[high][low] = firstFree(colours[low], colours[high]);
        }
      }
    }
    return colours;
  }

  private static int firstFree(int[] some, int[] others) {
    BitSet used = new BitSet();
    for (int i = 0; i < some.length; i++) {
      used.set(some[i]);
      used.set(others[i]);
    }
    return used.nextClearBit(NONE + 1);
  }
}
