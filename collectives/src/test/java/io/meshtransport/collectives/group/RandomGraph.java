// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Ranks with cables at random, which join all of them, and all but one that may be lost. */
final class RandomGraph {
  final int size;

  /** The one that the others do not need. */
  final int victim;

  private final boolean[][] isLinked;

  RandomGraph(Random random, int size) {
    this.size = size;
    isLinked = new boolean[size][size];
    // The last to be joined to the others: without it they are still joined.
    victim = random.nextInt(size);
    List<Integer> order = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      if (rank != victim) {
        order.add(random.nextInt(order.size() + 1), rank);
      }
    }
    order.add(victim);
    for (int i = 1; i < size; i++) {
      link(order.get(i), order.get(random.nextInt(i)));
    }
    for (int more = random.nextInt(size * size / 2 + 1); more > 0; more--) {
      link(random.nextInt(size), random.nextInt(size));
    }
  }

  /** Of 2, 4, 8 ... ranks: adds a hypercube whose corners are any of them. */
  void joinHypercube(Random random) {
    List<Integer> corners = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      corners.add(random.nextInt(corners.size() + 1), rank);
    }
    for (int corner = 0; corner < size; corner++) {
      for (int bit = 1; bit < size; bit <<= 1) {
        link(corners.get(corner), corners.get(corner ^ bit));
      }
    }
  }

  private void link(int one, int other) {
    isLinked[one][other] = isLinked[other][one] = one != other;
  }

  boolean areNeighbours(int one, int other) {
    return isLinked[one][other];
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(size + " ranks, cables");
    for (int one = 0; one < size; one++) {
      for (int other = one + 1; other < size; other++) {
        text.append(isLinked[one][other] ? " " + one + "-" + other : "");
      }
    }
    return text.toString();
  }
}
