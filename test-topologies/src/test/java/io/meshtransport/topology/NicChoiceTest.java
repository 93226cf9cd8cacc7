// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Over which of several interfaces two nodes connect. Both have one cable, to-b and to-a; each test
 * lays another network beside it, whose name sorts first.
 */
@RequiresNamespaces
class NicChoiceTest {
  /** So long that a third of it is a wide bound for a connect on a busy host. */
  private static final Duration TIMEOUT = Duration.ofSeconds(45);

  /** For a connect that is to fail. */
  private static final Duration BRIEF = Duration.ofSeconds(4);

  /** A change of the host is seen within one second; the rest is a busy host's. */
  private static final Duration SEEN = Duration.ofSeconds(20);

  private static final List<String> NODES = List.of("a", "b");
  private static final String BESIDE = "aside";
  private static final String CABLE_OF_A = "10.77.1.1/24";
  private static final String CABLE_OF_B = "10.77.1.2/24";

  /** What {@link Scenario#exchange} sends in each direction, rounded down. */
  private static final long EXCHANGED_BYTES = 30L * Scenario.MIB;

  /** Neighbours, handshakes and goodbyes, but no messages. */
  private static final long CONTROL_BYTES = Scenario.MIB;

  private static final String OVER_THE_DEFAULT =
      "goes over aside, the interface of this host's default route";
  private static final String WRONG_MAC = "02:00:00:00:00:99";

  private static Scenario scenario;
  private static NamespaceFabric host;

  @BeforeAll
  static void open() {
    scenario =
        Scenario.on(Topologies.PAIR, Map.of("MESH_TIMEOUT_MS", String.valueOf(TIMEOUT.toMillis())));
    host = (NamespaceFabric) scenario.fabric();
  }

  @AfterAll
  static void close() {
    scenario.close();
  }

  @AfterEach
  void restore() {
    for (String node : NODES) {
      scenario.node(node).send(new NodeCommand.Disconnect());
      scenario.node(node).awaitEvent(NodeEvent.Done.class, Scenario.STEP);
    }
    host.ip("a", "link", "del", BESIDE);
    host.mend(scenario.cable());
    awaitAddresses("a", CABLE_OF_A);
    awaitAddresses("b", CABLE_OF_B);
    awaitCarriers("to-b", "to-a");
  }

  @Test
  void shouldCarryMessagesOverTheCableBesideTheNetworkOfTheDefaultRoute() {
    layCable();
    // First: a node that knows an address knows the route, too.
    host.ip("a", "route", "add", "default", "via", "192.168.77.2", "dev", BESIDE, "onlink");
    host.ip("b", "route", "add", "default", "via", "192.168.77.1", "dev", BESIDE, "onlink");
    addAddresses("192.168.77.1/26", "192.168.77.2/26");
    awaitAddresses("a", CABLE_OF_A, "192.168.77.1/26");
    awaitAddresses("b", CABLE_OF_B, "192.168.77.2/26");

    long cableBytes = bytesSent("to-b");
    long besideBytes = bytesSent(BESIDE);
    assertSubnet("10.77.1.0/24", connect(Map.of()));
    scenario.exchange();
    assertTrue(bytesSent("to-b") - cableBytes > EXCHANGED_BYTES, host.counters("a")::toString);
    assertTrue(bytesSent(BESIDE) - besideBytes < CONTROL_BYTES, host.counters("a")::toString);
    NODES.forEach(node -> assertFalse(scenario.node(node).errors().contains(OVER_THE_DEFAULT)));

    useOnlyTheNetworkBeside();
    assertSubnet("192.168.77.0/26", connect(Map.of()));
    scenario.exchange();
    assertTrue(bytesSent(BESIDE) - besideBytes > EXCHANGED_BYTES, host.counters("a")::toString);
    for (String node : NODES) {
      Awaitility.await()
          .atMost(SEEN)
          .untilAsserted(
              () -> {
                String log = scenario.node(node).errors();
                assertTrue(log.contains(OVER_THE_DEFAULT), log);
              });
    }
  }

  @Test
  void shouldUseTheCableWhoseAddressIsNamedWhateverElseIsPreferred() {
    createCable("192.168.77.1/26", "192.168.77.2/26");
    awaitAddresses("a", CABLE_OF_A, "192.168.77.1/26");
    awaitAddresses("b", CABLE_OF_B, "192.168.77.2/26");
    assertSubnet("192.168.77.0/26", connect(Map.of()));

    long besideBytes = bytesSent(BESIDE);
    List<NodeEvent> events = connect(Map.of("a", "10.77.1.1", "b", "10.77.1.2"));
    assertSubnet("10.77.1.0/24", events);
    scenario.exchange();
    assertTrue(bytesSent(BESIDE) - besideBytes < CONTROL_BYTES, host.counters("a")::toString);
    String why = ((NodeEvent.Connected) events.get(0)).links().get(0).why();
    assertTrue(why.contains("because its network has the address that was asked for"), why);
  }

  @Test
  void shouldConnectSoonWhereTheFirstCandidateIsDead() {
    createCable("192.168.77.1/26", "192.168.77.2/26");
    misdirect("a", "192.168.77.2");
    misdirect("b", "192.168.77.1");
    awaitAddresses("a", CABLE_OF_A, "192.168.77.1/26");
    awaitAddresses("b", CABLE_OF_B, "192.168.77.2/26");

    long besideBytes = bytesSent(BESIDE);
    long beginNs = System.nanoTime();
    List<NodeEvent> events = connect(Map.of());
    Duration took = Duration.ofNanos(System.nanoTime() - beginNs);

    assertSubnet("10.77.1.0/24", events);
    assertTrue(bytesSent(BESIDE) > besideBytes, "the dead one was not tried");
    assertTrue(took.compareTo(TIMEOUT.dividedBy(3)) < 0, took::toString);
    scenario.exchange();
  }

  @Test
  void shouldNameTheKernelsRouteWhereAPeerLiesInsideAnotherCablesSubnet() {
    createCable("10.88.99.1/16", "10.88.1.2/16");
    host.addCable("a", "b", "narrow");
    NODES.forEach(node -> host.ip(node, "link", "set", "narrow", "up"));
    host.ip("a", "addr", "add", "10.88.1.1/24", "dev", "narrow");
    host.ip("a", "neigh", "replace", "10.88.1.2", "lladdr", WRONG_MAC, "dev", "narrow");
    useOnlyTheNetworkBeside();
    awaitAddresses("a", CABLE_OF_A, "10.88.1.1/24", "10.88.99.1/16");
    awaitAddresses("b", CABLE_OF_B, "10.88.1.2/16");
    try {
      NodeEvent.Failed failed =
          assertInstanceOf(NodeEvent.Failed.class, connect(Map.of(), BRIEF).get(0));
      Scenario.assertTyped(failed);
      assertTrue(
          failed
              .text()
              .contains(
                  "The kernel's route to 10.88.1.2 is another: it leads over narrow (10.88.1.1), not over aside"),
          failed.text());
      assertTrue(failed.text().contains("`ip route add 10.88.1.2 dev aside`"), failed.text());

      // What the text advises helps.
      host.ip("a", "route", "add", "10.88.1.2", "dev", BESIDE);
      long besideBytes = bytesSent(BESIDE);
      connect(Map.of()).forEach(event -> assertInstanceOf(NodeEvent.Connected.class, event));
      scenario.exchange();
      assertTrue(bytesSent(BESIDE) - besideBytes > EXCHANGED_BYTES, host.counters("a")::toString);
    } finally {
      host.ip("a", "link", "del", "narrow");
    }
  }

  @Test
  void shouldCarryMessagesBetweenPointToPointAddresses() {
    host.addCable("a", "b", BESIDE);
    NODES.forEach(node -> host.ip(node, "link", "set", BESIDE, "up"));
    host.ip("a", "addr", "add", "10.99.0.1", "peer", "10.99.7.2", "dev", BESIDE);
    host.ip("b", "addr", "add", "10.99.7.2", "peer", "10.99.0.1", "dev", BESIDE);
    useOnlyTheNetworkBeside();
    awaitAddresses("a", CABLE_OF_A, "10.99.0.1/32");
    awaitAddresses("b", CABLE_OF_B, "10.99.7.2/32");

    List<NodeEvent> events = connect(Map.of());
    assertEquals("10.99.0.1/32 peer 10.99.7.2", subnet(events.get(0)));
    assertEquals("10.99.7.2/32 peer 10.99.0.1", subnet(events.get(1)));
    scenario.exchange();
  }

  /** What goes there is dropped by the host at the other end, which is no address of its. */
  private static void misdirect(String node, String address) {
    host.ip(node, "neigh", "replace", address, "lladdr", WRONG_MAC, "dev", BESIDE);
  }

  private static void createCable(String addressOfA, String addressOfB) {
    layCable();
    addAddresses(addressOfA, addressOfB);
  }

  private static void layCable() {
    host.addCable("a", "b", BESIDE);
    NODES.forEach(node -> host.ip(node, "link", "set", BESIDE, "up"));
  }

  private static void addAddresses(String addressOfA, String addressOfB) {
    host.ip("a", "addr", "add", addressOfA, "dev", BESIDE);
    host.ip("b", "addr", "add", addressOfB, "dev", BESIDE);
  }

  private static void useOnlyTheNetworkBeside() {
    host.cut(scenario.cable());
    for (String node : NODES) {
      Awaitility.await()
          .atMost(SEEN)
          .until(
              () -> describe(node).carrying().stream().noneMatch(name -> name.startsWith("to-")));
    }
  }

  private static NodeEvent.Opened describe(String node) {
    scenario.node(node).send(new NodeCommand.Describe());
    return scenario.node(node).awaitEvent(NodeEvent.Opened.class, Scenario.STEP);
  }

  private static void awaitAddresses(String node, String... expected) {
    Awaitility.await()
        .atMost(SEEN)
        .untilAsserted(() -> assertEquals(List.of(expected), addresses(node)));
  }

  private static List<String> addresses(String node) throws HandleFormatException {
    return PeerHandle.decode(describe(node).handle()).addresses().stream()
        .map(HandleAddress::link)
        .map(Object::toString)
        .sorted()
        .toList();
  }

  private static void awaitCarriers(String ofA, String ofB) {
    Awaitility.await()
        .atMost(SEEN)
        .untilAsserted(
            () -> {
              assertEquals(List.of(ofA), describe("a").carrying());
              assertEquals(List.of(ofB), describe("b").carrying());
            });
  }

  private static long bytesSent(String interfaceName) {
    return host.counters("a").stream()
        .filter(counters -> counters.name().equals(interfaceName))
        .mapToLong(InterfaceCounters::sentBytes)
        .findFirst()
        .orElseThrow();
  }

  private static List<NodeEvent> connect(Map<String, String> named) {
    return connect(named, TIMEOUT);
  }

  /** Connects the two by their handles of now; answers what each said. */
  private static List<NodeEvent> connect(Map<String, String> named, Duration timeout) {
    Map<String, byte[]> handles = new TreeMap<>();
    NODES.forEach(node -> handles.put(node, describe(node).handle()));
    for (String node : NODES) {
      Map<String, byte[]> peers = new TreeMap<>(handles);
      peers.remove(node);
      scenario
          .node(node)
          .send(new NodeCommand.Connect(peers, named, Scenario.BUFFER_BYTES, timeout.toMillis()));
    }
    return NODES.stream().map(node -> scenario.node(node).awaitAnyEvent(Scenario.STEP)).toList();
  }

  private static void assertSubnet(String expected, List<NodeEvent> events) {
    events.forEach(event -> assertEquals(expected, subnet(event)));
  }

  private static String subnet(NodeEvent event) {
    return assertInstanceOf(NodeEvent.Connected.class, event).links().get(0).subnet();
  }
}
