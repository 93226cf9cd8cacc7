// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.HandleFormatException;
import io.meshtransport.handshake.PeerHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Interfaces, addresses and carriers come and go while transports are open.
 *
 * <p>Also tests {@link NicScan}.
 */
@RequiresNamespaces
class ChangingHostTest {
  /** A change is seen within one second; the rest is a busy host's. */
  private static final Duration SEEN = Duration.ofSeconds(20);

  /**
   * For a connect that is to fail. Both ends try at the same time; where one has failed at once the
   * other gives up after this.
   */
  private static final Duration BRIEF = Duration.ofSeconds(4);

  private static NamespaceFabric host(Scenario scenario) {
    return (NamespaceFabric) scenario.fabric();
  }

  /** Where a node says that it can be reached now. */
  private static List<String> addresses(Scenario scenario, String node) {
    try {
      return PeerHandle.decode(describe(scenario, node).handle()).addresses().stream()
          .map(HandleAddress::link)
          .map(Object::toString)
          .sorted()
          .toList();
    } catch (HandleFormatException e) {
      throw new AssertionError(e);
    }
  }

  private static NodeEvent.Opened describe(Scenario scenario, String node) {
    scenario.node(node).send(new NodeCommand.Describe());
    return scenario.node(node).awaitEvent(NodeEvent.Opened.class, Scenario.STEP);
  }

  private static void awaitAddresses(Scenario scenario, String node, String... expected) {
    Awaitility.await()
        .atMost(SEEN)
        .untilAsserted(() -> assertEquals(List.of(expected), addresses(scenario, node)));
  }

  private static Map<String, byte[]> handlesOfNow(Scenario scenario) {
    Map<String, byte[]> handles = new TreeMap<>();
    for (String node : List.of("a", "b")) {
      handles.put(node, describe(scenario, node).handle());
    }
    return handles;
  }

  /** Connects a and b by the handles of now. */
  private static List<NodeEvent> connect(Scenario scenario) {
    return assertConnected(connect(scenario, handlesOfNow(scenario), Scenario.PATIENT));
  }

  /** Connects a and b; answers what each said. */
  private static List<NodeEvent> connect(
      Scenario scenario, Map<String, byte[]> handles, Duration timeout) {
    for (String node : List.of("a", "b")) {
      String peer = node.equals("a") ? "b" : "a";
      scenario
          .node(node)
          .send(
              new NodeCommand.Connect(
                  Map.of(peer, handles.get(peer)), Scenario.BUFFER_BYTES, timeout.toMillis()));
    }
    return List.of(
        scenario.node("a").awaitAnyEvent(Scenario.STEP),
        scenario.node("b").awaitAnyEvent(Scenario.STEP));
  }

  private static List<NodeEvent> assertConnected(List<NodeEvent> events) {
    events.forEach(event -> assertInstanceOf(NodeEvent.Connected.class, event));
    return events;
  }

  /** Until a node sees a carrier at just these interfaces. */
  private static void awaitCarriers(NodeProcess node, String... expected) {
    Awaitility.await()
        .atMost(SEEN)
        .untilAsserted(
            () -> {
              node.send(new NodeCommand.Describe());
              assertEquals(
                  Set.of(expected),
                  Set.copyOf(node.awaitEvent(NodeEvent.Opened.class, Scenario.STEP).carrying()));
            });
  }

  @Test
  void shouldConnectOverACableWhoseOtherEndWasOffAtOpen() {
    Cable cable = Topologies.PAIR.cables().get(0);
    try (Scenario scenario = Scenario.on(Topologies.PAIR, fabric -> fabric.cut(cable))) {
      // Made while nothing was to be reached, and good all the same.
      Map<String, byte[]> handles = new TreeMap<>();
      List.of("a", "b").forEach(node -> handles.put(node, scenario.mesh().opened(node).handle()));
      // The kernel may take a second until it says so.
      awaitCarriers(scenario.node("a"));
      awaitCarriers(scenario.node("b"));
      for (NodeEvent event : connect(scenario, handles, BRIEF)) {
        NodeEvent.Failed failed = assertInstanceOf(NodeEvent.Failed.class, event);
        assertEquals("NO_ROUTE", failed.reason());
        assertTrue(failed.text().contains("has no carrier"), failed.text());
        assertTrue(failed.text().contains("a retry helps"), failed.text());
      }

      scenario.fabric().mend(cable);

      awaitCarriers(scenario.node("a"), "to-b");
      awaitCarriers(scenario.node("b"), "to-a");
      assertConnected(connect(scenario, handles, Scenario.PATIENT));
      scenario.exchange();
    }
  }

  private static String subnet(NodeEvent connected) {
    return ((NodeEvent.Connected) connected).links().get(0).subnet();
  }

  @Test
  void shouldUseAnInterfaceThatCameAfterOpenAndAnAddressThatChanged() {
    Cable cable = Topologies.PAIR.cables().get(0);
    try (Scenario scenario = Scenario.on(Topologies.PAIR)) {
      NamespaceFabric host = host(scenario);
      scenario.connect();

      // A cable that is plugged in later, and gets its addresses later still.
      host.addCable("a", "b", "late");
      List.of("a", "b").forEach(node -> host.ip(node, "link", "set", "late", "up"));
      host.ip("a", "addr", "add", "10.77.9.1/29", "dev", "late");
      host.ip("b", "addr", "add", "10.77.9.2/29", "dev", "late");
      awaitAddresses(scenario, "a", "10.77.1.1/24", "10.77.9.1/29");
      awaitAddresses(scenario, "b", "10.77.1.2/24", "10.77.9.2/29");
      assertEquals(List.of("to-b", "late"), describe(scenario, "a").nics());
      scenario.fabric().cut(cable);
      List.of("a", "b").forEach(node -> awaitCarriers(scenario.node(node), "late"));
      connect(scenario).forEach(event -> assertEquals("10.77.9.0/29", subnet(event)));
      scenario.exchange();

      // The same cable with other addresses.
      for (String node : List.of("a", "b")) {
        String host4 = node.equals("a") ? "1" : "2";
        host.ip(node, "addr", "add", "10.77.10." + host4 + "/29", "dev", "late");
        host.ip(node, "addr", "del", "10.77.9." + host4 + "/29", "dev", "late");
      }
      awaitAddresses(scenario, "a", "10.77.1.1/24", "10.77.10.1/29");
      awaitAddresses(scenario, "b", "10.77.1.2/24", "10.77.10.2/29");
      connect(scenario).forEach(event -> assertEquals("10.77.10.0/29", subnet(event)));
      scenario.exchange();
    }
  }

  @Test
  void shouldEndOnlyTheChannelsOfAnInterfaceThatIsGone() {
    Topology topology = Topologies.TRIANGLE;
    try (Scenario scenario = Scenario.on(topology)) {
      NamespaceFabric host = host(scenario);
      scenario.connect();
      scenario
          .node("a")
          .send(new NodeCommand.PostReceives("b", 4, 4096, 2 * Scenario.STEP.toMillis()));
      scenario.node("a").awaitEvent(NodeEvent.Posted.class, Scenario.STEP);

      host.ip("a", "link", "del", "to-b");

      for (NodeEvent.Outcome outcome :
          scenario.node("a").awaitEvent(NodeEvent.Outcomes.class, Scenario.STEP).outcomes()) {
        assertEquals("DEVICE", outcome.result(), outcome.text());
        assertTrue(outcome.text().contains("to-b is gone from this host"), outcome.text());
        assertTrue(outcome.text().contains("its interface was removed"), outcome.text());
      }
      scenario.node("c").send(new NodeCommand.Pong("a", 20, 64, Scenario.TIMEOUT.toMillis()));
      scenario
          .node("a")
          .send(new NodeCommand.Ping("c", 10, 10, 64, Scenario.SEED, Scenario.TIMEOUT.toMillis()));
      scenario.node("a").awaitEvent(NodeEvent.Latency.class, Scenario.STEP);
      scenario.node("c").awaitEvent(NodeEvent.Done.class, Scenario.STEP);

      // The same names and addresses on a new cable.
      host.addCable("a", "b", "new");
      host.ip("a", "link", "set", "new", "name", "to-b");
      host.ip("b", "link", "set", "new", "name", "to-a");
      host.ip("a", "addr", "add", "10.77.1.1/24", "dev", "to-b");
      host.ip("b", "addr", "add", "10.77.1.2/24", "dev", "to-a");
      host.ip("a", "link", "set", "to-b", "up");
      host.ip("b", "link", "set", "to-a", "up");
      awaitAddresses(scenario, "a", "10.77.1.1/24", "10.77.3.1/31");
      awaitAddresses(scenario, "b", "10.77.1.2/24", "10.77.2.1/30");
      awaitCarriers(scenario.node("a"), "to-b", "to-c");
      awaitCarriers(scenario.node("b"), "to-a", "to-c");
      connect(scenario);
    }
  }

  @Test
  void shouldCutAndMendOneCableWithoutTouchingTheOthers() {
    Topology topology = Topologies.TRIANGLE;
    Cable ab = topology.cables().get(0);
    try (Scenario scenario = Scenario.on(topology)) {
      scenario.connect();

      scenario.fabric().cut(ab);
      Awaitility.await()
          .atMost(SEEN)
          .untilAsserted(
              () -> {
                scenario.node("c").send(new NodeCommand.Pong("a", 20, 64, 8_000));
                scenario
                    .node("a")
                    .send(new NodeCommand.Ping("c", 10, 10, 64, Scenario.SEED, 8_000));
                scenario.node("a").awaitEvent(NodeEvent.Latency.class, Scenario.STEP);
                scenario.node("c").awaitEvent(NodeEvent.Done.class, Scenario.STEP);
              });
      awaitCarriers(scenario.node("a"), "to-c");
      awaitCarriers(scenario.node("b"), "to-c");
      for (NodeEvent event : connect(scenario, handlesOfNow(scenario), BRIEF)) {
        assertInstanceOf(NodeEvent.Failed.class, event);
      }

      scenario.fabric().mend(ab);
      awaitCarriers(scenario.node("a"), "to-b", "to-c");
      awaitCarriers(scenario.node("b"), "to-a", "to-c");
      scenario.mesh().connectAll(Scenario.BUFFER_BYTES, Scenario.STEP);
      scenario.exchange();
    }
  }

  /** Hosts may be switched on in any order: each cable is up or down when a node opens. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldConnectThreeNodesStartedInAnyOrder(int run) {
    Topology topology = Topologies.TRIANGLE;
    Random random = new Random(Scenario.SEED + run);
    List<String> order = new ArrayList<>(topology.nodes());
    Collections.shuffle(order, random);
    List<Cable> down = new ArrayList<>(topology.cables());
    Map<String, byte[]> handles = new TreeMap<>();
    Map<String, NodeProcess> nodes = new TreeMap<>();
    try (NamespaceFabric host = (NamespaceFabric) Fabric.namespaces(topology)) {
      try {
        NodeJvm jvm = NodeJvm.withTimeout(Scenario.TIMEOUT.toMillis());
        order.forEach(node -> nodes.put(node, NodeProcess.start(host, node, jvm, progress -> {})));
        down.forEach(host::cut);
        Collections.shuffle(down, random);
        for (String node : order) {
          nodes.get(node).send(new NodeCommand.Open());
          handles.put(
              node, nodes.get(node).awaitEvent(NodeEvent.Opened.class, Scenario.STEP).handle());
          if (random.nextBoolean()) {
            plugIn(host, down.remove(0));
          }
        }
        down.forEach(cable -> plugIn(host, cable));
        awaitCarriers(nodes.get("a"), "to-b", "to-c");
        awaitCarriers(nodes.get("b"), "to-a", "to-c");
        awaitCarriers(nodes.get("c"), "to-a", "to-b");
        assertConnected(connectAll(topology, nodes, handles));
      } finally {
        nodes.values().forEach(NodeProcess::close);
      }
    }
  }

  /** As the fabric mends it, whatever becomes of the other cables. */
  private static void plugIn(NamespaceFabric host, Cable cable) {
    String node = cable.a().node();
    host.ip(node, "link", "set", host.topology().interfaceName(cable, node), "up");
  }

  private static List<NodeEvent> connectAll(
      Topology topology, Map<String, NodeProcess> nodes, Map<String, byte[]> handles) {
    nodes.forEach(
        (name, node) -> {
          Map<String, byte[]> peers = new TreeMap<>(handles);
          peers.keySet().retainAll(topology.peersOf(name));
          node.send(new NodeCommand.Connect(peers, 4096, Scenario.PATIENT.toMillis()));
        });
    return nodes.values().stream().map(node -> node.awaitAnyEvent(Scenario.STEP)).toList();
  }
}
