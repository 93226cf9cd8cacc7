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
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Channels of four rails on real verbs: two queue pairs on each of the two cables between two
 * guests. One pair of guests and of JVMs for all of it, since they take longer to start than the
 * tests to run; what cuts a cable comes last, and mends it.
 */
@RequiresLab
@TestMethodOrder(OrderAnnotation.class)
class RoceRailsTest {
  private static final List<String> NODES = List.of("a", "b");
  private static final int RAILS_PER_CABLE = 2;

  /** On a busy host a guest may stand still for longer than 7 times 67 ms; so 7 times 1.07 s. */
  private static final NodeJvm JVM =
      new NodeJvm(
          Map.of(
              "MESH_RAILS",
              "2",
              "MESH_QPS_PER_CONNECTION",
              String.valueOf(RAILS_PER_CABLE),
              "MESH_TIMEOUT_MS",
              "20000",
              "MESH_IB_TIMEOUT",
              "18"),
          List.of("-XX:TieredStopAtLevel=1"),
          false);

  private static final Duration STEP = Duration.ofSeconds(120);
  private static final int MIB = 1 << 20;
  private static final int BUFFER_BYTES = 4 * MIB;
  private static final int PACKET_BYTES = 4096;
  private static final long SEED = Long.getLong("mesh.seed", System.nanoTime());

  /** All that go over the lead: empty, one byte, one page, and the longest of them. */
  private static final List<Batch> SHORT =
      List.of(new Batch(10, 0), new Batch(20, 1), new Batch(20, 4096), new Batch(10, 128 << 10));

  /** Some seconds; the end of the first batch tells that they flow over all rails. */
  private static final List<Batch> LONG =
      List.of(new Batch(2, BUFFER_BYTES - 1), new Batch(10, 3 * MIB + 1), new Batch(1, 1));

  private static final Semaphore BATCHES_ARRIVED = new Semaphore(0);

  private static LabFabric fabric;
  private static RunningMesh mesh;
  private static boolean tidy = true;

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
      fabric.topology().cables().forEach(fabric::mend);
      start();
    }
    tidy = false;
    mesh.connectAll(BUFFER_BYTES, STEP);
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
    for (String node : NODES) {
      for (Cable cable : fabric.topology().cables()) {
        // Two channels, one each way.
        assertEquals(2 * RAILS_PER_CABLE, queuePairs(node, cable), node + ", " + cable);
      }
    }
    assertArrived(SHORT, mesh.exchange(SHORT, SEED, STEP));

    List<Long> before = packetsOfEachCable();
    assertArrived(LONG, mesh.exchange(LONG, SEED, STEP));
    List<Long> after = packetsOfEachCable();
    for (int i = 0; i < after.size(); i++) {
      long packets = after.get(i) - before.get(i);
      // How large its share is, the emulator decides.
      assertTrue(packets > packets(LONG) / 10, fabric.topology().cables().get(i) + ": " + packets);
    }
    assertEquals(0, RdmaCounters.sumOf(fabric).notReady());
    tidy = true;
  }

  @Test
  @Order(2)
  void shouldLoseNothingWhenTheLeadsCableIsCutInMidMessage() throws InterruptedException {
    assertSurvivesTheLossOf(0);
  }

  @Test
  @Order(3)
  void shouldLoseNothingWhenTheOtherCableIsCutInMidMessage() throws InterruptedException {
    assertSurvivesTheLossOf(1);
  }

  private void assertSurvivesTheLossOf(int cut) throws InterruptedException {
    Cable cable = fabric.topology().cables().get(cut);
    List<Long> before = packetsOfEachCable();
    BATCHES_ARRIVED.drainPermits();
    mesh.tellExchange(LONG, SEED, STEP);
    assertTrue(BATCHES_ARRIVED.tryAcquire(STEP.toSeconds(), TimeUnit.SECONDS), "no traffic");
    fabric.cut(cable);
    int late = BATCHES_ARRIVED.availablePermits();
    assertTrue(late < NODES.size() * LONG.size() - 1, "cut after everything had arrived");

    for (String node : NODES) {
      assertArrived(LONG, Map.of(node, mesh.node(node).hear(NodeEvent.Exchanged.class, STEP)));
    }
    List<Long> after = packetsOfEachCable();
    long onTheCut = after.get(cut) - before.get(cut);
    assertTrue(onTheCut > 0, "what was cut had carried nothing");
    assertTrue(onTheCut < packets(LONG) / 2, "cut after " + onTheCut + " packets: too late");
    // The same channels go on, with one cable, in both directions.
    assertArrived(SHORT, mesh.exchange(SHORT, SEED, STEP));
    fabric.mend(cable);
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

  /** That it takes to carry these one way, and no others. */
  private static long packets(List<Batch> batches) {
    return batches.stream().mapToLong(RoceRailsTest::bytes).sum() / PACKET_BYTES;
  }

  /** What arrived at the second node: data, and few acknowledgements. */
  private static List<Long> packetsOfEachCable() {
    return fabric.topology().cables().stream()
        .map(cable -> RdmaCounters.of(fabric, NODES.get(1), cable).packets())
        .toList();
  }

  private static long queuePairs(String node, Cable cable) {
    String link = "link " + fabric.rdmaDevice(cable, node) + "/1 ";
    return fabric
        .run(node, "rdma", "resource", "show", "qp")
        .lines()
        .filter(line -> line.contains(link) && line.contains("type RC"))
        .count();
  }
}
