// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * An exchange by pairs, as of recursive doubling: in each round a rank and its partner exchange all
 * that both have, so that after log2 n rounds each rank has what all had. Ranks that have the same
 * have it of the same rounds, so that partial results of them have the same bits. A value.
 *
 * @param partners by round, then by rank; none if no such pairs have links, or if there are fewer
 *     than 4 ranks
 * @param maxBytes up to this size an all-reduce exchanges partial results; -1 if it never does
 */
public record PairwiseExchange(List<List<Integer>> partners, long maxBytes) {
  /** Where ranks have no such partners. */
  public static final PairwiseExchange NONE = new PairwiseExchange(List.of(), -1);

  /** Each rank has memory for two partial results of each round and two more, twice over. */
  static final long MAX_BYTES = 1 << 20;

  private static final int MIN_RANKS = 4;

  /** Copies; checks that each round doubles what a rank has, for all ranks alike. */
  public PairwiseExchange {
    partners = partners.stream().map(List::copyOf).toList();
    boolean hasBound = maxBytes >= -1 && maxBytes <= MAX_BYTES;
    if (!hasBound || partners.isEmpty() && maxBytes >= 0 || !areDoubling(partners)) {
      throw new IllegalArgumentException(
          "no exchange by pairs: partners %s, up to %d bytes".formatted(partners, maxBytes));
    }
  }

  private static boolean areDoubling(List<List<Integer>> partners) {
    int size = 1 << partners.size();
    List<Long> blocks = new ArrayList<>();
    for (int rank = 0; rank < Math.min(size, Long.SIZE); rank++) {
      blocks.add(1L << rank);
    }
    for (List<Integer> round : partners) {
      if (size < MIN_RANKS || round.size() != blocks.size() || !arePairs(round)) {
        return false;
      }
      List<Long> before = blocks;
      blocks = new ArrayList<>();
      for (int rank = 0; rank < round.size(); rank++) {
        blocks.add(before.get(rank) | before.get(round.get(rank)));
      }
      // As many blocks of twice the length as that makes have no rank in common.
      Set<Long> distinct = new HashSet<>(blocks);
      int length = 2 * Long.bitCount(before.get(0));
      boolean isDoubled = blocks.stream().allMatch(each -> Long.bitCount(each) == length);
      if (!isDoubled || distinct.size() != round.size() / length) {
        return false;
      }
    }
    return true;
  }

  private static boolean arePairs(List<Integer> round) {
    for (int rank = 0; rank < round.size(); rank++) {
      int partner = round.get(rank);
      if (partner < 0 || partner >= round.size() || round.get(partner) != rank) {
        return false;
      }
    }
    return true;
  }

  /** Whether there are partners at all. */
  public boolean isPossible() {
    return !partners.isEmpty();
  }

  /** The tree over which what a rank has reaches all others, by rank, where it is passed on raw. */
  List<SpanningTree> trees() {
    List<SpanningTree> trees = new ArrayList<>();
    for (int root = 0; isPossible() && root < partners.get(0).size(); root++) {
      int[] parents = new int[partners.get(0).size()];
      parents[root] = -1;
      List<Integer> reached = new ArrayList<>(List.of(root));
      for (List<Integer> round : partners) {
        for (int rank : List.copyOf(reached)) {
          parents[round.get(rank)] = rank;
          reached.add(round.get(rank));
        }
      }
      trees.add(TreeShares.tree(parents, 1));
    }
    return trees;
  }
}
