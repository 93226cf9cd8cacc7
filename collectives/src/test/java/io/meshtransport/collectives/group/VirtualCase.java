// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.ReductionOrder;
import io.meshtransport.collectives.exec.Blueprint;
import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.Planner;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * What a seed says of a group: the graph of its cables, its plan and its operations; and the same
 * of the group that goes on without one of its ranks. A value.
 */
record VirtualCase(long seed, RandomGraph cables, List<Part> parts) {
  static final long MIX = 0x9E3779B97F4A7C15L;
  private static final int MAX_SIZE = 8;

  /**
   * One of the two groups.
   *
   * @param nodes by rank
   * @param blueprints of the operations
   */
  record Part(
      int number,
      List<Integer> nodes,
      JoinedGraph graph,
      List<OperationSpec> operations,
      List<Blueprint> blueprints) {}

  static VirtualCase of(long seed) {
    Random random = new Random(seed * MIX);
    RandomGraph cables = cables(random);
    boolean isOversubscribed = random.nextBoolean();
    List<JoinedGraph.Link> links = links(cables, random);
    List<Integer> all = IntStream.range(0, cables.size).boxed().toList();
    List<Integer> others = all.stream().filter(each -> each != cables.victim).toList();
    return new VirtualCase(
        seed,
        cables,
        List.of(
            part(0, all, links, isOversubscribed, operations(random, 3)),
            part(1, others, links, isOversubscribed, operations(random, 1))));
  }

  /** In some a square or a cube among others, for what pairs of ranks exchange. */
  private static RandomGraph cables(Random random) {
    if (random.nextInt(4) > 0) {
      return new RandomGraph(random, 2 + random.nextInt(MAX_SIZE - 1));
    }
    RandomGraph cables = new RandomGraph(random, 4 << random.nextInt(2));
    cables.joinHypercube(random);
    return cables;
  }

  private static List<JoinedGraph.Link> links(RandomGraph cables, Random random) {
    List<JoinedGraph.Link> links = new ArrayList<>();
    // Plans of rates that differ take longer to compute than all else.
    int rates = random.nextInt(8) == 0 ? 4 : 1;
    for (int one = 0; one < cables.size; one++) {
      for (int other = one + 1; other < cables.size; other++) {
        int count = cables.areNeighbours(one, other) ? 1 + random.nextInt(4) / 3 : 0;
        long rate = 125_000_000L * (1 + random.nextInt(rates));
        for (int cable = 0; cable < count; cable++) {
          links.add(new JoinedGraph.Link(one, other, rate, 16_384, false, cable));
        }
      }
    }
    return links;
  }

  /** Most are short; those of several chunks take longer to compute. */
  private static List<OperationSpec> operations(Random random, int count) {
    List<OperationSpec> operations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int elements = random.nextInt(16) == 0 ? random.nextInt(12_000) : random.nextInt(200);
      ReductionOrder order =
          random.nextInt(3) == 0 ? ReductionOrder.RANK_ORDER : ReductionOrder.SAME_PLAN;
      boolean isGather = random.nextInt(4) == 0;
      operations.add(
          isGather
              ? OperationSpec.of(OperationSpec.Kind.ALL_GATHER, elements, DataType.F32)
              : OperationSpec.of(
                  OperationSpec.Kind.ALL_REDUCE,
                  elements,
                  DataType.F32,
                  ReduceOp.SUM,
                  -1,
                  CollectiveOptions.DEFAULT.order(order)));
    }
    return operations;
  }

  private static Part part(
      int number,
      List<Integer> nodes,
      List<JoinedGraph.Link> links,
      boolean isOversubscribed,
      List<OperationSpec> operations) {
    List<JoinedGraph.Link> own =
        links.stream()
            .filter(each -> nodes.contains(each.one()) && nodes.contains(each.other()))
            .map(
                each ->
                    new JoinedGraph.Link(
                        nodes.indexOf(each.one()),
                        nodes.indexOf(each.other()),
                        each.bytesPerSecond(),
                        each.latencyNs(),
                        false,
                        each.cable()))
            .toList();
    LinkGraph graph =
        new LinkGraph(
            nodes.stream().map(each -> "node-" + each).toList(),
            own.stream()
                .map(
                    each ->
                        new GraphLink(
                            each.one(), each.other(), each.bytesPerSecond(), each.latencyNs()))
                .toList());
    JoinedGraph joined = new JoinedGraph(nodes.size(), own);
    Planning planning =
        new Planning(Planner.plan(graph, Planner.FOLD_BYTES_PER_SECOND, isOversubscribed), joined);
    return new Part(
        number, nodes, joined, operations, operations.stream().map(planning::blueprint).toList());
  }

  @Override
  public String toString() {
    return "seed " + seed + ": " + cables;
  }
}
