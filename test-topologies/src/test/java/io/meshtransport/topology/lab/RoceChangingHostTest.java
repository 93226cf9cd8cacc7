// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.NodeCommand;
import io.meshtransport.topology.NodeCommand.Batch;
import io.meshtransport.topology.NodeEvent;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.RunningMesh;
import io.meshtransport.topology.Topologies;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * RDMA devices and carriers come and go while transports over libibverbs are open. One pair of
 * guests and of JVMs, which open while one cable has no carrier and the other no RDMA device; each
 * test begins with what the one before has left.
 */
@RequiresLab
@EnabledIfSystemProperty(
    named = "mesh.test.long",
    matches = "true",
    disabledReason =
        "ChangingHostTest does it in software, and this takes a minute; -Dmesh.test.long=true runs both")
@TestMethodOrder(OrderAnnotation.class)
class RoceChangingHostTest {
  private static final String A = "a";
  private static final String B = "b";
  private static final List<String> NODES = List.of(A, B);
  private static final List<Cable> CABLES = Topologies.PAIR_TWO_CABLES.withMtu(4200).cables();
  private static final Cable FIRST = CABLES.get(0);
  private static final Cable LATE = CABLES.get(1);

  /** On a busy host a guest may pause for longer than 7 times 67 ms; so 7 times 1.07 s. */
  private static final NodeJvm JVM =
      new NodeJvm(
          Map.of("MESH_RAILS", "2", "MESH_TIMEOUT_MS", "12000", "MESH_IB_TIMEOUT", "18"),
          GuestJvm.QUICK_START,
          false);

  private static final Duration STEP = Duration.ofSeconds(120);

  /** Less than a step: where one end fails at once, the other says so by itself. */
  private static final Duration CONNECT = Duration.ofSeconds(30);

  private static final int MIB = 1 << 20;
  private static final int BUFFER_BYTES = 4 * MIB;
  private static final List<Batch> SHORT = List.of(new Batch(10, 1), new Batch(2, MIB));

  /** Some seconds; the end of the first batch shows that messages flow. */
  private static final List<Batch> LONG =
      List.of(new Batch(1, BUFFER_BYTES - 1), new Batch(5, 3 * MIB + 1), new Batch(1, 1));

  private static final long SEED = Long.getLong("mesh.seed", System.nanoTime());
  private static final Semaphore BATCHES_ARRIVED = new Semaphore(0);

  private static LabFabric fabric;
  private static RunningMesh mesh;

  @BeforeAll
  static void boot() {
    System.out.println("messages follow from -Dmesh.seed=" + SEED);
    fabric = TestLab.boot(Topologies.PAIR_TWO_CABLES);
    NODES.forEach(node -> fabric.run(node, "rdma", "link", "del", fabric.rdmaDevice(LATE, node)));
    fabric.cut(FIRST);
    NODES.forEach(node -> awaitPort(FIRST, node, "DOWN"));
    mesh = RunningMesh.start(fabric, JVM, (node, progress) -> BATCHES_ARRIVED.release());
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
  void shouldUseAPortThatHadNoCarrierAtOpen() {
    for (String node : NODES) {
      assertEquals(List.of(fabric.rdmaDevice(FIRST, node)), mesh.opened(node).nics());
      assertEquals(List.of(), mesh.opened(node).carrying());
      assertEquals("ibverbs", mesh.opened(node).provider());
      String log = mesh.node(node).errors();
      assertTrue(log.contains("is DOWN, without a carrier"), log);
    }

    fabric.mend(FIRST);

    NODES.forEach(node -> awaitCarriers(node, FIRST));
    // By handles that were made without a carrier.
    mesh.connectAll(BUFFER_BYTES, STEP);
    mesh.exchange(SHORT, SEED, STEP);
  }

  @Test
  @Order(2)
  void shouldUseAnRdmaDeviceThatCameAfterOpenWithMemoryFromBefore() {
    fabric.cut(LATE);
    for (String node : NODES) {
      addLateDevice(node);
      awaitNics(node, FIRST, LATE);
      awaitCarriers(node, FIRST);
    }
    fabric.mend(LATE);
    NODES.forEach(node -> awaitCarriers(node, FIRST, LATE));
    fabric.cut(FIRST);
    NODES.forEach(node -> awaitCarriers(node, LATE));

    assertConnectsOver(LATE);
    // Memory of the node stays registered from one link to the next.
    mesh.exchange(SHORT, SEED, STEP);
    long packets = RdmaCounters.of(fabric, B, LATE).packets();
    assertTrue(packets >= 2 * MIB / 4096, packets + " packets");
  }

  @Test
  @Order(3)
  void shouldGoOnOverTheOtherNicWhenADeviceIsRemoved() throws Exception {
    fabric.mend(FIRST);
    NODES.forEach(node -> awaitCarriers(node, FIRST, LATE));
    connect();
    BATCHES_ARRIVED.drainPermits();
    mesh.startExchange(LONG, SEED, STEP);
    assertTrue(BATCHES_ARRIVED.tryAcquire(STEP.toSeconds(), TimeUnit.SECONDS), "no traffic");

    Process removal = removeLateDevice();

    NODES.forEach(node -> mesh.node(node).awaitEvent(NodeEvent.Exchanged.class, STEP));
    assertEnds(removal);
    awaitCarriers(A, FIRST);
    mesh.exchange(SHORT, SEED, STEP);
  }

  /** The kernel waits until nothing uses the device any more. */
  @Test
  @Order(4)
  void shouldLetGoOfARemovedDeviceThoughNothingTestsItsChannels() throws Exception {
    addLateDevice(A);
    NODES.forEach(node -> awaitCarriers(node, FIRST, LATE));
    connect();
    mesh.exchange(SHORT, SEED, STEP);

    assertEnds(removeLateDevice());

    // The channels have lived on over the other.
    awaitCarriers(A, FIRST);
    mesh.exchange(SHORT, SEED, STEP);
  }

  @Test
  @Order(5)
  void shouldEndTheChannelsOfARemovedDeviceWithItsReason() throws Exception {
    addLateDevice(A);
    NODES.forEach(node -> awaitCarriers(node, FIRST, LATE));
    fabric.cut(FIRST);
    NODES.forEach(node -> awaitCarriers(node, LATE));
    assertConnectsOver(LATE);
    mesh.node(A).send(new NodeCommand.PostReceives(B, 4, 4096, STEP.toMillis()));
    mesh.node(A).awaitEvent(NodeEvent.Posted.class, STEP);

    Process removal = removeLateDevice();

    for (NodeEvent.Outcome outcome :
        mesh.node(A).awaitEvent(NodeEvent.Outcomes.class, STEP).outcomes()) {
      assertEquals("DEVICE", outcome.result(), outcome.text());
      assertTrue(outcome.text().contains("its RDMA device was removed"), outcome.text());
    }
    // Though the program has not closed the channels.
    assertEnds(removal);
    awaitCarriers(A);

    addLateDevice(A);
    NODES.forEach(node -> awaitCarriers(node, LATE));
    assertConnectsOver(LATE);
    mesh.exchange(SHORT, SEED, STEP);
  }

  private static void addLateDevice(String node) {
    String netdev = fabric.topology().interfaceName(LATE, node);
    fabric.run(
        node,
        "rdma",
        "link",
        "add",
        fabric.rdmaDevice(LATE, node),
        "type",
        "rxe",
        "netdev",
        netdev);
  }

  /** It ends when the kernel has removed the device. */
  private static Process removeLateDevice() throws IOException {
    return fabric.start(
        A,
        new ProcessBuilder("rdma", "link", "del", fabric.rdmaDevice(LATE, A))
            .redirectErrorStream(true));
  }

  private static void assertEnds(Process removal) throws IOException, InterruptedException {
    assertTrue(
        removal.waitFor(CONNECT.toSeconds(), TimeUnit.SECONDS), "the device is still in use");
    String output = new String(removal.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, removal.exitValue(), output);
  }

  /** By the handles of now. */
  private static List<NodeEvent.Connected> connect() {
    Map<String, byte[]> handles = new TreeMap<>();
    NODES.forEach(node -> handles.put(node, describe(node).handle()));
    for (String node : NODES) {
      String peer = node.equals(A) ? B : A;
      mesh.node(node)
          .send(
              new NodeCommand.Connect(
                  Map.of(peer, handles.get(peer)), BUFFER_BYTES, CONNECT.toMillis()));
    }
    List<NodeEvent> events =
        NODES.stream().map(node -> mesh.node(node).awaitAnyEvent(STEP)).toList();
    events.forEach(
        event ->
            assertInstanceOf(
                NodeEvent.Connected.class,
                event,
                () -> events + mesh.node(A).errors() + mesh.node(B).errors()));
    return events.stream().map(NodeEvent.Connected.class::cast).toList();
  }

  private static void assertConnectsOver(Cable cable) {
    for (NodeEvent.Connected connected : connect()) {
      assertEquals(cable.subnet(), connected.links().get(0).subnet());
    }
  }

  private static NodeEvent.Opened describe(String node) {
    mesh.node(node).send(new NodeCommand.Describe());
    return mesh.node(node).awaitEvent(NodeEvent.Opened.class, STEP);
  }

  private static void awaitNics(String node, Cable... expected) {
    Awaitility.await()
        .atMost(STEP)
        .untilAsserted(
            () -> assertEquals(devices(node, expected), Set.copyOf(describe(node).nics())));
  }

  /** Until a node sees a carrier at just these cables' ends. */
  private static void awaitCarriers(String node, Cable... expected) {
    Awaitility.await()
        .atMost(STEP)
        .untilAsserted(
            () -> assertEquals(devices(node, expected), Set.copyOf(describe(node).carrying())));
  }

  private static Set<String> devices(String node, Cable... cables) {
    return Stream.of(cables)
        .map(cable -> fabric.rdmaDevice(cable, node))
        .collect(Collectors.toSet());
  }

  private static void awaitPort(Cable cable, String node, String state) {
    String file = "/sys/class/infiniband/" + fabric.rdmaDevice(cable, node) + "/ports/1/state";
    Awaitility.await().atMost(STEP).until(() -> fabric.run(node, "cat", file).contains(state));
  }
}
