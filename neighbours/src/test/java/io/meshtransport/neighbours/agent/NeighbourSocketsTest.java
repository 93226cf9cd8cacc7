// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.NeighbourListener;
import io.meshtransport.neighbours.NodeIdentity;
import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.neighbours.stats.NeighbourCounter;
import io.meshtransport.nic.AddressText;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.spi.FreePorts;
import java.io.IOException;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@link NeighbourSockets} and {@link NeighbourAgent} on loopback; {@link DatagramReceiver}. */
class NeighbourSocketsTest {
  @Test
  void shouldReceiveByTheInterfaceWhoseSubnetHasTheSource() throws IOException {
    int loopback = NetworkInterface.getByName("lo").getIndex();
    try (NeighbourSockets sockets = new NeighbourSockets(FreePorts.next())) {
      sockets.interfaces(
          List.of(
              new CableInterface(
                  loopback, "lo", 1500, 0, List.of(LinkAddress.parse("127.0.0.1/8")))));
      byte[] sent = {1, 2, 3};
      sockets.toAddress(loopback, AddressText.parse("127.0.0.1"), sent);
      List<Integer> from = new ArrayList<>();
      int events =
          sockets.poll(
              60_000,
              (interfaceIndex, source, datagram) -> {
                from.add(interfaceIndex);
                assertArrayEquals(sent, datagram);
              });
      assertTrue(events > 0, "" + events);
      assertEquals(List.of(loopback), from);
      sockets.toGroup(12345, sent);
      sockets.interfaces(List.of());
    }
  }

  @Test
  void shouldShareItsPortWithNoOtherNode() throws IOException {
    int port = FreePorts.next();
    try (NeighbourSockets first = new NeighbourSockets(port)) {
      first.wakeUp();
      assertEquals(0, first.poll(60_000, (index, source, datagram) -> {}));
      String text = assertThrows(IOException.class, () -> new NeighbourSockets(port)).getMessage();
      assertTrue(text.contains("). It is in use by this process itself. Probably another "), text);
      assertTrue(text.contains("MESH_NEIGHBOUR_PORT"), text);
    }
    new NeighbourSockets(port).close();
  }

  @Test
  void shouldKnowItselfAndEndTwice() throws Exception {
    MeshConfig config =
        MeshConfig.of(Map.of("MESH_NEIGHBOUR_PORT", String.valueOf(FreePorts.next())));
    NodeIdentity identity = new NodeIdentity(new NodeId(1, 2), "a", "", 1);
    NeighbourAgent agent = NeighbourAgent.start(identity, config, NeighbourListener.NONE);
    agent.publish("store", new byte[] {7});
    assertThrows(IllegalArgumentException.class, () -> agent.publish("store", new byte[1000]));
    long endNs = System.nanoTime() + 60_000_000_000L;
    while (agent.graph().nodes().values().stream().noneMatch(each -> each.services().size() == 1)) {
      assertTrue(System.nanoTime() < endNs, "the service is not in this node's record");
      Thread.onSpinWait();
    }
    agent.withdraw("store");
    assertEquals(List.of(), agent.findings());
    agent.close();
    agent.close();
    assertThrows(IllegalStateException.class, () -> agent.withdraw("store"));
    assertEquals(0, agent.counters().get(NeighbourCounter.MALFORMED));
  }
}
