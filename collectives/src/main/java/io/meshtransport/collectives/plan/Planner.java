// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Makes the plan of a graph. Pure and deterministic: the same graph gives the same plan on every
 * machine, though one rank plans for all, so that they need not rely on that.
 */
public final class Planner {
  /**
   * What a rank of a group is taken to fold: a core's rate, for kernels that go through the heap.
   */
  public static final long FOLD_BYTES_PER_SECOND = 8_000_000_000L;

  private Planner() {}

  /**
   * The plan for a graph as it is; measured rates are rounded first, see {@link MeasuredRates}.
   *
   * @param foldBytesPerSecond of operands that a rank folds; 0 if that costs nothing
   */
  public static CollectivePlan plan(LinkGraph graph, long foldBytesPerSecond) {
    return plan(graph, foldBytesPerSecond, false);
  }

  /**
   * As {@link #plan(LinkGraph, long)}.
   *
   * @param isOversubscribed whether some host has more ranks than processors
   */
  public static CollectivePlan plan(
      LinkGraph graph, long foldBytesPerSecond, boolean isOversubscribed) {
    TreePacking packing = SpanningTreePacker.pack(graph);
    ShortestRoutes routes = new ShortestRoutes(graph);
    int kinds = CollectiveKind.values().length;
    CollectivePlan plan =
        new CollectivePlan(
            graph,
            foldBytesPerSecond,
            (long) packing.bound(),
            packing.trees(),
            routes.flood(),
            broadcast(graph),
            allGather(graph),
            routes.paths(),
            Collections.nCopies(kinds, -1L),
            new RecursiveDoubling(HypercubeSearch.partners(graph), -1),
            isOversubscribed);
    PlanCosts costs = new PlanCosts(plan);
    List<Long> thresholds = Arrays.stream(CollectiveKind.values()).map(costs::threshold).toList();
    CollectivePlan withoutDoubling = with(plan, thresholds, plan.doubling());
    long maxBytes = new DoublingCosts(withoutDoubling).maxBytes();
    return with(plan, thresholds, new RecursiveDoubling(plan.doubling().partners(), maxBytes));
  }

  private static CollectivePlan with(
      CollectivePlan plan, List<Long> thresholds, RecursiveDoubling doubling) {
    return new CollectivePlan(
        plan.graph(),
        plan.foldBytesPerSecond(),
        plan.boundBytesPerSecond(),
        plan.allReduce(),
        plan.flood(),
        plan.broadcast(),
        plan.allGather(),
        plan.allToAll(),
        thresholds,
        doubling,
        plan.isOversubscribed());
  }

  private static List<List<SpanningTree>> broadcast(LinkGraph graph) {
    List<List<SpanningTree>> trees = new ArrayList<>();
    for (int root = 0; root < graph.size(); root++) {
      trees.add(graph.size() == 1 ? alone() : new OneWayPacker(graph, root).pack().get(0));
    }
    return trees;
  }

  private static List<List<SpanningTree>> allGather(LinkGraph graph) {
    return graph.size() == 1
        ? List.of(alone())
        : new OneWayPacker(graph, IntStream.range(0, graph.size()).toArray()).pack();
  }

  private static List<SpanningTree> alone() {
    return List.of(new SpanningTree(0, List.of(-1), 1));
  }
}
