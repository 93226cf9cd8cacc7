// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static io.meshtransport.collectives.ReductionOrder.SAME_PLAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Precision;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Reducer;
import io.meshtransport.collectives.ReductionOrder;
import io.meshtransport.collectives.exec.Blueprint;
import io.meshtransport.collectives.exec.DoublingProgram;
import io.meshtransport.collectives.exec.FloodProgram;
import io.meshtransport.collectives.exec.OrderedProgram;
import io.meshtransport.collectives.exec.Program;
import io.meshtransport.collectives.exec.StreamPlan;
import io.meshtransport.collectives.exec.TreeProgram;
import io.meshtransport.collectives.group.OperationSpec.Kind;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.Planner;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Planning} with {@link PlanRoutes} and {@link FloodRoutes} of an {@link OperationSpec}. */
class PlanningTest {
  private static final CollectivePlan TRIANGLE =
      Planner.plan(
          new LinkGraph(
              List.of("a", "b", "c"),
              List.of(
                  new GraphLink(0, 1, 1_250_000_000, 16_384),
                  new GraphLink(0, 2, 1_250_000_000, 16_384),
                  new GraphLink(1, 2, 1_250_000_000, 16_384))),
          0);

  private static Blueprint blueprint(Kind kind, long count, ReduceOp op, int root) {
    return new Planning(TRIANGLE, new JoinedGraph(3, List.of()))
        .blueprint(
            OperationSpec.of(kind, count, DataType.F32, op, root, CollectiveOptions.DEFAULT));
  }

  private static List<StreamPlan> streams(Blueprint blueprint) {
    return ((TreeProgram) blueprint.program()).streams();
  }

  private static Program inRankOrder(CollectivePlan plan, Kind kind, long count) {
    CollectiveOptions options = CollectiveOptions.DEFAULT.order(ReductionOrder.RANK_ORDER);
    return new Planning(plan, new JoinedGraph(plan.size(), List.of()))
        .blueprint(OperationSpec.of(kind, count, DataType.F32, ReduceOp.SUM, 1, options))
        .program();
  }

  private static CollectivePlan line() {
    List<GraphLink> links = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      links.add(new GraphLink(rank, rank + 1, 1_250_000_000, 16_384));
    }
    return Planner.plan(new LinkGraph(List.of("a", "b", "c", "d"), links), 0);
  }

  /** Of two ranks one shot is as fast by the model at any size. */
  @Test
  void shouldUseAllCablesOfTwoRanksForWhatIsLong() {
    CollectivePlan pair =
        Planner.plan(
            new LinkGraph(List.of("a", "b"), List.of(new GraphLink(0, 1, 2_500_000_000L, 16_384))),
            0);
    JoinedGraph.Link first = new JoinedGraph.Link(0, 1, 1_250_000_000, 16_384, false, 0);
    JoinedGraph.Link second = new JoinedGraph.Link(0, 1, 1_250_000_000, 16_384, false, 1);
    Planning planning = new Planning(pair, new JoinedGraph(2, List.of(first, second)));
    OperationSpec spec =
        OperationSpec.of(Kind.BROADCAST, 4 << 20, DataType.F32, null, 0, CollectiveOptions.DEFAULT);
    assertEquals(2, streams(planning.blueprint(spec)).size());
    OperationSpec sum =
        OperationSpec.of(
            Kind.ALL_REDUCE, 4 << 20, DataType.F32, ReduceOp.SUM, -1, CollectiveOptions.DEFAULT);
    List<StreamPlan> streams = streams(planning.blueprint(sum));
    assertEquals(2, streams.stream().filter(each -> each.elements() == 2 << 20).count());
  }

  @Test
  void shouldReduceInRankOrderByStarsOneShotOrBlocks() {
    assertInstanceOf(TreeProgram.class, inRankOrder(TRIANGLE, Kind.ALL_REDUCE, 4 << 20));
    assertInstanceOf(FloodProgram.class, inRankOrder(line(), Kind.ALL_REDUCE, 4));
    for (Kind kind : List.of(Kind.ALL_REDUCE, Kind.REDUCE, Kind.REDUCE_SCATTER)) {
      assertInstanceOf(OrderedProgram.class, inRankOrder(line(), kind, 4 << 20));
    }
  }

  private static CollectivePlan ring() {
    List<GraphLink> links = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      links.add(new GraphLink(rank, rank + 1, 1_250_000_000, 16_384));
    }
    links.add(new GraphLink(0, 3, 1_250_000_000, 16_384));
    return Planner.plan(new LinkGraph(List.of("a", "b", "c", "d"), links), 8_000_000_000L);
  }

  private static Program averageOfBytes(CollectivePlan plan) {
    OperationSpec spec =
        OperationSpec.of(
            Kind.ALL_REDUCE, 100, DataType.U8, ReduceOp.AVG, -1, CollectiveOptions.DEFAULT);
    return new Planning(plan, new JoinedGraph(4, List.of())).blueprint(spec).program();
  }

  @Test
  void shouldExchangePartialResultsOnARingOfFour() {
    OperationSpec spec =
        OperationSpec.of(
            Kind.ALL_REDUCE, 2 << 10, DataType.F32, ReduceOp.SUM, -1, CollectiveOptions.DEFAULT);
    Blueprint pairs = new Planning(ring(), new JoinedGraph(4, List.of())).blueprint(spec);
    assertInstanceOf(DoublingProgram.class, pairs.program());
    assertTrue(pairs.text().contains("in 2 rounds of partners [[1, 0, 3, 2], [3, 2, 1, 0]]; exp"));
    assertInstanceOf(FloodProgram.class, inRankOrder(ring(), Kind.ALL_REDUCE, 4));
    assertInstanceOf(FloodProgram.class, averageOfBytes(ring()), "partial results are wider");
    assertInstanceOf(OrderedProgram.class, inRankOrder(ring(), Kind.ALL_REDUCE, 1 << 20));
  }

  @Test
  void shouldDoShortOnesInOneShotAndLongOnesOverTrees() {
    assertInstanceOf(FloodProgram.class, blueprint(Kind.ALL_REDUCE, 2, ReduceOp.SUM, -1).program());
    Blueprint large = blueprint(Kind.ALL_REDUCE, 4 << 20, ReduceOp.SUM, -1);
    assertEquals(3, streams(large).size());
    assertEquals(4 << 20, streams(large).stream().mapToLong(each -> each.elements()).sum());
    assertTrue(large.text().contains("all-reduce of 4194304 F32, SUM, EXACT"), large.text());
    assertTrue(large.text().contains("33.3 %  b(a c)\n"), large.text());
    assertTrue(large.text().contains(" us; plan "), large.text());
    String summary = "plan all-reduce: two-shot over 3 stars, 1.5 x cable rate of 10 Gbit/s;";
    for (Kind kind : List.of(Kind.ALL_REDUCE, Kind.ALL_GATHER, Kind.ALL_TO_ALL)) {
      String text = blueprint(kind, 10, kind == Kind.ALL_REDUCE ? ReduceOp.SUM : null, -1).text();
      assertTrue(text.contains(summary), text);
      assertTrue(text.endsWith("bound 15 Gbit/s, of which this is 100 %"), text);
    }
  }

  @Test
  void shouldDoShortOnesOverOneTreeWhereRanksShareProcessors() {
    CollectivePlan plan = Planner.plan(TRIANGLE.graph(), 0, true);
    Blueprint all =
        new Planning(plan, new JoinedGraph(3, List.of()))
            .blueprint(
                OperationSpec.of(
                    Kind.ALL_REDUCE,
                    16 << 10,
                    DataType.F32,
                    ReduceOp.SUM,
                    -1,
                    CollectiveOptions.DEFAULT));
    assertEquals(1, streams(all).size());
    assertEquals(8 << 10, ((TreeProgram) all.program()).chunkElements(), "two chunks");
    assertTrue(all.program().isInRankOrder(), "its bits are those of one shot and of three stars");
  }

  @Test
  void shouldHaveAPathForEachPair() {
    assertEquals(9, streams(blueprint(Kind.ALL_TO_ALL, 10, null, -1)).size());
    assertEquals(1, streams(blueprint(Kind.BROADCAST, 10, null, 2)).size());
    assertEquals(3, streams(blueprint(Kind.REDUCE_SCATTER, 10, ReduceOp.MAX, -1)).size());
  }

  /** Of 24 ranks on, a path of each pair and each of its ways would be too many for a program. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 8})
  void shouldHaveAnAllToAllForAsManyRanksAsAGroupHas(int height) {
    CollectivePlan plan = TorusPlan.of(8, height);
    int size = plan.size();
    List<StreamPlan> streams =
        streams(
            new Planning(plan, new JoinedGraph(size, List.of()))
                .blueprint(OperationSpec.of(Kind.ALL_TO_ALL, 800, DataType.I8)));
    assertEquals(800L * size * size, streams.stream().mapToLong(StreamPlan::elements).sum());
    assertTrue(streams.size() > TreeProgram.MAX_STREAMS / 2 || size < 24, streams.size() + "");
  }

  @Test
  void shouldRefuseCountsWhoseBytesWouldOverflow() {
    for (long count : new long[] {-1, 1L << 62, Long.MAX_VALUE}) {
      IllegalArgumentException refused =
          assertThrows(
              IllegalArgumentException.class,
              () -> OperationSpec.of(Kind.ALL_TO_ALL, count, DataType.F32));
      assertTrue(refused.getMessage().contains(count + " elements of F32"), refused.getMessage());
    }
  }

  @Test
  void shouldRefuseWhatAReducerCannotFold() {
    Reducer pairs =
        new Reducer() {
          @Override
          public int elementBytes() {
            return 8;
          }

          @Override
          public void reduce(ByteBuffer accumulator, ByteBuffer operand) {
            throw new UnsupportedOperationException();
          }
        };
    assertEquals(
        5,
        new OperationSpec(
                Kind.ALL_REDUCE, 10, DataType.F32, pairs, -1, -1, Precision.EXACT, SAME_PLAN)
            .units());
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new OperationSpec(
                Kind.ALL_REDUCE, 11, DataType.F32, pairs, -1, -1, Precision.EXACT, SAME_PLAN));
    assertThrows(
        IllegalArgumentException.class, () -> blueprint(Kind.ALL_REDUCE, 1, ReduceOp.XOR, -1));
  }
}
