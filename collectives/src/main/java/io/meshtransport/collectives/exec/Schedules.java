// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.collectives.plan.RoutedPath;
import io.meshtransport.collectives.plan.SpanningTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes the streams of each kind of operation of the trees that carry it. Has no state. */
public final class Schedules {
  private Schedules() {}

  /** Each tree reduces and distributes its share. */
  public static List<StreamPlan> allReduce(TreeRoutes routes, long count, int elementBytes) {
    return shares(routes.allReduce(), count, elementBytes, true, true, 0, 0);
  }

  /** Each tree takes its share to the root. */
  public static List<StreamPlan> reduce(TreeRoutes routes, int root, long count, int elementBytes) {
    return shares(routes.rootedAt(root), count, elementBytes, true, false, 0, 0);
  }

  /** Each tree takes its share from the root. */
  public static List<StreamPlan> broadcast(
      TreeRoutes routes, int root, long count, int elementBytes) {
    return shares(routes.rootedAt(root), count, elementBytes, false, true, 0, 0);
  }

  /** From each rank its elements to its block of all. */
  public static List<StreamPlan> allGather(TreeRoutes routes, long count, int elementBytes) {
    List<StreamPlan> streams = new ArrayList<>();
    for (int rank = 0; rank < routes.size(); rank++) {
      long block = rank * count * elementBytes;
      streams.addAll(
          shares(routes.besideOthersAt(rank), count, elementBytes, false, true, 0, block));
    }
    return streams;
  }

  /** To each rank its block of all. */
  public static List<StreamPlan> reduceScatter(TreeRoutes routes, long count, int elementBytes) {
    List<StreamPlan> streams = new ArrayList<>();
    for (int rank = 0; rank < routes.size(); rank++) {
      long block = rank * count * elementBytes;
      streams.addAll(
          shares(routes.besideOthersAt(rank), count, elementBytes, true, false, block, 0));
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
      streams.add(
          new StreamPlan(
              parents.get(i),
              true,
              false,
              source,
              fromBytes + beginBytes,
              toBytes + beginBytes,
              begins[i + 1] - begins[i]));
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
      streams.add(
          new StreamPlan(
              parents(trees.get(i)),
              goesUp,
              goesDown,
              StreamPlan.EVERY_RANK,
              fromBytes + beginBytes,
              toBytes + beginBytes,
              begins[i + 1] - begins[i]));
    }
    return streams;
  }

  /** By rank, {@link StreamPlan#ROOT} at the root. */
  public static int[] parents(SpanningTree tree) {
    return tree.parents().stream().mapToInt(Integer::intValue).toArray();
  }
}
