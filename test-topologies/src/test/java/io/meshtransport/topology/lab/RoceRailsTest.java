// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.NodeCommand.Batch;
import io.meshtransport.topology.NodeEvent;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.RunningMesh;
import io.meshtransport.topology.Topologies;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Channels of four rails on real verbs: two queue pairs on each of the two cables between two
 * guests. One pair of guests and of JVMs for all of it, since they take longer to start than the
 * tests to run; what cuts a cable comes last, and mends it.
 */
@RequiresLab
@EnabledIfSystemProperty(
    named = "mesh.test.long",
    matches = "true",
    disabledReason =
        "RailsTest cuts cables in software, and this takes a minute; -Dmesh.test.long=true runs both")
@TestMethodOrder(OrderAnnotation.class)
class RoceRailsTest {
  private static final List<String> NODES = List.of("a", "b");
  private static final int RAILS_PER_CABLE = 2;

  /** At each end; there are two channels, one in each direction. */
  private static final long QUEUE_PAIRS_PER_CABLE = 2L * RAILS_PER_CABLE;

  /** On a busy host a guest may pause for longer than 7 times 67 ms; so 7 times 1.07 s. */
  private static final NodeJvm JVM =
      new NodeJvm(
          Map.of(
              "MESH_RAILS",
              "2",
              "MESH_QPS_PER_CONNECTION",
              String.valueOf(RAILS_PER_CABLE),
              "MESH_TIMEOUT_MS",
              "12000",
              "MESH_IB_TIMEOUT",
              "18"),
          GuestJvm.QUICK_START,
          false);

  /** For one message; less than for a step, so that a node says by itself what it misses. */
  private static final Duration MESSAGE = Duration.ofSeconds(60);

  private static final Duration STEP = Duration.ofSeconds(120);
  private static final int MIB = 1 << 20;
  private static final int BUFFER_BYTES = 4 * MIB;
  private static final int PACKET_BYTES = 4096;
  private static final long SEED = Long.getLong("mesh.seed", System.nanoTime());

  /** All that go over the primary: empty, one byte, one page, and the longest of them. */
  private static final List<Batch> SHORT =
      List.of(new Batch(10, 0), new Batch(20, 1), new Batch(20, 4096), new Batch(10, 128 << 10));

  /** Some seconds; the end of the first batch shows that messages flow over all rails. */
  private static final List<Batch> LONG =
      List.of(new Batch(1, BUFFER_BYTES - 1), new Batch(5, 3 * MIB + 1), new Batch(1, 1));

  private static final Semaphore BATCHES_ARRIVED = new Semaphore(0);

  private static LabFabric fabric;
  private static RunningMesh mesh;
  private static boolean tidy = true;

  /** The cable whose first rail leads from the first node to the second. */
  private int lead;

  @BeforeAll
  static void boot() {
    System.out.println("messages follow from -Dmesh.seed=" + SEED);
    fabric = TestLab.boot(Topologies.PAIR_TWO_CABLES);
    start();
  }

  private static void start() {
    mesh = RunningMesh.start(fabric, JVM, (node, progress) -> BATCHES_ARRIVED.release());
  }

  /** What a test that failed has left its nodes doing must not fail the next. */
  @BeforeEach
  void beginTidily() {
    if (!tidy) {
      mesh.close();
      cables().forEach(fabric::mend);
      start();
    }
    tidy = false;
    String subnet = mesh.connectAll(BUFFER_BYTES, STEP).get(NODES.get(0)).get(0).subnet();
    lead = cables().get(0).subnet().equals(subnet) ? 0 : 1;
    awaitAllQueuePairs();
  }

  @AfterAll
  static void switchOff() {
    if (mesh != null) {
      mesh.close();
    }
    if (fabric != null) {
      fabric.close();
    }
  }

  @Test
  @Order(1)
  void shouldCarryEveryByteOverAllQueuePairsOfBothCables() {
    assertArrived(SHORT, mesh.exchange(SHORT, SEED, MESSAGE));

    List<Long> before = packetsOfEachCable();
    assertArrived(LONG, mesh.exchange(LONG, SEED, MESSAGE));
    List<Long> after = packetsOfEachCable();
    for (int i = 0; i < after.size(); i++) {
      long packets = after.get(i) - before.get(i);
      // A real part of what came: acknowledgements alone, all on one cable, make a sixth.
      assertTrue(packets > packets(LONG) / 5, cables().get(i) + ": " + packets + " packets");
    }
    assertEquals(0, RdmaCounters.sumOf(fabric).notReady());
    tidy = true;
  }

  @Test
  @Order(2)
  void shouldLoseNothingWhenThePrimarysCableIsCutInMidMessage() throws InterruptedException {
    assertSurvivesTheLossOf(lead);
  }

  @Test
  @Order(3)
  void shouldLoseNothingWhenTheOtherCableIsCutInMidMessage() throws InterruptedException {
    assertSurvivesTheLossOf(1 - lead);
  }

  private void assertSurvivesTheLossOf(int cut) throws InterruptedException {
    Cable cable = cables().get(cut);
    List<Long> before = packetsOfEachCable();
    BATCHES_ARRIVED.drainPermits();
    mesh.startExchange(LONG, SEED, MESSAGE);
    assertTrue(BATCHES_ARRIVED.tryAcquire(STEP.toSeconds(), TimeUnit.SECONDS), "no traffic");
    fabric.cut(cable);
    int late = BATCHES_ARRIVED.availablePermits();
    assertTrue(late < LONG.size() - 1, "cut after " + late + " more batches: too late");

    for (String node : NODES) {
      assertArrived(
          LONG, Map.of(node, mesh.node(node).awaitEvent(NodeEvent.Exchanged.class, STEP)));
    }
    List<Long> after = packetsOfEachCable();
    long onTheCut = after.get(cut) - before.get(cut);
    assertTrue(onTheCut > 0, "what was cut had carried nothing");
    assertTrue(onTheCut < packets(LONG) / 2, "cut after " + onTheCut + " packets: too late");
    // The same channels go on, with one cable, in both directions.
    assertArrived(SHORT, mesh.exchange(SHORT, SEED, MESSAGE));
    fabric.mend(cable);
    NODES.forEach(node -> awaitPort(node, cable));
    tidy = true;
  }

  private static void assertArrived(List<Batch> batches, Map<String, NodeEvent.Exchanged> all) {
    NodeEvent.Exchanged expected =
        new NodeEvent.Exchanged(
            batches.stream().mapToLong(Batch::count).sum(),
            batches.stream().mapToLong(RoceRailsTest::bytes).sum());
    all.forEach((node, arrived) -> assertEquals(expected, arrived, node));
  }

  private static long bytes(Batch batch) {
    return (long) batch.count() * batch.lengthBytes();
  }

  /** The packets needed to carry these in one direction, and no others. */
  private static long packets(List<Batch> batches) {
    return batches.stream().mapToLong(RoceRailsTest::bytes).sum() / PACKET_BYTES;
  }

  /** What arrived at the second node: data, and few acknowledgements. */
  private static List<Long> packetsOfEachCable() {
    return cables().stream()
        .map(cable -> RdmaCounters.of(fabric, NODES.get(1), cable).packets())
        .toList();
  }

  /** Rails beside the first join when the channel is already open. */
  private static void awaitAllQueuePairs() {
    List<Long> all = Collections.nCopies(cables().size(), QUEUE_PAIRS_PER_CABLE);
    for (String node : NODES) {
      await(() -> queuePairs(node).equals(all), () -> node + " has " + queuePairs(node));
    }
  }

  private static void awaitPort(String node, Cable cable) {
    String file = "/sys/class/infiniband/" + fabric.rdmaDevice(cable, node) + "/ports/1/state";
    await(
        () -> fabric.run(node, "cat", file).contains("ACTIVE"),
        () -> node + ", " + cable + ": the port has not come back");
  }

  /** Each check starts a program in a guest, which needs time by itself. */
  private static void await(BooleanSupplier isThere, Supplier<String> what) {
    long deadlineNs = System.nanoTime() + STEP.toNanos();
    while (!isThere.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadlineNs, what);
    }
  }

  /** Of each cable at a node, without the device's own. */
  private static List<Long> queuePairs(String node) {
    List<String> shown = fabric.run(node, "rdma", "resource", "show", "qp").lines().toList();
    return cables().stream()
        .map(cable -> "link " + fabric.rdmaDevice(cable, node) + "/1 ")
        .map(link -> shown.stream().filter(line -> isConnected(line, link)).count())
        .toList();
  }

  private static boolean isConnected(String line, String link) {
    return line.contains(link) && line.contains("type RC");
  }

  private static List<Cable> cables() {
    return fabric.topology().cables();
  }
}
