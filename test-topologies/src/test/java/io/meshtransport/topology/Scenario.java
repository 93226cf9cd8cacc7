// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.meshtransport.nic.LinkAddress;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.awaitility.Awaitility;

/**
 * A mesh of JVMs with something to do, and the methods that state what is expected of it. Each test
 * opens one and closes it; the fabric goes with it.
 */
final class Scenario implements AutoCloseable {
  /** MESH_TIMEOUT_MS where twice that is promised, and so waited for. */
  static final Duration TIMEOUT = Duration.ofSeconds(8);

  /** MESH_TIMEOUT_MS where nothing is to fail, however busy the host is. */
  static final Duration PATIENT = Duration.ofSeconds(20);

  /** For a step of the harness, on a busy host: what takes longer has failed. */
  static final Duration STEP = Duration.ofSeconds(60);

  static final int MIB = 1 << 20;
  static final int BUFFER_BYTES = 4 * MIB;
  static final long SEED = Long.getLong("mesh.seed", System.nanoTime());

  /** Each shape of message once or more: empty, one byte, one page, more than a socket buffers. */
  static final List<NodeCommand.Batch> ALL_SIZES =
      List.of(
          new NodeCommand.Batch(10, 0),
          new NodeCommand.Batch(10, 1),
          new NodeCommand.Batch(50, 4096),
          new NodeCommand.Batch(10, MIB),
          new NodeCommand.Batch(5, BUFFER_BYTES - 1));

  /** Some seconds of traffic; the first batch is short, so that its end reports the beginning. */
  static final List<NodeCommand.Batch> LONG =
      List.of(new NodeCommand.Batch(1, 4096), new NodeCommand.Batch(600, MIB));

  private final Fabric fabric;
  private final RunningMesh mesh;
  private final Semaphore progress = new Semaphore(0);

  static {
    System.out.println("messages follow from -Dmesh.seed=" + SEED);
  }

  private Scenario(Fabric fabric, NodeJvm jvm) {
    this.fabric = fabric;
    mesh = RunningMesh.start(fabric, jvm, (node, batch) -> progress.release());
  }

  /** Nodes that wait {@link #TIMEOUT}. */
  static Scenario on(Topology topology) {
    return new Scenario(Fabric.namespaces(topology), NodeJvm.withTimeout(TIMEOUT.toMillis()));
  }

  /** Nodes that wait {@link #PATIENT}. */
  static Scenario patient(Topology topology) {
    return new Scenario(Fabric.namespaces(topology), NodeJvm.withTimeout(PATIENT.toMillis()));
  }

  /** Nodes that wait {@link #TIMEOUT}, with more settings. */
  static Scenario on(Topology topology, Map<String, String> settings) {
    return new Scenario(
        Fabric.namespaces(topology), NodeJvm.withTimeout(TIMEOUT.toMillis()).with(settings));
  }

  /** As {@link #patient}, with cables that can be impaired, and with more settings. */
  static Scenario relayed(Topology topology, Map<String, String> settings) {
    return new Scenario(
        Fabric.relayed(topology, SEED), NodeJvm.withTimeout(PATIENT.toMillis()).with(settings));
  }

  /** The only cable, or the first of several. */
  Cable cable() {
    return fabric.topology().cables().get(0);
  }

  /**
   * Nodes that wait {@link #TIMEOUT}.
   *
   * @param before what happens to the cables before any node opens its transport
   */
  static Scenario on(Topology topology, Consumer<Fabric> before) {
    Fabric laid = Fabric.namespaces(topology);
    before.accept(laid);
    return new Scenario(laid, NodeJvm.withTimeout(TIMEOUT.toMillis()));
  }

  Fabric fabric() {
    return fabric;
  }

  RunningMesh mesh() {
    return mesh;
  }

  NodeProcess node(String name) {
    return mesh.node(name);
  }

  /** Connects all pairs, and makes sure that each link uses a cable of its pair. */
  void connect() {
    Map<String, List<NodeEvent.Link>> links = mesh.connectAll(BUFFER_BYTES, STEP);
    for (String node : fabric.topology().nodes()) {
      assertEquals(
          fabric.topology().peersOf(node),
          links.get(node).stream().map(NodeEvent.Link::peer).toList());
      links.get(node).forEach(link -> assertUsesACableOfItsPair(node, link));
    }
  }

  private void assertUsesACableOfItsPair(String node, NodeEvent.Link link) {
    assertTrue(
        fabric.topology().cablesBetween(node, link.peer()).stream()
            .anyMatch(
                cable ->
                    link.localNic().contains(fabric.topology().interfaceName(cable, node))
                        && link.subnet().equals(subnet(cable, node))),
        () -> node + ": " + link);
  }

  /** A link-local one has the interface as its zone. */
  private String subnet(Cable cable, String node) {
    LinkAddress address = cable.end(node).address();
    return address.isLinkLocal()
        ? address.subnet().replace("/", "%" + fabric.topology().interfaceName(cable, node) + "/")
        : address.subnet();
  }

  /** Sends each size both ways between all pairs; nodes check every byte, this checks the sums. */
  void exchange() {
    long messages = ALL_SIZES.stream().mapToLong(NodeCommand.Batch::count).sum();
    long bytes =
        ALL_SIZES.stream().mapToLong(batch -> (long) batch.count() * batch.lengthBytes()).sum();
    mesh.exchange(ALL_SIZES, SEED, STEP)
        .forEach(
            (node, arrived) -> {
              int peers = fabric.topology().peersOf(node).size();
              assertEquals(new NodeEvent.Exchanged(peers * messages, peers * bytes), arrived);
            });
  }

  /** Starts some seconds of traffic, and returns when it flows. */
  void startTraffic() throws InterruptedException {
    startTraffic(LONG);
  }

  /** As above, with other traffic. */
  void startTraffic(List<NodeCommand.Batch> batches) throws InterruptedException {
    progress.drainPermits();
    mesh.startExchange(batches, SEED, STEP);
    if (!progress.tryAcquire(STEP.toMillis(), TimeUnit.MILLISECONDS)) {
      fail("no traffic within " + STEP + ": " + lastEvents());
    }
  }

  /** What each node has reported and nothing has read yet, with its log. */
  private List<String> lastEvents() {
    return fabric.topology().nodes().stream().map(this::lastEvent).toList();
  }

  private String lastEvent(String node) {
    try {
      return node + ": " + node(node).awaitAnyEvent(Duration.ofMillis(1));
    } catch (NodeFailure none) {
      return none.getMessage();
    }
  }

  /** Waits for the end of it: everything has arrived, each byte of it checked by the nodes. */
  void expectTraffic(List<NodeCommand.Batch> batches) {
    long messages = batches.stream().mapToLong(NodeCommand.Batch::count).sum();
    for (String node : fabric.topology().nodes()) {
      NodeEvent.Exchanged arrived = node(node).awaitEvent(NodeEvent.Exchanged.class, STEP);
      assertEquals(messages * fabric.topology().peersOf(node).size(), arrived.messages());
    }
  }

  /** Lets time pass whose length is what is tested, in which no node fails. */
  void expectNoFailureFor(Duration length) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(10))
        .during(length)
        .atMost(STEP)
        .until(() -> fabric.topology().nodes().stream().noneMatch(each -> node(each).hasFailed()));
  }

  /** What a user can act on: a reason of the SPI, and a text. */
  static void assertTyped(NodeEvent.Failed failed) {
    TransportException.Reason.valueOf(failed.reason());
    assertFalse(failed.text().isBlank(), failed.toString());
  }

  @Override
  public void close() {
    mesh.close();
    fabric.close();
  }
}
