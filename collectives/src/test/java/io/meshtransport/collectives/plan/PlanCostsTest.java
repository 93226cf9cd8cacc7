// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests {@link PlanCosts}, {@link FloodCosts}, {@link PlanChoice}, {@link PlanAlgorithm}, {@link
 * CollectiveKind} and {@link PlanText}.
 */
class PlanCostsTest {
  /** 100 Gbit/s. */
  private static final long RATE = 12_500_000_000L;

  private static final long LATENCY_NS = 5_000;
  private static final int MEGA = 1 << 20;

  private static LinkGraph fast(LinkGraph graph) {
    return new LinkGraph(
        graph.names(),
        graph.links().stream()
            .map(
                each ->
                    new GraphLink(
                        each.one(),
                        each.other(),
                        each.bytesPerSecond() * (RATE / Graphs.RATE),
                        LATENCY_NS))
            .toList());
  }

  private static LinkGraph slow(LinkGraph graph, long bytesPerSecond) {
    return new LinkGraph(
        graph.names(),
        graph.links().stream()
            .map(each -> new GraphLink(each.one(), each.other(), bytesPerSecond, LATENCY_NS))
            .toList());
  }

  private static final CollectivePlan MESH = Planner.plan(fast(Graphs.mesh(4)), 0);
  private static final List<SpanningTree> PAIRS = MESH.doubling().trees();
  private static final CollectivePlan RING = Planner.plan(fast(Graphs.ring(4, 1)), 0);

  @Test
  void shouldPlaceTheThresholdWhereBothTakeTheSame() {
    // a B n / (n - 2) for unlimited chunks of a mesh.
    double expected = LATENCY_NS * 1e-9 * RATE * 4 / 2;
    long threshold = MESH.oneShotMaxBytes().get(CollectiveKind.ALL_REDUCE.ordinal());
    assertEquals(expected, threshold, expected * 0.01);
    PlanChoice below = MESH.choose(CollectiveKind.ALL_REDUCE, 0, threshold);
    PlanChoice above = MESH.choose(CollectiveKind.ALL_REDUCE, 0, threshold + 1);
    assertEquals(PlanAlgorithm.ONE_SHOT, below.algorithm());
    assertEquals(PlanAlgorithm.TREES, above.algorithm());
    assertEquals(below.expectedNs(), above.expectedNs(), 2);
    assertEquals(MESH.flood(), below.trees());
    assertEquals(MESH.allReduce(), above.trees());
  }

  @Test
  void shouldUseOneTreeForShortAllReducesWhereRanksShareProcessors() {
    CollectivePlan shared = Planner.plan(MESH.graph(), 0, true);
    assertTrue(
        shared.isOversubscribed() && CollectivePlan.decoded(shared.encoded()).isOversubscribed());
    PlanChoice shortest = shared.choose(CollectiveKind.ALL_REDUCE, 0, 8);
    assertEquals(PlanAlgorithm.ONE_TREE, shortest.algorithm());
    assertEquals(List.of(shared.flood().get(0)), shortest.trees());
    PlanChoice longest = shared.choose(CollectiveKind.ALL_REDUCE, 0, 256 << 10);
    assertEquals(PlanAlgorithm.ONE_TREE, longest.algorithm());
    assertEquals(128 << 10, longest.chunkBytes());
    double step = LATENCY_NS + (256 << 10) * 1e9 / RATE;
    assertEquals(2 * step, longest.expectedNs(), step * 0.01);
    assertEquals(
        PlanAlgorithm.TREES,
        shared.choose(CollectiveKind.ALL_REDUCE, 0, (256 << 10) + 1).algorithm());
    assertEquals(
        MESH.choose(CollectiveKind.BARRIER, 0, 0).trees(),
        shared.choose(CollectiveKind.BARRIER, 0, 0).trees());
    assertTrue(
        PlanText.summary(shared).contains(", one tree up to 256 KiB as hosts are shared; bou"));
    assertTrue(shared.explain().contains("all-reduce of 64 KiB: one tree, chunks of 32 KiB"));
  }

  @Test
  void shouldCutLongOperationsIntoFewerChunksWhereRanksShareProcessors() {
    LinkGraph slow = slow(Graphs.ring(4, 1), 100_000_000);
    CollectivePlan alone = Planner.plan(slow, 0);
    CollectivePlan shared = Planner.plan(slow, 0, true);
    long bytes = 1 << 20;
    assertTrue(alone.choose(CollectiveKind.ALL_REDUCE, 0, bytes).chunkBytes() < 128 << 10);
    assertEquals(128 << 10, shared.choose(CollectiveKind.ALL_REDUCE, 0, bytes).chunkBytes());
    assertEquals(256 << 10, shared.choose(CollectiveKind.ALL_REDUCE, 0, 8 << 20).chunkBytes());
    assertEquals(512 << 10, shared.choose(CollectiveKind.ALL_REDUCE, 0, 1 << 28).chunkBytes());
  }

  @Test
  void shouldUseNoDeepTreeWhereOneShotHasFewerSteps() {
    CollectivePlan shared = Planner.plan(fast(Graphs.line(4)), 0, true);
    long oneShot = shared.oneShotMaxBytes().get(CollectiveKind.ALL_REDUCE.ordinal());
    assertEquals(
        PlanAlgorithm.ONE_SHOT, shared.choose(CollectiveKind.ALL_REDUCE, 0, oneShot).algorithm());
    assertEquals(
        PlanAlgorithm.ONE_TREE,
        shared.choose(CollectiveKind.ALL_REDUCE, 0, oneShot + 1).algorithm());
  }

  @Test
  void shouldTakeTheLeastDeepTreeForTheShallowest() {
    CollectivePlan line = Planner.plan(fast(Graphs.line(3)), 0, true);
    assertEquals(1, line.shallowest().root());
    assertEquals(1, line.shallowest().depth());
  }

  /** What a busy host measures of its links makes trees look faster than their messages are. */
  @Test
  void shouldNotSpreadLessThanAChunkOverTrees() {
    LinkGraph slow = slow(Graphs.mesh(3), 10_000_000);
    assertEquals(
        16 << 10, Planner.plan(slow, 0).oneShotMaxBytes().get(CollectiveKind.ALL_REDUCE.ordinal()));
  }

  @Test
  void shouldExpectOneShotToTakeALatencyAndTheBytes() {
    PlanChoice choice = MESH.choose(CollectiveKind.ALL_REDUCE, 3, 12_500);
    assertEquals(LATENCY_NS + 1000, choice.expectedNs());
    CollectivePlan slow = Planner.plan(fast(Graphs.mesh(4)), 1_000_000_000);
    assertEquals(
        LATENCY_NS + 1000 + 37_500,
        new PlanCosts(slow).oneShotSeconds(CollectiveKind.ALL_REDUCE, 0, 12_500) * 1e9,
        1e-3);
  }

  private static LinkGraph path(long... bytesPerSecond) {
    List<GraphLink> links = new ArrayList<>();
    for (int i = 0; i < bytesPerSecond.length; i++) {
      links.add(new GraphLink(i, i + 1, bytesPerSecond[i], LATENCY_NS));
    }
    return new LinkGraph(Graphs.names(links.size() + 1), links);
  }

  private static double wayOf(LinkGraph graph) {
    PlanCosts costs = new PlanCosts(Planner.plan(graph, 0));
    double latencies = costs.oneShotSeconds(CollectiveKind.ALL_REDUCE, 0, 0);
    return (costs.oneShotSeconds(CollectiveKind.ALL_REDUCE, 0, MEGA) - latencies) / MEGA * RATE;
  }

  /** Behind a slow cable the last of what it carries has to go on. */
  @Test
  void shouldCountTheWayBehindASlowCable() {
    // Two operands over the slow cable, four each, and one more step for the second of them.
    assertEquals(9, wayOf(path(RATE, RATE / 4, RATE)), 1e-6);
    // At its end the slow cable is the last: nothing is behind it, and three go over it.
    assertEquals(12, wayOf(path(RATE, RATE, RATE / 4)), 1e-6);
    assertEquals(3, wayOf(path(RATE, RATE, RATE)), 1e-6);
    assertEquals(2, wayOf(fast(Graphs.ring(4, 1))), 1e-6);
    // What goes over the slow cable of a ring is one operand each way, and one of them goes on.
    assertEquals(5, wayOf(fast(Graphs.ring(4, 0.25))), 1e-6);
    assertEquals(1, wayOf(fast(Graphs.mesh(5))), 1e-6);
  }

  /** Trees use all cables between two ranks, and short operations one of them. */
  @Test
  void shouldCountOneCableOfSeveralForWhatIsShort() {
    LinkGraph ring = fast(Graphs.ring(4, 1));
    List<GraphLink> twice = new ArrayList<>(ring.links());
    twice.addAll(ring.links());
    LinkGraph doubled = new LinkGraph(ring.names(), twice);
    assertEquals(ring, doubled.withoutParallels());
    assertEquals(wayOf(ring), wayOf(doubled), 1e-6);
    CollectivePlan plan = Planner.plan(doubled, 0);
    double exchanged = new DoublingCosts(plan).seconds(MEGA);
    assertEquals(new DoublingCosts(RING).seconds(MEGA), exchanged, exchanged * 1e-9);
    long bytes = 1L << 30;
    long trees = plan.choose(CollectiveKind.ALL_REDUCE, 0, bytes).expectedNs();
    assertEquals(
        RING.choose(CollectiveKind.ALL_REDUCE, 0, bytes).expectedNs() / 2.0, trees, trees * 0.1);
    assertTrue(plan.doubling().maxBytes() < RING.doubling().maxBytes());
    CollectivePlan shared = Planner.plan(doubled, 0, true);
    CollectivePlan single = Planner.plan(ring, 0, true);
    assertEquals(
        single.choose(CollectiveKind.ALL_REDUCE, 0, 256 << 10),
        shared.choose(CollectiveKind.ALL_REDUCE, 0, 256 << 10));
    // The slowest of cables that differ may be the one.
    List<GraphLink> unequal = new ArrayList<>(ring.links());
    unequal.add(new GraphLink(0, 1, RATE * 2, LATENCY_NS));
    assertEquals(ring, new LinkGraph(ring.names(), unequal).withoutParallels());
  }

  /** No all-reduce is faster than the bound: nothing else would show what a model leaves out. */
  @Test
  void shouldExpectNothingToBeFasterThanTheBound() {
    long seed = Long.getLong("mesh.test.seed", new Random().nextLong());
    for (int i = 0; i < 40; i++) {
      LinkGraph graph = Graphs.random(new Random(seed + i), 2 + i % 5);
      CollectivePlan plan = Planner.plan(graph, 0);
      double bound = (double) MEGA / plan.boundBytesPerSecond() * (1 - 1e-6);
      double oneShot = new PlanCosts(plan).oneShotSeconds(CollectiveKind.ALL_REDUCE, 0, MEGA);
      assertTrue(oneShot >= bound, "seed " + (seed + i));
      if (plan.doubling().isPossible()) {
        assertTrue(new DoublingCosts(plan).seconds(MEGA) >= bound, "seed " + (seed + i));
      }
    }
  }

  @Test
  void shouldExpectLargeOperationsNearTheBound() {
    long bytes = 1L << 30;
    double bound = bytes * 1e9 / RATE;
    assertNear(bound / 2, MESH, CollectiveKind.ALL_REDUCE, bytes);
    assertNear(bound * 3 / 4, RING, CollectiveKind.ALL_REDUCE, bytes);
    assertNear(bound / 3, MESH, CollectiveKind.BROADCAST, bytes);
    assertNear(bound / 2, RING, CollectiveKind.REDUCE, bytes);
    assertNear(bound / 4, MESH, CollectiveKind.ALL_GATHER, bytes);
    assertNear(bound * 3 / 8, RING, CollectiveKind.REDUCE_SCATTER, bytes);
    assertNear(bound / 4, MESH, CollectiveKind.ALL_TO_ALL, bytes);
    assertNear(bound / 2, RING, CollectiveKind.ALL_TO_ALL, bytes);
  }

  /** By the model, a latency for each of the longest chunks costs up to an eighth here. */
  private static void assertNear(double ns, CollectivePlan plan, CollectiveKind kind, long bytes) {
    assertEquals(ns, plan.choose(kind, 1, bytes).expectedNs(), 0.13 * ns, kind.text());
  }

  @Test
  void shouldUseTheTreeOfTheRoot() {
    for (int root = 0; root < 4; root++) {
      int expected = root;
      for (long bytes : new long[] {0, 64 * MEGA}) {
        List<SpanningTree> trees = RING.choose(CollectiveKind.REDUCE, root, bytes).trees();
        assertTrue(trees.stream().allMatch(each -> each.root() == expected), trees.toString());
      }
    }
    assertThrows(IllegalArgumentException.class, () -> RING.choose(CollectiveKind.REDUCE, 4, 1));
    assertThrows(IllegalArgumentException.class, () -> RING.choose(CollectiveKind.REDUCE, 0, -1));
  }

  @ParameterizedTest
  @EnumSource(CollectiveKind.class)
  void shouldTakeLongerForMoreWithChunksInBounds(CollectiveKind kind) {
    Stream.of(MESH, RING, Planner.plan(Graphs.line(1), 0), Planner.plan(Graphs.grid(2, 3), 9))
        .forEach(
            plan -> {
              long before = -1;
              for (long bytes = 1; bytes < 1L << 40; bytes *= 3) {
                PlanChoice choice = plan.choose(kind, 0, bytes);
                assertTrue(choice.expectedNs() >= before * 0.999, kind + " of " + bytes);
                assertTrue(choice.chunkBytes() >= PlanCosts.MIN_CHUNK_BYTES);
                assertTrue(choice.chunkBytes() <= PlanCosts.MAX_CHUNK_BYTES);
                assertEquals(0, choice.chunkBytes() % 64);
                before = choice.expectedNs();
              }
            });
  }

  @Test
  void shouldSendABarrierOverTheFlood() {
    PlanChoice choice = RING.choose(CollectiveKind.BARRIER, 0, 0);
    assertEquals(PlanAlgorithm.ONE_SHOT, choice.algorithm());
    assertEquals(2 * LATENCY_NS, choice.expectedNs());
  }

  /** Where the ends' work is most of the latency, two messages in two steps beat three in one. */
  @Test
  void shouldSendFewerMessagesOnAMeshOfSoftware() {
    LinkGraph mesh = fast(Graphs.mesh(4));
    LinkGraph slower =
        new LinkGraph(
            mesh.names(),
            mesh.links().stream()
                .map(each -> new GraphLink(each.one(), each.other(), RATE, 4 * LATENCY_NS))
                .toList());
    CollectivePlan plan = Planner.plan(slower, 0);
    PlanChoice tiny = plan.choose(CollectiveKind.ALL_REDUCE, 0, 8);
    assertEquals(PAIRS, tiny.trees());
    assertEquals(8 * LATENCY_NS, tiny.expectedNs(), 2);
    // A quarter of the latency is what that gains; each link carries twice as much.
    long equal = (long) (LATENCY_NS * 1e-9 * RATE);
    assertEquals(PAIRS, plan.choose(CollectiveKind.ALL_REDUCE, 0, equal - 10).trees());
    assertEquals(plan.flood(), plan.choose(CollectiveKind.ALL_REDUCE, 0, equal + 10).trees());
    assertEquals(MESH.flood(), MESH.choose(CollectiveKind.ALL_REDUCE, 0, 8).trees());
    assertEquals(plan.flood(), plan.choose(CollectiveKind.REDUCE_SCATTER, 0, 8).trees());
  }

  @Test
  void shouldExplainItself() {
    assertEquals(
        """
        all-reduce: pipelined over 4 paths, 2 deep, 1.33 x cable rate of 100 Gbit/s; by pairs up to 122 KiB; bound 133 Gbit/s, of which this is 100 %
          short and long sums may be rounded differently; RANK_ORDER rounds all in one way
          25.0 %  n0(n1(n2) n3)
          25.0 %  n1(n0 n2(n3))
          25.0 %  n2(n1 n3(n0))
          25.0 %  n3(n0(n1) n2)
          all-reduce of 8 B: by pairs, 10 us expected
          all-reduce of 1 KiB: by pairs, 10.2 us expected
          all-reduce of 64 KiB: by pairs, 20.5 us expected
          all-reduce of 2 MiB: trees, chunks of 177 KiB, 170 us expected
          all-reduce of 16 MiB: trees, chunks of 500 KiB, 1.1 ms expected
        """,
        RING.explain());
    assertEquals("one rank: nothing to send", PlanText.summary(Planner.plan(Graphs.line(1), 0)));
    String grid = PlanText.summary(Planner.plan(Graphs.grid(2, 3), 0));
    assertTrue(grid.startsWith("all-reduce: pipelined over 5 trees, 3 deep, 1.4 x"), grid);
  }
}
