// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds a hypercube among the links of 4, 8, 16 ... ranks: a ring of four is one, and so are some
 * links of a full mesh. Places ranks at its corners, whose numbers differ in one binary digit where
 * an edge joins them; takes ranks in ascending order, so that it finds the same on every host and
 * neighbours in number come together first. Gives up after so many steps that 16 ranks with few
 * links are far from it. Used once.
 */
final class HypercubeSearch {
  private static final int MAX_STEPS = 20_000;
  private static final int MIN_RANKS = 4;

  private final boolean[][] links;

  /** By corner. */
  private final int[] ranks;

  private final boolean[] isPlaced;
  private int steps;

  private HypercubeSearch(LinkGraph graph) {
    int size = graph.size();
    links = new boolean[size][size];
    for (GraphLink each : graph.links()) {
      links[each.one()][each.other()] = true;
      links[each.other()][each.one()] = true;
    }
    ranks = new int[size];
    isPlaced = new boolean[size];
  }

  /** By dimension, then by rank: the rank at the other end of the edge; none if there is none. */
  static List<List<Integer>> partners(LinkGraph graph) {
    int size = graph.size();
    HypercubeSearch search = new HypercubeSearch(graph);
    boolean isFound = size >= MIN_RANKS && Integer.bitCount(size) == 1 && search.placeFrom(1);
    return isFound ? search.partners() : List.of();
  }

  /** All corners are alike, so rank 0 is at the first. */
  private boolean placeFrom(int corner) {
    if (corner == ranks.length) {
      return true;
    }
    if (++steps > MAX_STEPS) {
      return false;
    }
    for (int rank = 1; rank < ranks.length; rank++) {
      if (!isPlaced[rank] && fits(corner, rank)) {
        ranks[corner] = rank;
        isPlaced[rank] = true;
        if (placeFrom(corner + 1)) {
          return true;
        }
        isPlaced[rank] = false;
      }
    }
    return false;
  }

  /** Whether links join it to all lower corners that it has edges to. */
  private boolean fits(int corner, int rank) {
    for (int bit = 1; bit <= corner; bit <<= 1) {
      if ((corner & bit) != 0 && !links[rank][ranks[corner ^ bit]]) {
        return false;
      }
    }
    return true;
  }

  private List<List<Integer>> partners() {
    List<List<Integer>> partners = new ArrayList<>();
    for (int bit = 1; bit < ranks.length; bit <<= 1) {
      Integer[] round = new Integer[ranks.length];
      for (int corner = 0; corner < ranks.length; corner++) {
        round[ranks[corner]] = ranks[corner ^ bit];
      }
      partners.add(List.of(round));
    }
    return partners;
  }
}
