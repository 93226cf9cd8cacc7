// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@link RecursiveDoubling}, which {@link HypercubeSearch} finds, and {@link DoublingCosts}. */
class RecursiveDoublingTest {
  private static final List<Integer> SIDES = List.of(1, 0, 3, 2);
  private static final List<Integer> OTHERS = List.of(3, 2, 1, 0);

  private static LinkGraph shared(LinkGraph graph, long bytesPerSecond, long latencyNs) {
    return new LinkGraph(
        graph.names(),
        graph.links().stream()
            .map(each -> new GraphLink(each.one(), each.other(), bytesPerSecond, latencyNs))
            .toList());
  }

  /** A cube with its ranks in any order, and links at random besides. */
  private static LinkGraph hidden(int dimensions, Random random) {
    int size = 1 << dimensions;
    List<Integer> ranks = new ArrayList<>(IntStream.range(0, size).boxed().toList());
    Collections.shuffle(ranks, random);
    List<GraphLink> links = new ArrayList<>();
    for (int corner = 0; corner < size; corner++) {
      for (int bit = 1; bit < size; bit <<= 1) {
        int one = ranks.get(corner);
        int other = ranks.get(corner | bit);
        if (one != other) {
          links.add(new GraphLink(Math.min(one, other), Math.max(one, other), 1_000_000, 1000));
        }
      }
    }
    for (int more = random.nextInt(size); more > 0; more--) {
      int one = random.nextInt(size - 1);
      links.add(new GraphLink(one, one + 1 + random.nextInt(size - 1 - one), 1_000_000, 1000));
    }
    return new LinkGraph(Graphs.names(size), links);
  }

  @Test
  void shouldPairNeighboursInNumberFirst() {
    assertEquals(List.of(SIDES, OTHERS), HypercubeSearch.partners(Graphs.ring(4, 1)));
    assertEquals(List.of(SIDES, List.of(2, 3, 0, 1)), HypercubeSearch.partners(Graphs.mesh(4)));
  }

  @Test
  void shouldFindEveryHypercubeOfUpTo16Ranks() {
    long seed = Long.getLong("mesh.test.seed", new Random().nextLong());
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      LinkGraph graph = hidden(2 + random.nextInt(3), random);
      RecursiveDoubling doubling = new RecursiveDoubling(HypercubeSearch.partners(graph), -1);
      assertTrue(doubling.isPossible(), "seed " + seed + ", case " + i + ": " + graph.links());
      new PlanCheck(graph).doubling(doubling);
    }
  }

  @Test
  void shouldFindNoneWhereThereIsNone() {
    for (LinkGraph each :
        List.of(
            Graphs.line(4),
            Graphs.star(4),
            Graphs.mesh(2),
            Graphs.mesh(6),
            Graphs.ring(8, 1),
            Graphs.grid(2, 4))) {
      assertEquals(List.of(), HypercubeSearch.partners(each), each.toString());
    }
  }

  /** One rank has a single link, which shows last: all orders of the others would be tried. */
  @Test
  void shouldGiveUpTheSearchOfManyRanks() {
    LinkGraph mesh = Graphs.mesh(32);
    List<GraphLink> links =
        mesh.links().stream().filter(each -> each.other() < 31 || each.one() == 0).toList();
    assertEquals(List.of(), HypercubeSearch.partners(new LinkGraph(mesh.names(), links)));
  }

  @Test
  void shouldPassOnWhatIsRawOverTheTreesOfItsRounds() {
    RecursiveDoubling doubling =
        new RecursiveDoubling(HypercubeSearch.partners(Graphs.mesh(4)), -1);
    assertEquals(
        List.of(
            List.of(-1, 0, 0, 1), List.of(1, -1, 0, 1), List.of(2, 3, -1, 2), List.of(2, 3, 3, -1)),
        doubling.trees().stream().map(SpanningTree::parents).toList());
    assertEquals(List.of(), RecursiveDoubling.NONE.trees());
    assertFalse(RecursiveDoubling.NONE.isPossible());
  }

  @Test
  void shouldRefuseRoundsThatDoNotDoubleWhatRanksHave() {
    assertEquals(100, new RecursiveDoubling(List.of(SIDES, OTHERS), 100).maxBytes());
    refuse(List.of(), 0);
    refuse(List.of(List.of(1, 0)), 8);
    refuse(List.of(SIDES), 8);
    refuse(List.of(SIDES, SIDES), 8);
    refuse(List.of(SIDES, OTHERS), -2);
    refuse(List.of(SIDES, OTHERS), RecursiveDoubling.MAX_BYTES + 1);
    refuse(List.of(SIDES, List.of(3, 2, 1)), 8);
    refuse(List.of(SIDES, List.of(3, 2, 1, 4)), 8);
    refuse(List.of(SIDES, List.of(1, 2, 3, 0)), 8);
    refuse(List.of(SIDES, List.of(0, 1, 2, 3)), 8);
    // Each round pairs all, but blocks of the second are of other ranks than those of the first.
    List<Integer> second = List.of(2, 3, 0, 1, 6, 7, 4, 5);
    List<Integer> mixed = List.of(3, 2, 1, 0, 6, 7, 4, 5);
    List<Integer> first = List.of(1, 0, 3, 2, 5, 4, 7, 6);
    List<Integer> third = List.of(4, 5, 6, 7, 0, 1, 2, 3);
    assertTrue(new RecursiveDoubling(List.of(first, second, third), 8).isPossible());
    assertTrue(new RecursiveDoubling(List.of(first, mixed, third), 8).isPossible());
    refuse(List.of(first, List.of(2, 4, 0, 5, 1, 3, 7, 6), third), 8);
  }

  private static void refuse(List<List<Integer>> partners, long maxBytes) {
    assertThrows(
        IllegalArgumentException.class,
        () -> new RecursiveDoubling(partners, maxBytes),
        partners.toString());
  }

  @Test
  void shouldExchangePartialResultsAsLongAsThatIsFaster() {
    LinkGraph ring = shared(Graphs.ring(4, 1), 1_000_000_000, 10_000);
    CollectivePlan plan = Planner.plan(ring, 8_000_000_000L);
    long most = plan.doubling().maxBytes();
    PlanChoice longest = plan.choose(CollectiveKind.ALL_REDUCE, 0, most);
    PlanChoice longer = plan.choose(CollectiveKind.ALL_REDUCE, 0, most + 1);
    assertEquals(PlanAlgorithm.RECURSIVE_DOUBLING, longest.algorithm());
    assertEquals(PlanAlgorithm.TREES, longer.algorithm());
    assertEquals(longest.expectedNs(), longer.expectedNs(), 2);
    // In each of two rounds a latency, the bytes over a link, and a fold.
    double round = 10_000 + most + most / 8.0;
    assertEquals(2 * round, longest.expectedNs(), 2);
    assertEquals("by pairs", PlanText.algorithm(longest));
    assertTrue(PlanText.summary(plan).contains("; by pairs up to "), PlanText.summary(plan));
    assertEquals(PlanAlgorithm.ONE_SHOT, plan.choose(CollectiveKind.REDUCE, 0, 8).algorithm());
  }

  /** With one cable that is slow, every second round waits for it. */
  @Test
  void shouldCountTheSlowestCableOfARound() {
    LinkGraph ring = Graphs.ring(4, 0.25);
    CollectivePlan plan = Planner.plan(ring, 0);
    double each = 1e9 / Graphs.RATE;
    assertEquals(
        2 * 5_000 + 100 * (each + 4 * each), new DoublingCosts(plan).seconds(100) * 1e9, 1e-3);
  }

  @Test
  void shouldLeaveWhatIsLongerThanOneShotToOneTreeWhereRanksShareProcessors() {
    LinkGraph graph = shared(Graphs.ring(4, 1), 1_000_000_000, 10_000);
    CollectivePlan ring = Planner.plan(graph, 8_000_000_000L, true);
    long oneShot = ring.oneShotMaxBytes().get(CollectiveKind.ALL_REDUCE.ordinal());
    assertEquals(oneShot, ring.doubling().maxBytes());
    assertTrue(Planner.plan(graph, 8_000_000_000L).doubling().maxBytes() > oneShot);
    assertEquals(
        PlanAlgorithm.ONE_TREE, ring.choose(CollectiveKind.ALL_REDUCE, 0, oneShot + 1).algorithm());
    assertEquals(ring, CollectivePlan.decoded(ring.encoded()));
  }

  /** A star has fewer messages and folds than pairs have. */
  @Test
  void shouldLeaveAStarToItselfWhereRanksShareProcessors() {
    List<GraphLink> links = new ArrayList<>(Graphs.ring(4, 1).links());
    links.add(new GraphLink(0, 2, links.get(0).bytesPerSecond(), links.get(0).latencyNs()));
    LinkGraph graph = shared(new LinkGraph(Graphs.names(4), links), 1_000_000_000, 10_000);
    assertEquals(-1, Planner.plan(graph, 8_000_000_000L, true).doubling().maxBytes());
    assertTrue(Planner.plan(graph, 8_000_000_000L).doubling().maxBytes() > 0);
  }

  /** One shot, stars and one tree fold from rank 0 on there. */
  @Test
  void shouldLeaveTheBitsOfAFullMeshAsTheyAre() {
    for (int size : new int[] {4, 8, 16}) {
      LinkGraph mesh = shared(Graphs.mesh(size), 1_000_000_000, 10_000);
      assertEquals(-1, Planner.plan(mesh, 0).doubling().maxBytes());
      assertEquals(-1, Planner.plan(mesh, 0, true).doubling().maxBytes());
    }
  }
}
