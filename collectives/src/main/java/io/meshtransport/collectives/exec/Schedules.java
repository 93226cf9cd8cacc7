// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.collectives.plan.SpanningTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes the streams of each kind of operation of the trees that carry it. Has no state. */
public final class Schedules {
  private Schedules() {}

  /** Each tree reduces and distributes its share. */
  public static List<StreamPlan> allReduce(Routes routes, long count, int elementBytes) {
    return shares(routes.allReduce(), count, elementBytes, true, true, 0, 0);
  }

  /** Each tree takes its share to the root. */
  public static List<StreamPlan> reduce(Routes routes, int root, long count, int elementBytes) {
    return shares(routes.rootedAt(root), count, elementBytes, true, false, 0, 0);
  }

  /** Each tree takes its share from the root. */
  public static List<StreamPlan> broadcast(Routes routes, int root, long count, int elementBytes) {
    return shares(routes.rootedAt(root), count, elementBytes, false, true, 0, 0);
  }

  /** From each rank its elements to its block of all. */
  public static List<StreamPlan> allGather(Routes routes, long count, int elementBytes) {
    List<StreamPlan> streams = new ArrayList<>();
    for (int rank = 0; rank < routes.size(); rank++) {
      long block = rank * count * elementBytes;
      streams.addAll(
          shares(routes.besideOthersAt(rank), count, elementBytes, false, true, 0, block));
    }
    return streams;
  }

  /** To each rank its block of all. */
  public static List<StreamPlan> reduceScatter(Routes routes, long count, int elementBytes) {
    List<StreamPlan> streams = new ArrayList<>();
    for (int rank = 0; rank < routes.size(); rank++) {
      long block = rank * count * elementBytes;
      streams.addAll(
          shares(routes.besideOthersAt(rank), count, elementBytes, true, false, block, 0));
    }
    return streams;
  }

  /** From each rank to each over a shortest path. */
  public static List<StreamPlan> allToAll(Routes routes, long count, int elementBytes) {
    List<StreamPlan> streams = new ArrayList<>();
    for (int destination = 0; destination < routes.size(); destination++) {
      int[] tree = routes.shortest(destination);
      for (int source = 0; source < routes.size(); source++) {
        streams.add(
            new StreamPlan(
                path(tree, source),
                true,
                false,
                source,
                destination * count * elementBytes,
                source * count * elementBytes,
                count));
      }
    }
    return streams;
  }

  /** From one rank to another over a shortest path. */
  public static List<StreamPlan> sendReceive(
      Routes routes, int source, int destination, long count) {
    int[] path = path(routes.shortest(destination), source);
    return List.of(new StreamPlan(path, true, false, source, 0, 0, count));
  }

  private static int[] path(int[] tree, int source) {
    int[] path = new int[tree.length];
    Arrays.fill(path, StreamPlan.ABSENT);
    for (int at = source; at != StreamPlan.ROOT; at = tree[at]) {
      path[at] = tree[at];
    }
    return path;
  }

  private static List<StreamPlan> shares(
      List<SpanningTree> trees,
      long count,
      int elementBytes,
      boolean goesUp,
      boolean goesDown,
      long fromBytes,
      long toBytes) {
    double sum = trees.stream().mapToLong(SpanningTree::weight).sum();
    List<StreamPlan> streams = new ArrayList<>();
    long weight = 0;
    long begin = 0;
    for (int i = 0; i < trees.size(); i++) {
      weight += trees.get(i).weight();
      long end = i == trees.size() - 1 ? count : (long) (count * (weight / sum));
      long beginBytes = begin * elementBytes;
      streams.add(
          new StreamPlan(
              trees.get(i).parents().stream().mapToInt(Integer::intValue).toArray(),
              goesUp,
              goesDown,
              StreamPlan.EVERY_RANK,
              fromBytes + beginBytes,
              toBytes + beginBytes,
              end - begin));
      begin = end;
    }
    return streams;
  }
}
