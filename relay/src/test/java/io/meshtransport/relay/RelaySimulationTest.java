// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static io.meshtransport.relay.SimulatedRelays.MS_NS;
import static io.meshtransport.relay.SimulatedRelays.SECOND_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.relay.SimulatedRelays.Cable;
import io.meshtransport.relay.SimulatedRelays.Node;
import io.meshtransport.relay.SimulatedRelays.Pair;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;

/**
 * Whole meshes of {@link RelayNode}s in virtual time: their {@link Hop}s with {@link HopQueues},
 * {@link Flow}s (each a {@link ChunkSource} with {@link ByteRing}s), {@link OthersShare}s, {@link
 * ChunkFifo}s and {@link Refusal}s on graphs by chance. jqwik prints the seed of a failure;
 * {@code @Property(seed = "...")} repeats it.
 */
class RelaySimulationTest {
  private static final long BYTES = 40_000;

  /** Flows give up after {@link FlowPatience#LIMIT_NS}; what is slower than that has stopped. */
  private static final long LIMIT_NS = 60 * SECOND_NS;

  private static void awaitDone(SimulatedRelays relays, List<Pair> pairs) {
    boolean isDone = relays.runUntil(now -> pairs.stream().allMatch(Pair::isDone), LIMIT_NS);
    assertTrue(isDone, () -> "not done: " + pairs.stream().filter(each -> !each.isDone()).toList());
  }

  @Example
  void shouldCarryBytesBothWaysOverEightCables() {
    SimulatedRelays relays = SimulatedRelays.line(1, ChunkHeader.MAX_HOPS + 1);
    Pair pair = relays.open(0, ChunkHeader.MAX_HOPS, 1, 3_000_000, 100_000);
    awaitDone(relays, List.of(pair));
    assertEquals(ChunkHeader.MAX_HOPS, relays.nodes.get(0).relay.route(pair.to.id).hops());
    assertTrue(relays.nodes.get(4).relay.count(RelayCounter.RELAYED_BYTES) > 3_100_000);
  }

  @Example
  void shouldReachNobodyBeyondEightCables() {
    SimulatedRelays relays = SimulatedRelays.line(1, ChunkHeader.MAX_HOPS + 2);
    Node last = relays.nodes.get(ChunkHeader.MAX_HOPS + 1);
    assertFalse(relays.nodes.get(0).relay.reaches(last.id));
    Pair pair = relays.open(0, ChunkHeader.MAX_HOPS + 1, 1, 10, 10);
    relays.runFor(FlowPatience.LIMIT_NS + SECOND_NS);
    assertEquals(OverlayFlow.End.UNREACHABLE, pair.near.end);
    assertNull(pair.far);
  }

  @Example
  void shouldRefuseAFlowThatNobodyAccepts() {
    SimulatedRelays relays = SimulatedRelays.line(1, 3);
    Pair pair = relays.open(0, 2, 1, 10, 10);
    relays.nodes.get(2).relay.accept(null);
    relays.runFor(SECOND_NS);
    assertEquals(OverlayFlow.End.RESET, pair.near.end);
    assertTrue(relays.nodes.get(2).relay.count(RelayCounter.REFUSED_CHUNKS) >= 1);
  }

  /** At the last node of a line of three; each chunk needs one of the two receives of its class. */
  private static void assertRefusedByAll(SimulatedRelays relays, Overlay.Acceptor acceptor) {
    List<Pair> pairs = new ArrayList<>();
    for (int port = 0; port < 6; port++) {
      pairs.add(relays.open(0, 2, port, 10, 10));
    }
    Node last = relays.nodes.get(2);
    last.relay.accept(acceptor);
    relays.runFor(SECOND_NS);
    pairs.forEach(each -> assertEquals(OverlayFlow.End.RESET, each.near.end));
    assertEquals(0, relays.cables.get(1).at(last).taken, "memory that was not given back");
    awaitDone(relays, List.of(relays.open(0, 2, 6, 100_000, 10)));
  }

  @Example
  void shouldRefuseAFlowWhoseAcceptorThrows() {
    assertRefusedByAll(
        SimulatedRelays.line(1, 3),
        (flow, nodeId, port) -> {
          if (port % 2 == 0) {
            throw new IllegalStateException("no");
          }
          throw new AssertionError("no");
        });
  }

  /** What it has not taken cannot be given to it again, as nobody knows how much that is. */
  @Example
  void shouldResetAFlowWhoseListenerThrowsAnError() {
    assertRefusedByAll(SimulatedRelays.line(1, 3), (flow, nodeId, port) -> new Failing());
  }

  private static final class Failing implements OverlayFlow.Listener {
    @Override
    public void onBytes(ByteBuffer bytes) {
      throw new AssertionError("bytes");
    }

    @Override
    public void onWritable() {
      throw new AssertionError("writable");
    }

    @Override
    public void onClosed(OverlayFlow.End end, String evidence) {
      throw new AssertionError("closed");
    }
  }

  @Example
  void shouldNotPassThroughNodesThatAreNotWilling() {
    SimulatedRelays relays = SimulatedRelays.line(1, 3);
    Node first = relays.nodes.get(0);
    Node last = relays.nodes.get(2);
    first.unwilling(relays.nodes.get(1));
    first.learn();
    assertFalse(first.relay.reaches(last.id));
    assertTrue(last.relay.reaches(first.id));
  }

  private enum Change {
    CUT,
    HEALED,
    DIED,
    STARTED,
    PAUSED;

    void happen(SimulatedRelays relays, Random random) {
      Cable cable = relays.cables.get(random.nextInt(relays.cables.size()));
      Node node = relays.nodes.get(random.nextInt(relays.nodes.size()));
      if (this == CUT && cable.isPlugged) {
        cable.cut();
      } else if (this == HEALED && !cable.isPlugged) {
        cable.plugIn();
      } else if (this == DIED && node.isAlive && random.nextInt(3) == 0) {
        node.die();
      } else if (this == STARTED && !node.isAlive) {
        node.start();
      } else if (this == PAUSED) {
        node.pause(random.nextInt(800) * MS_NS);
      }
    }
  }

  private static SimulatedRelays graph(long seed, int count) {
    SimulatedRelays relays = new SimulatedRelays(seed, 2, false);
    Random random = relays.random;
    for (int i = 0; i < count; i++) {
      relays.addNode();
      if (i > 0) {
        // Not longer than a chunk can go.
        relays.cable(Math.max(0, i - 1 - random.nextInt(8)), i);
      }
    }
    for (int i = random.nextInt(count); i > 0; i--) {
      int one = random.nextInt(count);
      int other = random.nextInt(count);
      if (one != other) {
        relays.cable(one, other);
      }
    }
    relays.runFor(SECOND_NS);
    return relays;
  }

  @Property(tries = 300, shrinking = ShrinkingMode.OFF)
  void shouldDeliverEachByteOnceWhateverHappensToCablesAndNodes(
      @ForAll long seed, @ForAll @IntRange(min = 3, max = 16) int count) {
    SimulatedRelays relays = graph(seed, count);
    Random random = relays.random;
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int from = random.nextInt(count);
      int to = (from + 1 + random.nextInt(count - 1)) % count;
      pairs.add(relays.open(from, to, i, random.nextInt(400_000), random.nextInt(40_000)));
    }
    Change[] changes = Change.values();
    for (int i = 0; i < 25; i++) {
      changes[random.nextInt(changes.length)].happen(relays, random);
      relays.runFor(random.nextInt(250) * MS_NS);
    }
    relays.cables.stream().filter(each -> !each.isPlugged).forEach(Cable::plugIn);
    relays.nodes.stream().filter(each -> !each.isAlive).forEach(Node::start);
    relays.runUntil(
        now -> pairs.stream().allMatch(each -> each.isDone() || hasEnded(each)), LIMIT_NS);
    for (Pair pair : pairs) {
      boolean isFine = pair.isDone() || pair.hasLostAnEnd() && hasEnded(pair);
      boolean isTooFar =
          !pair.from.relay.reaches(pair.to.id) && pair.near.end == OverlayFlow.End.UNREACHABLE;
      assertTrue(isFine || isTooFar, () -> "seed " + seed + ": " + pair);
    }
    relays.runFor(SECOND_NS);
    for (Cable cable : relays.cables) {
      assertEquals(
          0, cable.at(cable.one).taken, "seed " + seed + ": memory that was not given back");
    }
  }

  /** Whether each end that still lives has heard of the end. */
  private static boolean hasEnded(Pair pair) {
    return pair.hasLostAnEnd()
        && (pair.from.deaths > 0 || pair.near.end != null)
        && (pair.to.deaths > 0 || pair.far == null || pair.far.end != null);
  }

  private static void ring(SimulatedRelays relays, int count) {
    for (int i = 0; i < count; i++) {
      relays.addNode();
    }
    for (int i = 0; i < count; i++) {
      relays.cable(i, (i + 1) % count);
    }
  }

  /** All send to all, one way round a ring, with one receive of each class on each cable. */
  private static List<Pair> allToAll(SimulatedRelays relays, int count, boolean isClockwise) {
    ring(relays, count);
    for (int i = 0; i < count; i++) {
      Node node = relays.nodes.get(i);
      // As each node knows it, the ring is open behind it.
      Node behind = relays.nodes.get((i + (isClockwise ? count - 1 : 1)) % count);
      node.knows = cable -> !(cable.has(node) && cable.has(behind));
    }
    relays.runFor(SECOND_NS);
    relays.nodes.forEach(Node::learn);
    List<Pair> pairs = new ArrayList<>();
    for (int from = 0; from < count; from++) {
      for (int to = 0; to < count; to++) {
        if (from != to) {
          pairs.add(relays.open(from, to, from * count + to, BYTES, BYTES));
        }
      }
    }
    return pairs;
  }

  @Property(tries = 2, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void shouldEndAllToAllRoundARingWithOneReceiveOfEachClass(@ForAll long seed) {
    for (int count : new int[] {4, 8}) {
      for (boolean isClockwise : new boolean[] {true, false}) {
        SimulatedRelays relays = new SimulatedRelays(seed, 1, false);
        awaitDone(relays, allToAll(relays, count, isClockwise));
      }
    }
  }

  /** So the test before would notice a deadlock. */
  @Example
  void shouldStopForEverWhereAllClassesShareTheirReceives() {
    for (int count : new int[] {4, 8}) {
      for (boolean isClockwise : new boolean[] {true, false}) {
        SimulatedRelays relays = new SimulatedRelays(1, 1, true);
        List<Pair> pairs = allToAll(relays, count, isClockwise);
        assertFalse(
            relays.runUntil(now -> pairs.stream().allMatch(Pair::isDone), 9 * SECOND_NS),
            "no deadlock with one class on a ring of " + count);
      }
    }
  }

  @Example
  void shouldHoldUpNobodyBehindAReceiverThatTakesNothing() {
    SimulatedRelays relays = SimulatedRelays.line(7, 4);
    Pair stalled = relays.open(0, 3, 1, 3_000_000, 10);
    relays.runFor(100 * MS_NS);
    assertNotNull(stalled.far);
    stalled.far.takes = false;
    relays.runFor(SECOND_NS);
    long before = stalled.far.received;
    Pair same = relays.open(0, 3, 2, 3_000_000, 10);
    Pair other = relays.open(1, 3, 3, 3_000_000, 10);
    awaitDone(relays, List.of(same, other));
    assertEquals(before, stalled.far.received);
    stalled.far.takes = true;
    stalled.far.flow.resume();
    awaitDone(relays, List.of(stalled));
  }

  @Example
  void shouldKeepWhatAGoneSenderHasSentUntilItIsTakenOrTheFlowIsClosed() {
    SimulatedRelays relays = SimulatedRelays.line(7, 4);
    Pair pair = relays.open(0, 3, 1, 1_000_000, 10);
    assertTrue(relays.runUntil(now -> pair.far != null, SECOND_NS));
    pair.far.takes = false;
    // The far end asks whether the near one is there, which has ended and answers RESET.
    relays.runFor(5 * SECOND_NS);
    assertEquals(OverlayFlow.End.CLOSED, pair.near.end);
    assertNull(pair.far.end);
    pair.far.flow.close();
    relays.runFor(SECOND_NS);
    assertEquals(OverlayFlow.End.RESET, pair.far.end);
  }

  /** What goes through a node takes no more of its cable than it may, while its own waits. */
  @Property(tries = 6, shrinking = ShrinkingMode.OFF)
  void shouldPassOnNoMoreThanItsShareWhileOwnFlowsWait(@ForAll @IntRange(min = 1, max = 4) int k) {
    int percent = 10 * k;
    SimulatedRelays relays = SimulatedRelays.line(7, 3, 8, percent);
    Pair passing = relays.open(0, 2, 1, 30_000_000, 10);
    Pair own = relays.open(1, 2, 2, 30_000_000, 10);
    relays.runFor(100 * MS_NS);
    long passedBefore = passing.far.received;
    long ownBefore = own.far.received;
    relays.runFor(100 * MS_NS);
    double passed = passing.far.received - passedBefore;
    double share = 100 * passed / (passed + own.far.received - ownBefore);
    assertTrue(share > percent - 5 && share < percent + 2, share + " instead of " + percent);
    awaitDone(relays, List.of(passing, own));
  }

  /** A neighbour that takes nothing of a node's own does not hold up what that passes on. */
  @Example
  void shouldPassOnWhileOwnChunksDoNotArrive() {
    SimulatedRelays relays = SimulatedRelays.line(7, 3, 2, 1);
    relays.cables.get(1).at(relays.nodes.get(2)).stopsTaking(1);
    Pair own = relays.open(1, 2, 2, 1_000_000, 10);
    Pair passing = relays.open(0, 2, 1, 100_000, 10);
    assertTrue(relays.runUntil(now -> passing.far != null && passing.far.isDone(), SECOND_NS));
    assertFalse(own.isDone());
  }

  @Example
  void shouldTakeADetourWhileAnyLeadsThere() {
    SimulatedRelays relays = new SimulatedRelays(3, 2, false);
    for (int i = 0; i < 3; i++) {
      relays.addNode();
    }
    relays.cable(0, 2);
    Cable detour = relays.cable(0, 1);
    relays.cable(1, 2);
    relays.runFor(SECOND_NS);
    Pair pair = relays.open(0, 2, 1, 20_000_000, 10);
    pair.near.flow.takeDetour();
    relays.runFor(100 * MS_NS);
    long relayed = relays.nodes.get(1).relay.count(RelayCounter.RELAYED_CHUNKS);
    assertTrue(relayed > 100, relayed + " chunks over the detour");
    detour.cut();
    relays.runFor(SECOND_NS);
    relayed = relays.nodes.get(1).relay.count(RelayCounter.RELAYED_CHUNKS);
    detour.plugIn();
    relays.runFor(SECOND_NS);
    assertTrue(relays.nodes.get(1).relay.count(RelayCounter.RELAYED_CHUNKS) > relayed);
    awaitDone(relays, List.of(pair));
  }

  /** One relay stops for seconds; flows by others go on, and its own too, once it goes on. */
  @Example
  void shouldOutliveARelayThatPauses() {
    SimulatedRelays relays = SimulatedRelays.line(7, 4);
    Pair pair = relays.open(0, 3, 1, 3_000_000, 10);
    relays.runFor(50 * MS_NS);
    relays.nodes.get(1).pause(5 * SECOND_NS);
    Pair beside = relays.open(2, 3, 2, 3_000_000, 10);
    assertTrue(relays.runUntil(now -> beside.isDone(), 4 * SECOND_NS), () -> "" + beside);
    assertFalse(pair.isDone());
    awaitDone(relays, List.of(pair));
  }

  /**
   * It is stopped for longer than a flow waits, and nothing says so. Each end notices by itself, as
   * both send; or one alone has something to send, and the other only answers.
   */
  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void shouldGoRoundARelayThatHasStopped(
      @ForAll long seed,
      @ForAll @IntRange(max = 15) int stoppedAfterMs,
      @ForAll boolean isBegun,
      @ForAll boolean doBothSend) {
    SimulatedRelays relays = new SimulatedRelays(seed, 2, false);
    // Of the two ways from 0 to 2 that over 1 is taken by both, and that over 3 and 4 is longer.
    ring(relays, 5);
    relays.runFor(SECOND_NS);
    Node stopped = relays.nodes.get(1);
    long bytesBack = doBothSend ? 10_000_000 : 10;
    if (!isBegun) {
      stopped.pause(3 * FlowPatience.LIMIT_NS);
    }
    Pair pair = relays.open(0, 2, 1, 10_000_000, bytesBack);
    relays.runFor(stoppedAfterMs * MS_NS);
    assertFalse(pair.isDone());
    stopped.pause(3 * FlowPatience.LIMIT_NS);
    Pair beside = relays.open(0, 4, 2, 3_000_000, 10);
    assertTrue(
        relays.runUntil(now -> pair.isDone() && beside.isDone(), 2 * FlowPatience.LIMIT_NS),
        () -> "seed " + seed + ": " + pair);
    assertTrue(relays.nodes.get(0).relay.count(RelayCounter.DIVERTED_FLOWS) > 0);
    assertTrue(relays.nodes.get(3).relay.count(RelayCounter.RELAYED_BYTES) > 5_000_000);
  }

  /** Three ways from 0 to 5: over 1, over 2, and over 3 and 4; and a cable from 0 to 6 beside. */
  private static SimulatedRelays threeWays(long seed) {
    SimulatedRelays relays = new SimulatedRelays(seed, 2, false);
    for (int i = 0; i < 7; i++) {
      relays.addNode();
    }
    for (int[] ends : new int[][] {{0, 1}, {1, 5}, {0, 2}, {2, 5}, {0, 3}, {3, 4}, {4, 5}}) {
      relays.cable(ends[0], ends[1]);
    }
    relays.cable(0, 6);
    relays.runFor(SECOND_NS);
    return relays;
  }

  /** Both of the shortest ways are stopped for longer than a flow waits, and nothing says so. */
  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void shouldTakeAThirdWayWhereRelaysOnTwoHaveStopped(
      @ForAll long seed,
      @ForAll @IntRange(max = 15) int stoppedAfterMs,
      @ForAll boolean doBothSend) {
    SimulatedRelays relays = threeWays(seed);
    Pair pair = relays.open(0, 5, 1, 5_000_000, doBothSend ? 5_000_000 : 10);
    relays.runFor(stoppedAfterMs * MS_NS);
    assertFalse(pair.isDone());
    relays.nodes.get(1).pause(3 * FlowPatience.LIMIT_NS);
    relays.nodes.get(2).pause(3 * FlowPatience.LIMIT_NS);
    assertTrue(
        relays.runUntil(now -> pair.isDone(), 3 * SECOND_NS), () -> "seed " + seed + ": " + pair);
    assertTrue(relays.nodes.get(3).relay.count(RelayCounter.RELAYED_BYTES) > 4_000_000);
    assertTrue(relays.nodes.get(0).relay.count(RelayCounter.DIVERTED_FLOWS) <= 2);
  }

  /** A cable elsewhere comes and goes, for which all nodes select their routes anew. */
  @Property(tries = 5, shrinking = ShrinkingMode.OFF)
  void shouldNotReturnToStoppedRelaysWhenTheMeshChanges(
      @ForAll long seed, @ForAll boolean doBothSend) {
    SimulatedRelays relays = threeWays(seed);
    Cable beside = relays.cables.get(7);
    Pair pair = relays.open(0, 5, 1, 25_000_000, doBothSend ? 25_000_000 : 10);
    relays.nodes.get(1).pause(3 * FlowPatience.LIMIT_NS);
    relays.nodes.get(2).pause(3 * FlowPatience.LIMIT_NS);
    relays.runUntil(now -> pair.far != null && pair.far.received > 1_000_000, 3 * SECOND_NS);
    long before = relays.nodes.get(0).relay.count(RelayCounter.DIVERTED_FLOWS);
    assertEquals(2, before);
    for (int i = 0; i < 12 && !pair.isDone(); i++) {
      long received = pair.far.received;
      if (beside.isPlugged) {
        beside.cut();
      } else {
        beside.plugIn();
      }
      relays.runFor(100 * MS_NS);
      assertTrue(pair.isDone() || pair.far.received > received, () -> "seed " + seed + ": " + pair);
    }
    assertEquals(before, relays.nodes.get(0).relay.count(RelayCounter.DIVERTED_FLOWS));
  }

  /** All ways are stopped; each is tried again later than the time before, until one goes on. */
  @Example
  void shouldTryStoppedWaysAgainSeldom() {
    SimulatedRelays relays = threeWays(5);
    Pair pair = relays.open(0, 5, 1, 5_000_000, 10);
    relays.runFor(10 * MS_NS);
    for (int i = 1; i <= 3; i++) {
      relays.nodes.get(i).pause(9 * SECOND_NS);
    }
    relays.runFor(8 * SECOND_NS);
    long diverted = relays.nodes.get(0).relay.count(RelayCounter.DIVERTED_FLOWS);
    assertTrue(diverted >= 3 && diverted <= 6, diverted + " times");
    awaitDone(relays, List.of(pair));
  }

  @Example
  void shouldTakeTheOtherWayWhenACableIsCut() {
    SimulatedRelays relays = new SimulatedRelays(3, 2, false);
    for (int i = 0; i < 3; i++) {
      relays.addNode();
    }
    Cable direct = relays.cable(0, 2);
    relays.cable(0, 1);
    relays.cable(1, 2);
    relays.runFor(SECOND_NS);
    Pair pair = relays.open(0, 2, 1, 20_000_000, 10);
    relays.runFor(100 * MS_NS);
    assertEquals(0, relays.nodes.get(1).relay.count(RelayCounter.RELAYED_CHUNKS));
    direct.cut();
    relays.runFor(SECOND_NS);
    assertTrue(relays.nodes.get(1).relay.count(RelayCounter.RELAYED_CHUNKS) > 0);
    assertFalse(pair.isDone());
    direct.plugIn();
    relays.runFor(SECOND_NS);
    assertEquals(1, relays.nodes.get(0).relay.route(pair.to.id).hops());
    awaitDone(relays, List.of(pair));
  }

  /** Peers lie: whatever comes is counted, its memory is given back, and others go on. */
  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void shouldSurviveWhateverANeighbourSends(@ForAll long seed) {
    SimulatedRelays relays = SimulatedRelays.line(seed, 3);
    Node self = relays.nodes.get(1);
    Node liar = relays.nodes.get(0);
    Pair pair = relays.open(0, 2, 1, 100_000, 10);
    pair.isForged = true;
    Pair own = relays.open(1, 2, 2, 2_000_000, 10);
    relays.runFor(2 * MS_NS);
    Random random = relays.random;
    NodeNumber[] route = {liar.id, self.id, relays.nodes.get(2).id};
    for (int i = 0; i < 200; i++) {
      int hopClass = 1 + random.nextInt(ChunkHeader.MAX_HOPS);
      Chunk chunk =
          new Chunk(
              relays.cables.get(0).at(self),
              hopClass,
              0,
              ByteBuffer.allocate(SimulatedRelays.CHUNK_BYTES));
      int lengthBytes = random.nextInt(SimulatedRelays.CHUNK_BYTES + 1);
      random.nextBytes(chunk.bytes.array());
      if (random.nextBoolean()) {
        int hops = 1 + random.nextInt(2);
        int payloadBytes = Math.max(0, lengthBytes - ChunkHeader.BYTES);
        ChunkHeader.putRoute(chunk.bytes, random.nextInt(256), route, hops, payloadBytes);
        ChunkHeader.putFlow(
            chunk.bytes,
            random.nextInt(4),
            random.nextInt(4) - 1,
            random.nextInt(),
            small(random),
            small(random),
            small(random),
            random.nextInt(4));
        lengthBytes = ChunkHeader.BYTES + payloadBytes;
      }
      relays.cables.get(0).at(self).taken++;
      self.relay.received(relays.cables.get(0).at(self), chunk, lengthBytes);
      relays.runFor(MS_NS / 10);
    }
    assertTrue(self.relay.count(RelayCounter.INVALID_CHUNKS) > 0);
    awaitDone(relays, List.of(own));
    relays.runFor(SECOND_NS);
    assertEquals(0, relays.cables.get(0).at(self).taken, () -> "" + pair);
  }

  private static long small(Random random) {
    return random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(200_000) - 1000;
  }
}
