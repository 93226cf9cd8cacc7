// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every pair of nodes finds the cable between them and gets every byte across, whatever it is.
 *
 * <p>Also tests {@link LocalNode}, {@link NodeMain}, {@link NodeProgram}, {@link PendingChannels},
 * {@link OutstandingRequests}, {@link PeerLink}, {@link PeerMemory}, {@link RoundTrips} and {@link
 * StreamTransfer}.
 */
@RequiresNamespaces
class CableShapesTest {
  /** The triangle has a /31 among its cables. */
  static List<Topology> shapes() {
    return List.of(
        Topologies.TRIANGLE,
        Topologies.PAIR_TWO_CABLES,
        Topologies.IPV6_ONLY,
        Topologies.IPV6_CABLE,
        Topologies.LINK_LOCAL,
        Topologies.MTU_MIX,
        Topologies.fullMesh(4));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void shouldCarryEveryByteOverACableOfThePair(Topology topology) {
    try (Scenario scenario = Scenario.patient(topology)) {
      scenario.connect();
      scenario.exchange();
    }
  }

  @Test
  void shouldConnectAgainAfterDisconnecting() {
    try (Scenario scenario = Scenario.patient(Topologies.PAIR)) {
      scenario.connect();
      for (String node : List.of("a", "b")) {
        scenario.node(node).send(new NodeCommand.Disconnect());
      }
      for (String node : List.of("a", "b")) {
        scenario.node(node).awaitEvent(NodeEvent.Done.class, Scenario.STEP);
      }
      scenario.connect();
      scenario.exchange();
    }
  }

  /**
   * Node a has 10.77.1.0/24 on both of its cables. Its kernel sends packets for either peer to one
   * of them, so only one of the two can be reached; which one is the kernel's choice. Neither may
   * be mistaken for the other, and neither may hang.
   */
  @Test
  void shouldNeverConfuseTwoPeersWhereTwoCablesHaveOneSubnet() {
    // Connecting to the unreachable one uses all of it.
    Map<String, String> soon = Map.of("MESH_TIMEOUT_MS", "4000");
    try (Scenario scenario = Scenario.on(Topologies.SAME_SUBNET_TWICE, soon)) {
      long linked = List.of("b", "c").stream().filter(peer -> canExchange(scenario, peer)).count();

      assertEquals(1, linked, "peers that a can reach");
    }
  }

  private static boolean canExchange(Scenario scenario, String peer) {
    connectPair(scenario, "a", peer);
    NodeEvent atA = scenario.node("a").awaitAnyEvent(Scenario.STEP);
    NodeEvent atPeer = scenario.node(peer).awaitAnyEvent(Scenario.STEP);
    if (atA instanceof NodeEvent.Connected && atPeer instanceof NodeEvent.Connected) {
      NodeCommand exchange =
          new NodeCommand.Exchange(Scenario.ALL_SIZES, Scenario.SEED, Scenario.STEP.toMillis());
      List.of("a", peer).forEach(node -> scenario.node(node).send(exchange));
      List.of("a", peer)
          .forEach(
              node -> scenario.node(node).awaitEvent(NodeEvent.Exchanged.class, Scenario.STEP));
      return true;
    }
    for (NodeEvent event : List.of(atA, atPeer)) {
      if (!(event instanceof NodeEvent.Connected)) {
        Scenario.assertTyped(assertInstanceOf(NodeEvent.Failed.class, event));
      }
    }
    return false;
  }

  private static void connectPair(Scenario scenario, String one, String other) {
    for (String node : List.of(one, other)) {
      String peer = node.equals(one) ? other : one;
      scenario
          .node(node)
          .send(
              new NodeCommand.Connect(
                  Map.of(peer, scenario.mesh().opened(peer).handle()),
                  Scenario.BUFFER_BYTES,
                  2 * Scenario.TIMEOUT.toMillis()));
    }
  }
}
