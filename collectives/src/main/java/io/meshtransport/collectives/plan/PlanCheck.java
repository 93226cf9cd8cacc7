// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.List;

/** Whether the parts of a plan fit its graph. Throws {@link IllegalArgumentException} if not. */
final class PlanCheck {
  /** Sums of many weights stay far below the limit of a long. */
  static final long MAX_WEIGHT = 1L << 31;

  private final LinkGraph graph;
  private final boolean[][] links;

  PlanCheck(LinkGraph graph) {
    this.graph = graph;
    links = new boolean[graph.size()][graph.size()];
    for (GraphLink each : graph.links()) {
      links[each.one()][each.other()] = true;
      links[each.other()][each.one()] = true;
    }
  }

  PlanCheck rates(long fold, long bound) {
    require(fold >= 0, "a fold of %d bytes/s", fold);
    require(bound > 0, "a bound of %d bytes/s", bound);
    return this;
  }

  PlanCheck trees(String what, List<SpanningTree> trees) {
    require(
        !trees.isEmpty() && trees.size() <= CollectivePlan.MAX_TREES,
        "%s: %d trees",
        what,
        trees.size());
    for (SpanningTree each : trees) {
      require(
          each.size() == graph.size(),
          "%s: a tree of %d ranks in a graph of %d",
          what,
          each.size(),
          graph.size());
      require(each.weight() <= MAX_WEIGHT, "%s: a weight of %d", what, each.weight());
      for (int rank = 0; rank < each.size(); rank++) {
        int parent = each.parents().get(rank);
        require(
            parent < 0 || links[rank][parent],
            "%s: a tree uses a link of ranks %d and %d, which have none",
            what,
            rank,
            parent);
      }
    }
    return this;
  }

  PlanCheck rooted(String what, List<List<SpanningTree>> groups) {
    require(groups.size() == graph.size(), "%s: trees of %d roots", what, groups.size());
    for (int root = 0; root < groups.size(); root++) {
      trees(what, groups.get(root));
      for (SpanningTree each : groups.get(root)) {
        require(each.root() == root, "%s: a tree of root %d with root %d", what, root, each.root());
      }
    }
    return this;
  }

  PlanCheck paths(List<List<RoutedPath>> all) {
    int size = graph.size();
    require(all.size() == size * size, "all-to-all: paths of %d pairs", all.size());
    for (int pair = 0; pair < all.size(); pair++) {
      int source = pair / size;
      int destination = pair % size;
      List<RoutedPath> paths = all.get(pair);
      require(
          paths.isEmpty() == (source == destination) && paths.size() <= CollectivePlan.MAX_TREES,
          "all-to-all: %d paths from rank %d to %d",
          paths.size(),
          source,
          destination);
      paths.forEach(each -> path(each, source, destination));
    }
    return this;
  }

  private void path(RoutedPath path, int source, int destination) {
    require(
        path.source() == source && path.destination() == destination && path.weight() <= MAX_WEIGHT,
        "all-to-all: %s from rank %d to %d",
        path,
        source,
        destination);
    for (int i = 1; i < path.ranks().size(); i++) {
      int from = path.ranks().get(i - 1);
      int to = path.ranks().get(i);
      require(
          Math.min(from, to) >= 0 && Math.max(from, to) < graph.size() && links[from][to],
          "all-to-all: a path uses a link of ranks %d and %d, which have none",
          from,
          to);
    }
  }

  PlanCheck thresholds(List<Long> oneShotMaxBytes) {
    require(
        oneShotMaxBytes.size() == CollectiveKind.values().length
            && oneShotMaxBytes.stream().allMatch(each -> each >= -1),
        "one-shot up to %s bytes",
        oneShotMaxBytes);
    return this;
  }

  PlanCheck doubling(RecursiveDoubling doubling) {
    for (int i = 0; i < doubling.partners().size(); i++) {
      List<Integer> round = doubling.partners().get(i);
      require(
          round.size() == graph.size(),
          "recursive doubling of %d ranks in a graph of %d",
          round.size(),
          graph.size());
      for (int rank = 0; rank < round.size(); rank++) {
        require(
            links[rank][round.get(rank)],
            "recursive doubling: round %d uses a link of ranks %d and %d, which have none",
            i,
            rank,
            round.get(rank));
      }
    }
    return this;
  }

  private static void require(boolean condition, String format, Object... values) {
    if (!condition) {
      throw new IllegalArgumentException("no plan: " + format.formatted(values));
    }
  }
}
