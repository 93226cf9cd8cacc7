// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.topology.Cable;
import io.meshtransport.topology.NodeCommand;
import io.meshtransport.topology.NodeEvent;
import io.meshtransport.topology.NodeEvent.Outcome;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.NodeProcess;
import io.meshtransport.topology.RunningMesh;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What happens to a cable and its ends on real verbs: MTUs, addresses that move, interfaces that go
 * down, a peer that loses power, numbers of a host that has lived long. One pair of guests and of
 * JVMs for all of it, since they take longer to start than the tests to run; so the order matters:
 * the tests that end the peer come last.
 *
 * <p>Also tests {@link io.meshtransport.topology.PortScan} and {@link
 * io.meshtransport.topology.QueuePairNumberAdvance}.
 */
@RequiresLab
@TestMethodOrder(OrderAnnotation.class)
class RoceLinkTest {
  private static final String A = "a";
  private static final String B = "b";
  private static final Topology PAIR = Topologies.PAIR.withMtu(GuestNic.MAX_MTU_BYTES);
  private static final Cable CABLE = PAIR.cables().get(0);
  private static final String ADDRESS_OF_A = "10.77.1.1/24";

  /** The last four groups of the GID of {@link #ADDRESS_OF_A}. */
  private static final String GID_OF_A = "0000:ffff:0a4d:0101";

  private static final String NETDEV_OF_A = PAIR.interfaceName(CABLE, A);
  private static final String NETDEV_OF_B = PAIR.interfaceName(CABLE, B);
  private static final int MIB = 1 << 20;
  private static final int BUFFER_BYTES = 4 * MIB;
  private static final int OUTSTANDING = 32;
  private static final long SEED = Long.getLong("mesh.seed", System.nanoTime());

  /** MESH_TIMEOUT_MS: what takes a millisecond elsewhere takes a tenth of a second in a guest. */
  private static final Duration TIMEOUT = Duration.ofSeconds(12);

  /** On a busy host a guest may pause for longer than 7 times 67 ms; so 7 times 1.07 s. */
  private static final NodeJvm NODES =
      new NodeJvm(
          Map.of("MESH_TIMEOUT_MS", String.valueOf(TIMEOUT.toMillis()), "MESH_IB_TIMEOUT", "18"),
          GuestJvm.QUICK_START,
          false);

  private static final Duration PROMISE = TIMEOUT.multipliedBy(2);
  private static final Duration STEP = Duration.ofSeconds(120);

  /** Soft-RoCE gives numbers out one after the other, from 17 on. */
  private static final int BEYOND_16_BITS = 1 << 16;

  /** As in {@code link rxe_to-b/1 lqpn 17 rqpn 18 type RC state RTS ...}. */
  private static final Pattern QUEUE_PAIR_NUMBER = Pattern.compile("lqpn (\\d+)");

  /** Fifty bytes in a second; the first packets of all may leave at once. */
  private static final String HOLD_PACKETS =
      "tc qdisc replace dev %s root tbf rate 400bit burst 9100 limit 100mb";

  private static final int HELD_BYTES = 16_384;
  private static final int MOST_TEXT = 4_000;

  private static final Duration SPENDING = Duration.ofMinutes(6);

  private static final Set<Reason> BROKEN = Set.of(Reason.PEER_GONE, Reason.DEVICE);

  private static LabFabric fabric;
  private static RunningMesh mesh;
  private static NodeProcess spender;
  private static boolean tidy = true;

  @BeforeAll
  static void boot() {
    System.out.println("messages follow from -Dmesh.seed=" + SEED);
    fabric = TestLab.boot(PAIR, LabOptions.STANDARD);
    mesh = RunningMesh.start(fabric, NODES);
  }

  /** What a test that failed has left its nodes doing must not fail the next. */
  @BeforeEach
  void beginTidily() {
    if (!tidy) {
      mesh.close();
      fabric.run(A, "bash", "-c", "tc qdisc del dev " + NETDEV_OF_A + " root 2>/dev/null; :");
      fabric.run(A, "ip", "link", "set", "dev", NETDEV_OF_A, "up");
      mesh = RunningMesh.start(fabric, NODES);
    }
    tidy = false;
  }

  @AfterAll
  static void switchOff() {
    if (spender != null) {
      spender.close();
    }
    if (mesh != null) {
      mesh.close();
    }
    if (fabric != null) {
      fabric.close();
    }
  }

  private static void connect() {
    mesh.connectAll(BUFFER_BYTES, STEP);
  }

  private static void exchange(NodeCommand.Batch... batches) {
    mesh.exchange(List.of(batches), SEED, STEP);
  }

  @Test
  @Order(1)
  void shouldFindTheRdmaDeviceOfTheCable() {
    NodeEvent.FoundNics seen = scanNics(Map.of());
    NodeEvent.FoundNic expected =
        new NodeEvent.FoundNic(
            "ibverbs",
            fabric.rdmaDevice(CABLE, A),
            NETDEV_OF_A,
            List.of(ADDRESS_OF_A),
            rowOf(GID_OF_A),
            "RoCE v2",
            4096,
            "ACTIVE");
    assertEquals(List.of(expected), seen.nics(), seen.refusals().toString());
    assertEquals(List.of(fabric.rdmaDevice(CABLE, A)), mesh.opened(A).nics());
    assertEquals("ibverbs", mesh.opened(A).provider());
    tidy = true;
  }

  @Test
  @Order(1)
  void shouldRefuseAPinnedRowThatWouldNotDoAndNameThoseThatWould() {
    int good = rowOf(GID_OF_A);
    int linkLocal = rowOf("fe80:0000:0000:0000");
    assertRefused(linkLocal, "that row is fe80:0000", good);
    assertRefused(200, "that row is empty", good);

    NodeEvent.FoundNics seen = scanNics(Map.of("MESH_GID_INDEX", String.valueOf(good)));
    assertEquals(List.of(good), seen.nics().stream().map(NodeEvent.FoundNic::gidIndex).toList());
    tidy = true;
  }

  private static void assertRefused(int row, String content, int good) {
    NodeEvent.FoundNics seen = scanNics(Map.of("MESH_GID_INDEX", String.valueOf(row)));
    assertEquals(List.of(), seen.nics());
    String all = String.join("\n", seen.refusals());
    assertTrue(all.contains("MESH_GID_INDEX=" + row + ": " + content), all);
    assertTrue(all.contains("set it to " + good + " (" + ADDRESS_OF_A + ")"), all);
  }

  private static NodeEvent.FoundNics scanNics(Map<String, String> settings) {
    mesh.node(A).send(new NodeCommand.ScanNics(settings));
    return mesh.node(A).awaitEvent(NodeEvent.FoundNics.class, STEP);
  }

  @Test
  @Order(2)
  void shouldNeverMeetAReceiverThatIsNotReady() {
    connect();
    exchange(
        new NodeCommand.Batch(10, 0),
        new NodeCommand.Batch(100, 1),
        new NodeCommand.Batch(50, 4096),
        new NodeCommand.Batch(10, MIB),
        new NodeCommand.Batch(3, BUFFER_BYTES - 1));
    RdmaCounters sum = RdmaCounters.sumOf(fabric);
    assertEquals(0, sum.notReady(), sum.toString());
    assertTrue(sum.packets() > 0, sum.toString());
    tidy = true;
  }

  @Test
  @Order(3)
  void shouldUseTheSmallerMtuOfBothEnds() {
    assertPathMtu(9000, 9000, 4096);
    assertPathMtu(4200, 4200, 4096);
    assertPathMtu(1500, 1500, 1024);
    assertPathMtu(1500, 9000, 1024);
    assertPathMtu(4200, 1500, 1024);
    assertPathMtu(9000, 4200, 4096);
    tidy = true;
  }

  private static void assertPathMtu(int mtuOfA, int mtuOfB, int pathMtu) {
    fabric.run(A, "ip", "link", "set", "dev", NETDEV_OF_A, "mtu", String.valueOf(mtuOfA));
    fabric.run(B, "ip", "link", "set", "dev", NETDEV_OF_B, "mtu", String.valueOf(mtuOfB));
    // A transport sees within a second that an interface's MTU has grown.
    long deadlineNs = System.nanoTime() + TIMEOUT.toNanos();
    long packets;
    do {
      connect();
      long before = RdmaCounters.of(fabric, B, CABLE).packets();
      exchange(new NodeCommand.Batch(2, MIB));
      packets = RdmaCounters.of(fabric, B, CABLE).packets() - before;
    } while (packets >= mostPackets(pathMtu) && System.nanoTime() - deadlineNs < 0);
    String what = mtuOfA + " and " + mtuOfB + ": " + packets + " packets";
    assertTrue(packets >= 2 * MIB / pathMtu, what);
    assertTrue(packets < mostPackets(pathMtu), what);
  }

  /**
   * What came is data and few acknowledgements; a path MTU of a quarter makes four times as many.
   */
  private static long mostPackets(int pathMtu) {
    return 2L * 2 * MIB / pathMtu;
  }

  @Test
  @Order(4)
  void shouldFollowAnAddressToAnotherRow() {
    connect();
    int before = rowOf(GID_OF_A);
    fabric.run(A, "ip", "addr", "del", ADDRESS_OF_A, "dev", NETDEV_OF_A);
    fabric.run(A, "ip", "addr", "add", "10.99.0.1/24", "dev", NETDEV_OF_A);
    fabric.run(A, "ip", "addr", "add", ADDRESS_OF_A, "dev", NETDEV_OF_A);
    assertNotEquals(before, rowOf(GID_OF_A), "the row has not moved: this test shows nothing");

    // The links of before may live on, and may break; then with a reason.
    mesh.startExchange(List.of(new NodeCommand.Batch(2, MIB)), SEED, TIMEOUT);
    for (String node : List.of(A, B)) {
      NodeEvent heard = mesh.node(node).awaitAnyEvent(STEP);
      if (heard instanceof NodeEvent.Failed broke) {
        assertReportsTheMove(node, broke);
      } else {
        assertInstanceOf(NodeEvent.Exchanged.class, heard, node);
      }
    }

    connect();
    exchange(new NodeCommand.Batch(2, MIB));
    tidy = true;
  }

  /** Only the device of A has seen the address go; B merely misses its peer. */
  private static void assertReportsTheMove(String node, NodeEvent.Failed broke) {
    Reason reason = Reason.valueOf(broke.reason());
    assertTrue(reason == Reason.TIMED_OUT || BROKEN.contains(reason), node + ": " + broke);
    if (node.equals(A) && BROKEN.contains(reason)) {
      assertTrue(broke.text().contains("GID_CHANGE"), broke.text());
    }
  }

  /** The row of A's GID table that contains this. */
  private static int rowOf(String gid) {
    String gids = "/sys/class/infiniband/" + fabric.rdmaDevice(CABLE, A) + "/ports/1/gids";
    String file = fabric.run(A, "grep", "-rl", gid, gids).strip();
    return Integer.parseInt(file.substring(file.lastIndexOf('/') + 1));
  }

  @Test
  @Order(5)
  void shouldReportEveryRequestAndTheEventWhenAnInterfaceGoesDown() {
    connect();
    postReceives(B, A);
    postSends(A, B, BUFFER_BYTES);
    long postedNs = System.nanoTime();
    fabric.run(A, "ip", "link", "set", "dev", NETDEV_OF_A, "down");
    long whileWhole = millisSince(postedNs);

    for (Outcome outcome : assertEnded(outcomes(A), BROKEN, whileWhole)) {
      assertTrue(outcome.text().contains("PORT_ERR"), outcome.text());
    }
    // The other end keeps its interface, and learns of it by silence.
    assertEnded(outcomes(B), Set.of(Reason.PEER_GONE), whileWhole);

    fabric.run(A, "ip", "link", "set", "dev", NETDEV_OF_A, "up");
    connect();
    exchange(new NodeCommand.Batch(2, MIB));
    tidy = true;
  }

  /**
   * Soft-RoCE destroys a queue pair when its last packet has left the interface's queue, and waits
   * up to 50 s for that. An interface that goes down at the wrong moment keeps packets just so.
   */
  @Test
  @Order(5)
  void shouldReportRequestsInTimeThoughTheDriverWaitsForPacketsInAQueue() {
    tidy = true;
    assumeTrue(
        Boolean.getBoolean("mesh.test.long"),
        "GivingBackTest keeps the caller in software; -Dmesh.test.long=true has Soft-RoCE do it");
    tidy = false;
    connect();
    postReceives(B, A);
    fabric.run(A, HOLD_PACKETS.formatted(NETDEV_OF_A).split(" "));
    // Fewer packets than Soft-RoCE has queued at most, or its own timer stops.
    mesh.node(A).send(new NodeCommand.PostSends(B, 1, HELD_BYTES, patienceMs()));
    mesh.node(A).awaitEvent(NodeEvent.Posted.class, STEP);

    Outcome outcome = outcomes(A).get(0);
    assumeTrue(
        !outcome.result().equals(Outcome.PENDING),
        "Soft-RoCE's own timer stood still on this busy host: the queue pair never failed");
    assertTrue(
        BROKEN.stream().anyMatch(reason -> reason.name().equals(outcome.result())),
        () -> outcome + bothEnds());
    assertTrue(outcome.millis() < PROMISE.toMillis(), () -> outcome + bothEnds());
    assertTrue(
        mesh.node(A).errors().contains("has not taken queue pair"),
        () -> "the driver was not kept: this test shows nothing" + bothEnds());
    outcomes(B);

    // While the driver still waits, another channel can be had.
    long beganNs = System.nanoTime();
    fabric.run(A, "tc", "qdisc", "del", "dev", NETDEV_OF_A, "root");
    connect();
    exchange(new NodeCommand.Batch(2, MIB));
    long connectedMs = millisSince(beganNs);
    assertTrue(connectedMs < PROMISE.toMillis(), () -> connectedMs + " ms" + bothEnds());
    tidy = true;
  }

  private static String bothEnds() {
    return "\na:\n"
        + mesh.node(A).errors()
        + fabric.run(A, "dmesg").lines().skip(1).reduce("", RoceLinkTest::lastLines)
        + "\nb:\n"
        + mesh.node(B).errors();
  }

  private static String lastLines(String before, String line) {
    String all = before + "\n" + line;
    return all.length() > MOST_TEXT ? all.substring(all.length() - MOST_TEXT) : all;
  }

  /** Before the peer is gone, and started early, because it is slow beside all the others. */
  @Test
  @Order(6)
  void shouldConnectQueuePairsWithNumbersBeyondSixteenBits() {
    // If it is left out, the guests are as they were.
    tidy = true;
    assumeTrue(
        Boolean.getBoolean("mesh.test.long"),
        "spending 65,536 queue pair numbers takes a guest more than a minute; -Dmesh.test.long=true does it");
    tidy = false;
    spender = mesh.startProcess(A);
    spender.send(
        new NodeCommand.AdvanceQueuePairNumbers(fabric.rdmaDevice(CABLE, A), BEYOND_16_BITS));
    spender.awaitEvent(NodeEvent.Done.class, SPENDING);

    connect();
    exchange(new NodeCommand.Batch(2, MIB));
    int largest =
        QUEUE_PAIR_NUMBER
            .matcher(fabric.run(A, "rdma", "resource", "show", "qp"))
            .results()
            .mapToInt(found -> Integer.parseInt(found.group(1)))
            .max()
            .orElse(0);
    assertTrue(largest > BEYOND_16_BITS, "the largest number is " + largest);
    tidy = true;
  }

  @Test
  @Order(7)
  void shouldReportEveryRequestWhenThePeerLosesPower() {
    connect();
    postReceives(B, A);
    postSends(A, B, BUFFER_BYTES);
    long postedNs = System.nanoTime();
    fabric.powerOff(B);

    assertEnded(outcomes(A), Set.of(Reason.PEER_GONE), millisSince(postedNs));

    // A side that only waits for that peer learns of the death, too.
    mesh.node(A).send(new NodeCommand.PostReceives(B, 1, MIB, patienceMs()));
    mesh.node(A).awaitEvent(NodeEvent.Posted.class, STEP);
    Outcome waiting = outcomes(A).get(0);
    assertEquals(Reason.PEER_GONE.name(), waiting.result(), waiting.toString());
    assertTrue(waiting.millis() < PROMISE.toMillis(), waiting.toString());
    tidy = true;
  }

  /**
   * Each request has ended, done or for one of these reasons, and within the promised time after
   * the link broke. A busy guest is slow to break it.
   *
   * @param whileWhole milliseconds from when the requests were posted to when it was broken
   * @return those that were not done, of which there is at least one
   */
  private static List<Outcome> assertEnded(
      List<Outcome> outcomes, Set<Reason> reasons, long whileWhole) {
    assertEquals(OUTSTANDING, outcomes.size());
    long limit = whileWhole + PROMISE.toMillis();
    outcomes.forEach(
        each ->
            assertTrue(
                each.millis() < limit, () -> "not within " + limit + " ms: " + each + bothEnds()));
    List<Outcome> broken =
        outcomes.stream().filter(each -> !each.result().equals(Outcome.DONE)).toList();
    assertFalse(
        broken.isEmpty(), "everything had arrived before the link broke: this test shows nothing");
    Set<String> names = reasons.stream().map(Reason::name).collect(Collectors.toSet());
    broken.forEach(each -> assertTrue(names.contains(each.result()), each::toString));
    return broken;
  }

  private static long millisSince(long thenNs) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - thenNs);
  }

  private static long patienceMs() {
    return PROMISE.multipliedBy(3).toMillis();
  }

  /** Receives for whole buffers, so that payload is in flight as soon as the peer sends. */
  private static void postReceives(String node, String peer) {
    mesh.node(node)
        .send(new NodeCommand.PostReceives(peer, OUTSTANDING, BUFFER_BYTES, patienceMs()));
    mesh.node(node).awaitEvent(NodeEvent.Posted.class, STEP);
  }

  private static void postSends(String node, String peer, int lengthBytes) {
    mesh.node(node).send(new NodeCommand.PostSends(peer, OUTSTANDING, lengthBytes, patienceMs()));
    mesh.node(node).awaitEvent(NodeEvent.Posted.class, STEP);
  }

  private static List<Outcome> outcomes(String node) {
    return mesh.node(node).awaitEvent(NodeEvent.Outcomes.class, STEP).outcomes();
  }
}
