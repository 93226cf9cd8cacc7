// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.Arrays;
import java.util.List;

/**
 * What trees use up: a row for each pair of ranks with a link, and one for each rank with a limit.
 * Undirected for trees that are used up and down, where a pair is one row; directed for trees that
 * are used one way. Rates are shares of the greatest, so that they are near 1.
 */
final class CapacityRows {
  private static final int NONE = -1;

  /** Of pairs of ranks: a linear program over fewer takes some milliseconds. */
  private static final int MANY_LINKS = 30;

  /** By tail and head: its row. */
  private final int[][] link;

  /** By rank: the row of what it sends, and of what it receives; undirected, they are the same. */
  private final int[] sending;

  private final int[] receiving;
  private final double[] capacities;

  /** Bytes per second of a capacity of 1. */
  private final double unit;

  private CapacityRows(LinkGraph graph, boolean isDirected) {
    int ranks = graph.size();
    link = new int[ranks][ranks];
    sending = new int[ranks];
    receiving = new int[ranks];
    double[] rates = new double[ranks * ranks + 2 * ranks];
    int rows = 0;
    for (int tail = 0; tail < ranks; tail++) {
      Arrays.fill(link[tail], NONE);
    }
    for (int tail = 0; tail < ranks; tail++) {
      for (int head = isDirected ? 0 : tail + 1; head < ranks; head++) {
        long rate = tail == head ? 0 : graph.bytesPerSecond(tail, head);
        if (rate > 0) {
          link[tail][head] = rows;
          if (!isDirected) {
            link[head][tail] = rows;
          }
          rates[rows++] = rate;
        }
      }
    }
    for (int rank = 0; rank < ranks; rank++) {
      boolean isLimited = graph.limits().get(rank) > 0;
      sending[rank] = isLimited ? rows : NONE;
      receiving[rank] = isLimited && isDirected ? rows + 1 : sending[rank];
      for (int i = 0; isLimited && i < (isDirected ? 2 : 1); i++) {
        rates[rows++] = graph.limits().get(rank);
      }
    }
    unit = Math.max(1, Arrays.stream(rates).max().orElse(1));
    capacities = Arrays.stream(rates).limit(rows).map(each -> each / unit).toArray();
  }

  /** For trees that reduce to their root and broadcast from it: each direction carries the same. */
  static CapacityRows undirected(LinkGraph graph) {
    return new CapacityRows(graph, false);
  }

  /** For trees that only broadcast. */
  static CapacityRows directed(LinkGraph graph) {
    return new CapacityRows(graph, true);
  }

  int ranks() {
    return link.length;
  }

  /** By row. */
  double[] capacities() {
    return capacities.clone();
  }

  int count() {
    return capacities.length;
  }

  double unit() {
    return unit;
  }

  boolean hasLink(int tail, int head) {
    return link[tail][head] != NONE;
  }

  /** By tail and head: what a link carries; 0 where none is. */
  double[][] linkCapacities() {
    double[][] all = new double[link.length][link.length];
    for (int tail = 0; tail < link.length; tail++) {
      for (int head = 0; head < link.length; head++) {
        all[tail][head] = hasLink(tail, head) ? capacities[link[tail][head]] : 0;
      }
    }
    return all;
  }

  /**
   * Whether there are so many links, of rates that differ, that a linear program over them takes
   * long; ranks have no limits besides.
   */
  boolean isDense() {
    boolean hasLimits = Arrays.stream(sending).anyMatch(row -> row != NONE);
    boolean isUniform = Arrays.stream(capacities).allMatch(each -> each == capacities[0]);
    int links = link.length * (link.length - 1) / 2;
    return links > MANY_LINKS && capacities.length >= links / 3 && !isUniform && !hasLimits;
  }

  /** Of what a rank sends over its links, given all capacities: at most its limit. */
  double capacityOf(int rank, double[] all) {
    double links = 0;
    for (int row : link[rank]) {
      links += row == NONE ? 0 : all[row];
    }
    return sending[rank] == NONE ? links : Math.min(links, all[sending[rank]]);
  }

  /** What a link costs from tail to head, given what each row does; infinite where none is. */
  double[][] costs(double[] prices) {
    double[][] costs = new double[link.length][link.length];
    for (int tail = 0; tail < link.length; tail++) {
      for (int head = 0; head < link.length; head++) {
        costs[tail][head] =
            hasLink(tail, head)
                ? price(prices, link[tail][head])
                    + price(prices, sending[tail])
                    + price(prices, receiving[head])
                : Double.POSITIVE_INFINITY;
      }
    }
    return costs;
  }

  private static double price(double[] prices, int row) {
    return row == NONE ? 0 : Math.max(0, prices[row]);
  }

  /** How often a tree uses each row. */
  double[] uses(List<Integer> parents) {
    return uses(parents.stream().mapToInt(Integer::intValue).toArray());
  }

  /** How often a tree uses each row. */
  double[] uses(int[] parents) {
    double[] uses = new double[capacities.length];
    for (int rank = 0; rank < parents.length; rank++) {
      int parent = parents[rank];
      if (parent >= 0) {
        add(uses, link[parent][rank]);
        add(uses, sending[parent]);
        add(uses, receiving[rank]);
      }
    }
    return uses;
  }

  /** How often a path uses each row. */
  double[] usesOfPath(List<Integer> ranks) {
    double[] uses = new double[capacities.length];
    for (int i = 1; i < ranks.size(); i++) {
      add(uses, link[ranks.get(i - 1)][ranks.get(i)]);
      add(uses, sending[ranks.get(i - 1)]);
      add(uses, receiving[ranks.get(i)]);
    }
    return uses;
  }

  private static void add(double[] uses, int row) {
    if (row != NONE) {
      uses[row]++;
    }
  }

  /** Bytes per second of all the trees together, if each has a share as its weight says. */
  double bytesPerSecond(List<SpanningTree> trees) {
    return bytesPerSecondEach(List.of(trees));
  }

  /**
   * Bytes per second of each group of trees, if all groups are used at once and each tree has the
   * share of its group that its weight says.
   */
  double bytesPerSecondEach(List<List<SpanningTree>> groups) {
    double[] loads = new double[capacities.length];
    for (List<SpanningTree> group : groups) {
      double sum = group.stream().mapToLong(SpanningTree::weight).sum();
      for (SpanningTree each : group) {
        addTo(loads, uses(each.parents()), each.weight() / sum);
      }
    }
    return rate(loads) * unit;
  }

  static void addTo(double[] loads, double[] uses, double share) {
    for (int row = 0; row < loads.length; row++) {
      loads[row] += uses[row] * share;
    }
  }

  /** How often these loads fit into a second. */
  double rate(double[] loads) {
    double rate = Double.POSITIVE_INFINITY;
    for (int row = 0; row < capacities.length; row++) {
      rate = loads[row] == 0 ? rate : Math.min(rate, capacities[row] / loads[row]);
    }
    return rate;
  }
}
