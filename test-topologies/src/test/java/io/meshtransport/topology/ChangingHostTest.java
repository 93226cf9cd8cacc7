package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.HandleFormatException;
import io.meshtransport.handshake.PeerHandle;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Interfaces, addresses and carriers come and go while transports are open. */
@RequiresNamespaces
class ChangingHostTest {
  /** A change is seen within one second; the rest is a busy host's. */
  private static final Duration SEEN = Duration.ofSeconds(20);

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
    scenario.node(node).tell(new NodeCommand.Describe());
    return scenario.node(node).hear(NodeEvent.Opened.class, Scenario.STEP);
  }

  private static void awaitAddresses(Scenario scenario, String node, String... expected) {
    Awaitility.await()
        .atMost(SEEN)
        .untilAsserted(() -> assertEquals(List.of(expected), addresses(scenario, node)));
  }

  /** Connects two nodes by the handles of now; answers what each said. */
  private static List<NodeEvent> connect(Scenario scenario, String one, String other) {
    Map<String, byte[]> handles = new TreeMap<>();
    for (String node : List.of(one, other)) {
      handles.put(node, describe(scenario, node).handle());
    }
    return connect(scenario, one, other, handles);
  }

  private static List<NodeEvent> connect(
      Scenario scenario, String one, String other, Map<String, byte[]> handles) {
    for (String node : List.of(one, other)) {
      String peer = node.equals(one) ? other : one;
      scenario
          .node(node)
          .tell(
              new NodeCommand.Connect(
                  Map.of(peer, handles.get(peer)),
                  Scenario.BUFFER_BYTES,
                  2 * Scenario.TIMEOUT.toMillis()));
    }
    return List.of(
        scenario.node(one).hearAny(Scenario.STEP), scenario.node(other).hearAny(Scenario.STEP));
  }

  private static boolean areConnected(List<NodeEvent> events) {
    return events.stream().allMatch(NodeEvent.Connected.class::isInstance);
  }

  @Test
  void shouldConnectOverACableWhoseOtherEndWasOffAtOpen() {
    Cable cable = Topologies.PAIR.cables().get(0);
    try (Scenario scenario = Scenario.on(Topologies.PAIR, fabric -> fabric.cut(cable))) {
      // Made while nothing was to be reached, and good all the same.
      Map<String, byte[]> handles = new TreeMap<>();
      List.of("a", "b").forEach(node -> handles.put(node, scenario.mesh().opened(node).handle()));
      for (NodeEvent event : connect(scenario, "a", "b", handles)) {
        NodeEvent.Failed failed = assertInstanceOf(NodeEvent.Failed.class, event);
        assertEquals("NO_ROUTE", failed.reason());
        assertTrue(failed.text().contains("has no carrier"), failed.text());
        assertTrue(failed.text().contains("a retry helps"), failed.text());
      }

      scenario.fabric().mend(cable);

      Awaitility.await()
          .atMost(Scenario.STEP)
          .until(() -> areConnected(connect(scenario, "a", "b", handles)));
      scenario.exchange();
    }
  }
}
