// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.collectives.plan.RoutedPath;
import io.meshtransport.collectives.plan.SpanningTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Makes the streams of each kind of operation of the trees that carry it. Has no state. */
public final class Schedules {
  private static final int SLOT_BYTES = 64;

  /** Of all pairs of ranks together; the results of an ordered reduction need streams, too. */
  private static final int MAX_PATHS = TreeProgram.MAX_STREAMS / 8;

  /** With four cables each, and with results, pairs of more ranks have more than all streams. */
  private static final int MAX_RANKS_OVER_CABLES = 22;

  private Schedules() {}

  /** Each tree reduces and distributes its share. */
  public static List<StreamPlan> allReduce(TreeRoutes routes, long count, int elementBytes) {
    return shares(routes, routes.allReduce(), count, elementBytes, true, true, 0, 0);
  }

  /** Each tree takes its share to the root. */
  public static List<StreamPlan> reduce(TreeRoutes routes, int root, long count, int elementBytes) {
    return shares(routes, routes.rootedAt(root), count, elementBytes, true, false, 0, 0);
  }

  /** Each tree takes its share from the root. */
  public static List<StreamPlan> broadcast(
      TreeRoutes routes, int root, long count, int elementBytes) {
    return shares(routes, routes.rootedAt(root), count, elementBytes, false, true, 0, 0);
  }

  /** From each rank its elements to its block of all. */
  public static List<StreamPlan> allGather(TreeRoutes routes, long count, int elementBytes) {
    List<StreamPlan> streams = new ArrayList<>();
    for (int rank = 0; rank < routes.size(); rank++) {
      long block = rank * count * elementBytes;
      streams.addAll(
          shares(routes, routes.besideOthersAt(rank), count, elementBytes, false, true, 0, block));
    }
    return streams;
  }

  /** To each rank its block of all. */
  public static List<StreamPlan> reduceScatter(TreeRoutes routes, long count, int elementBytes) {
    List<StreamPlan> streams = new ArrayList<>();
    for (int rank = 0; rank < routes.size(); rank++) {
      long block = rank * count * elementBytes;
      streams.addAll(
          shares(routes, routes.besideOthersAt(rank), count, elementBytes, true, false, block, 0));
    }
    return streams;
  }

  /**
   * From each rank to each over the paths between them, of many ranks not over all; to itself
   * without any.
   */
  public static List<StreamPlan> allToAll(TreeRoutes routes, long count, int elementBytes) {
    int maxPaths = TreeProgram.MAX_STREAMS / (routes.size() * routes.size());
    List<StreamPlan> streams = new ArrayList<>();
    for (int destination = 0; destination < routes.size(); destination++) {
      for (int source = 0; source < routes.size(); source++) {
        long fromBytes = destination * count * elementBytes;
        long toBytes = source * count * elementBytes;
        List<RoutedPath> paths = some(routes.paths(source, destination), source, maxPaths);
        streams.addAll(
            paths(routes, paths, source, destination, count, elementBytes, fromBytes, toBytes));
      }
    }
    return streams;
  }

  /** In the order of ranks: each rank gets all operands of one block, and sends its reduction. */
  public static OrderedProgram ordered(
      TreeRoutes routes,
      OrderedProgram.Ending ending,
      int root,
      long count,
      int elementBytes,
      int chunkElements) {
    int size = routes.size();
    List<Long> begins = new ArrayList<>();
    for (int rank = 0; rank <= size; rank++) {
      boolean isBlock = ending == OrderedProgram.Ending.STAYS;
      begins.add(isBlock ? rank * count : count / size * rank + count % size * rank / size);
    }
    List<StreamPlan> streams = inputs(routes, begins, elementBytes);
    int inputs = streams.size();
    for (int rank = 0; rank < size; rank++) {
      long at = begins.get(rank) * elementBytes;
      long elements = begins.get(rank + 1) - begins.get(rank);
      switch (ending) {
        case TO_ALL ->
            streams.addAll(
                shares(
                    routes,
                    few(routes.besideOthersAt(rank), (TreeProgram.MAX_STREAMS - inputs) / size),
                    elements,
                    elementBytes,
                    false,
                    true,
                    at,
                    at));
        case TO_ROOT ->
            streams.addAll(
                paths(
                    routes,
                    orderedPaths(routes, rank, root),
                    rank,
                    root,
                    elements,
                    elementBytes,
                    0,
                    at));
        case STAYS -> {}
      }
    }
    return new OrderedProgram(new TreeProgram(streams, chunkElements), inputs, begins, ending);
  }

  /** Of all pairs together not more than a notice can name. */
  private static List<RoutedPath> orderedPaths(TreeRoutes routes, int source, int destination) {
    int max = Math.max(1, MAX_PATHS / (routes.size() * routes.size()));
    return some(routes.paths(source, destination), source, max);
  }

  private static List<SpanningTree> few(List<SpanningTree> trees, int max) {
    return trees.subList(0, Math.min(trees.size(), max));
  }

  /** From each rank the block of each other, to a slot there. */
  private static List<StreamPlan> inputs(TreeRoutes routes, List<Long> begins, int elementBytes) {
    List<StreamPlan> streams = new ArrayList<>();
    long slot = operandSlot(begins, elementBytes);
    for (int destination = 0; destination < routes.size(); destination++) {
      long at = begins.get(destination) * elementBytes;
      long elements = begins.get(destination + 1) - begins.get(destination);
      for (int source = 0; source < routes.size(); source++) {
        if (source != destination) {
          streams.addAll(
              paths(
                  routes,
                  orderedPaths(routes, source, destination),
                  source,
                  destination,
                  elements,
                  elementBytes,
                  at,
                  slot * source));
        }
      }
    }
    return streams;
  }

  /** Bytes of the longest block, in whole cache lines. */
  static long operandSlot(List<Long> begins, int elementBytes) {
    long most = 0;
    for (int rank = 1; rank < begins.size(); rank++) {
      most = Math.max(most, begins.get(rank) - begins.get(rank - 1));
    }
    return (most * elementBytes + SLOT_BYTES - 1) / SLOT_BYTES * SLOT_BYTES;
  }

  /** From one rank to another over the paths between them. */
  public static List<StreamPlan> sendReceive(
      TreeRoutes routes, int source, int destination, long count, int elementBytes) {
    List<RoutedPath> paths = routes.paths(source, destination);
    return paths(routes, paths, source, destination, count, elementBytes, 0, 0);
  }

  /**
   * Other sources begin with other paths, which are in the order of ranks: so all links are used.
   */
  private static List<RoutedPath> some(List<RoutedPath> paths, int source, int maxPaths) {
    List<RoutedPath> some = new ArrayList<>();
    for (int i = 0; i < Math.min(maxPaths, paths.size()); i++) {
      some.add(paths.get((source + i) % paths.size()));
    }
    return some;
  }

  private static List<StreamPlan> paths(
      TreeRoutes routes,
      List<RoutedPath> paths,
      int source,
      int destination,
      long count,
      int elementBytes,
      long fromBytes,
      long toBytes) {
    List<int[]> parents = new ArrayList<>();
    List<Long> weights = new ArrayList<>();
    if (source == destination) {
      parents.add(path(routes.size(), List.of(source)));
      weights.add(1L);
    }
    for (RoutedPath each : paths) {
      parents.add(path(routes.size(), each.ranks()));
      weights.add(each.weight());
    }
    List<StreamPlan> streams = new ArrayList<>();
    long[] begins = begins(weights, count);
    for (int i = 0; i < parents.size(); i++) {
      long beginBytes = begins[i] * elementBytes;
      StreamPlan whole =
          new StreamPlan(
              parents.get(i),
              true,
              false,
              source,
              fromBytes + beginBytes,
              toBytes + beginBytes,
              begins[i + 1] - begins[i]);
      streams.addAll(overCables(routes, whole, elementBytes));
    }
    return streams;
  }

  private static int[] path(int size, List<Integer> ranks) {
    int[] path = new int[size];
    Arrays.fill(path, StreamPlan.ABSENT);
    for (int i = 1; i < ranks.size(); i++) {
      path[ranks.get(i - 1)] = ranks.get(i);
    }
    path[ranks.get(ranks.size() - 1)] = StreamPlan.ROOT;
    return path;
  }

  /** Where the share of each weight begins; the last is the end of all. */
  private static long[] begins(List<Long> weights, long count) {
    double sum = weights.stream().mapToLong(Long::longValue).sum();
    long[] begins = new long[weights.size() + 1];
    long weight = 0;
    for (int i = 1; i < weights.size(); i++) {
      weight += weights.get(i - 1);
      begins[i] = (long) (count * (weight / sum));
    }
    begins[weights.size()] = count;
    return begins;
  }

  private static List<StreamPlan> shares(
      TreeRoutes routes,
      List<SpanningTree> trees,
      long count,
      int elementBytes,
      boolean goesUp,
      boolean goesDown,
      long fromBytes,
      long toBytes) {
    long[] begins = begins(trees.stream().map(SpanningTree::weight).toList(), count);
    List<StreamPlan> streams = new ArrayList<>();
    for (int i = 0; i < trees.size(); i++) {
      long beginBytes = begins[i] * elementBytes;
      StreamPlan whole =
          new StreamPlan(
              parents(trees.get(i)),
              goesUp,
              goesDown,
              StreamPlan.EVERY_RANK,
              fromBytes + beginBytes,
              toBytes + beginBytes,
              begins[i + 1] - begins[i]);
      streams.addAll(overCables(routes, whole, elementBytes));
    }
    return streams;
  }

  /** As many streams as the most cables between two of its ranks, which share its elements. */
  private static List<StreamPlan> overCables(
      TreeRoutes routes, StreamPlan whole, int elementBytes) {
    int[] parents = whole.parents();
    int cables = 1;
    for (int rank = 0; rank < parents.length; rank++) {
      cables = parents[rank] < 0 ? cables : Math.max(cables, routes.cables(rank, parents[rank]));
    }
    // Groups that have more streams anyway than links need no more of them.
    if (cables == 1 || routes.size() > MAX_RANKS_OVER_CABLES) {
      return List.of(whole);
    }
    List<StreamPlan> streams = new ArrayList<>();
    long[] begins = begins(Collections.nCopies(cables, 1L), whole.elements());
    for (int i = 0; i < cables; i++) {
      streams.add(
          new StreamPlan(
              parents,
              whole.goesUp(),
              whole.goesDown(),
              whole.source(),
              whole.fromBytes() + begins[i] * elementBytes,
              whole.toBytes() + begins[i] * elementBytes,
              begins[i + 1] - begins[i]));
    }
    return streams;
  }

  /** By rank, {@link StreamPlan#ROOT} at the root. */
  public static int[] parents(SpanningTree tree) {
    return tree.parents().stream().mapToInt(Integer::intValue).toArray();
  }
}
