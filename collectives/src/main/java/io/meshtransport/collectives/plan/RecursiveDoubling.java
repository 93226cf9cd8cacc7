// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * By which pairs of ranks recursive doubling goes: in each round a rank and its partner exchange
 * all that both have, so that after log2 n rounds each rank has what all had. Ranks that have the
 * same have it of the same rounds, so that partial results of them have the same bits. A value.
 *
 * @param partners by round, then by rank; none if no such pairs have links, or if there are fewer
 *     than 4 ranks
 * @param maxBytes up to this size an all-reduce exchanges partial results; -1 if it never does
 */
public record RecursiveDoubling(List<List<Integer>> partners, long maxBytes) {
  /** Where ranks have no such partners. */
  public static final RecursiveDoubling NONE = new RecursiveDoubling(List.of(), -1);

  /** Each rank has memory for two partial results of each round and two more, twice over. */
  static final long MAX_BYTES = 1 << 20;

  private static final int MIN_ROUNDS = 2;

  /** As many as double one rank to the most that there can be. */
  private static final int MAX_ROUNDS = Integer.numberOfTrailingZeros(LinkGraph.MAX_RANKS);

  /**
   * Copies; checks that each round doubles what a rank has, for all ranks alike.
   *
   * @throws IllegalArgumentException if not, with the first round and rank that do not
   */
  public RecursiveDoubling {
    partners = partners.stream().map(List::copyOf).toList();
    require(
        maxBytes >= -1 && maxBytes <= (partners.isEmpty() ? -1 : MAX_BYTES),
        "up to %d bytes, and -1 to %d are possible with %d rounds",
        maxBytes,
        partners.isEmpty() ? -1 : MAX_BYTES,
        partners.size());
    if (!partners.isEmpty()) {
      requireDoubling(partners);
    }
  }

  private static void requireDoubling(List<List<Integer>> partners) {
    int rounds = partners.size();
    require(
        rounds >= MIN_ROUNDS && rounds <= MAX_ROUNDS,
        "%d rounds, and %d to %d are possible",
        rounds,
        MIN_ROUNDS,
        MAX_ROUNDS);
    List<Long> blocks = new ArrayList<>();
    for (int rank = 0; rank < 1 << rounds; rank++) {
      blocks.add(1L << rank);
    }
    for (int round = 0; round < rounds; round++) {
      requirePairs(round, partners.get(round), blocks.size());
      blocks = doubled(round, partners.get(round), blocks);
    }
  }

  private static void requirePairs(int round, List<Integer> partners, int size) {
    require(
        partners.size() == size,
        "round %d has partners of %d ranks, not of %d",
        round,
        partners.size(),
        size);
    for (int rank = 0; rank < size; rank++) {
      int partner = partners.get(rank);
      require(
          partner >= 0 && partner < size && partner != rank && partners.get(partner) == rank,
          "round %d: rank %d and partner %d are no pair",
          round,
          rank,
          partner);
    }
  }

  /** What each rank has after a round, a bit for each rank: all of each block have the same. */
  private static List<Long> doubled(int round, List<Integer> partners, List<Long> before) {
    List<Long> blocks = new ArrayList<>();
    for (int rank = 0; rank < before.size(); rank++) {
      blocks.add(before.get(rank) | before.get(partners.get(rank)));
    }
    for (int rank = 0; rank < before.size(); rank++) {
      long block = blocks.get(rank);
      boolean isDoubled = Long.bitCount(block) == 2 << round;
      for (int other = 0; other < before.size(); other++) {
        boolean isInBlock = (block >>> other & 1) != 0;
        isDoubled &= !isInBlock || blocks.get(other) == block;
      }
      require(isDoubled, "round %d does not double what rank %d has", round, rank);
    }
    return blocks;
  }

  private static void require(boolean condition, String format, Object... values) {
    if (!condition) {
      throw new IllegalArgumentException("no recursive doubling: " + format.formatted(values));
    }
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
