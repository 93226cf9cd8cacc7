// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshKnowledge;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshProvider;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * {@link NeighbourMeshProvider}, found as a {@link MeshProvider}, and {@link NeighbourMesh} on a
 * host without a cable.
 */
class NeighbourMeshTest {
  private static final Peer SELF = new Peer("a", "0123456789abcdef0123456789abcdef");

  /** What the transport was given last. */
  private static MeshKnowledge consulted = MeshKnowledge.NONE;

  /** Knows itself alone. */
  private static final Transport TRANSPORT =
      (Transport)
          Proxy.newProxyInstance(
              Transport.class.getClassLoader(),
              new Class<?>[] {Transport.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("self")) {
                  return SELF;
                }
                if (method.getName().equals("consult")) {
                  consulted = (MeshKnowledge) arguments[0];
                  return null;
                }
                if (method.isDefault()) {
                  return InvocationHandler.invokeDefault(proxy, method, arguments);
                }
                throw new UnsupportedOperationException(method.getName());
              });

  /** With a port free for datagrams and connections, which no kernel gives away by itself. */
  private static Map<String, String> settings() throws IOException {
    int port;
    do {
      port = ThreadLocalRandom.current().nextInt(10_000, 30_000);
    } while (!isFree(port));
    return Map.of("MESH_NEIGHBOUR_PORT", Integer.toString(port), "MESH_IFNAME", "none9");
  }

  private static boolean isFree(int port) throws IOException {
    try (DatagramSocket datagrams = new DatagramSocket(port);
        ServerSocket connections = new ServerSocket(port)) {
      return datagrams.isBound() && connections.isBound();
    } catch (BindException e) {
      return false;
    }
  }

  @Test
  void joinsAsItsTransportAndLeaves() throws Exception {
    Map<String, String> settings = settings();
    Mesh mesh = Mesh.join(TRANSPORT, settings);
    try (mesh) {
      assertEquals(settings.get("MESH_NEIGHBOUR_PORT"), "" + consulted.port());
      assertTrue(consulted.map().startsWith("{\n  \"format\" : \"mesh-map/1\""), consulted.map());
      mesh.publish("store", new byte[] {1});
      assertEquals(SELF, mesh.self().peer());
      assertEquals(Set.of("store"), mesh.self().services());
      assertArrayEquals(new byte[] {1}, mesh.lookup(mesh.self(), "store").orElseThrow());
      assertArrayEquals(new byte[] {1}, mesh.lookup("a", "store").orElseThrow());
      assertTrue(mesh.lookup("a", "other").isEmpty());
      TransportException oneself =
          assertThrows(
              TransportException.class,
              () -> mesh.connect("a", "store", ConnectOptions.DEFAULT, Duration.ZERO));
      assertEquals(Reason.PEER_UNREACHABLE, oneself.reason());
      assertEquals(
          "'a' is this node itself, and no other living node has the name; known nodes: []",
          oneself.getMessage());
      mesh.withdraw("store");
      assertEquals(Set.of(), mesh.self().services());
      assertTrue(mesh.lookup(mesh.self(), "store").isEmpty());
      assertEquals(List.of(), mesh.nodes());
      assertEquals(List.of(), mesh.links());
      assertTrue(mesh.awaitNodes(1, Duration.ZERO));
      assertFalse(mesh.awaitNodes(2, Duration.ZERO));
      TransportException refusal =
          assertThrows(
              TransportException.class,
              () -> mesh.connect("b", "store", ConnectOptions.DEFAULT, Duration.ZERO));
      assertEquals(Reason.PEER_UNREACHABLE, refusal.reason());
      mesh.publish("kept", new byte[] {1});
    }
    mesh.close();
    assertEquals("", consulted.map());
    assertEquals(0, consulted.port());
    assertEquals(Set.of(), mesh.self().services());
    assertThrows(IllegalStateException.class, () -> mesh.publish("store", new byte[] {1}));
    mesh.withdraw("store");
    assertClosed(() -> mesh.connect("b", "store", ConnectOptions.DEFAULT, Duration.ZERO));
    assertClosed(() -> mesh.awaitNodes(2, Duration.ZERO));
  }

  private static void assertClosed(Executable call) {
    assertEquals(Reason.CLOSED, assertThrows(TransportException.class, call).reason());
  }

  @Test
  void refusesABadSetting() {
    TransportException refusal =
        assertThrows(
            TransportException.class,
            () -> Mesh.join(TRANSPORT, Map.of("MESH_NEIGHBOUR_PORT", "many")));
    assertEquals(Reason.CONFIGURATION, refusal.reason());
  }

  /** The cause is the system's exception, not the same words again. */
  @Test
  void saysOnceThatThePortIsInUse() throws Exception {
    Map<String, String> settings = settings();
    int port = Integer.parseInt(settings.get("MESH_NEIGHBOUR_PORT"));
    try (DatagramSocket taken = new DatagramSocket(port)) {
      TransportException refusal =
          assertThrows(TransportException.class, () -> Mesh.join(TRANSPORT, settings));
      assertEquals(Reason.NO_RESOURCES, refusal.reason());
      String words = "UDP port " + taken.getLocalPort() + " cannot be used";
      assertTrue(refusal.getMessage().startsWith(words), refusal.getMessage());
      assertInstanceOf(BindException.class, refusal.getCause());
    }
  }

  @Test
  void namesBothEndsOfACable() {
    NodeId a = new NodeId(1, 1);
    NodeId b = new NodeId(2, 2);
    MeshGraph graph =
        MeshGraph.of(
            List.of(MeshReports.cabled(a, "a", b, 1500), MeshReports.cabled(b, "b", a, 1500)));
    assertEquals(
        List.of(
            new MeshLink(
                new Peer("a", a.toString()),
                new Peer("b", b.toString()),
                MeshReports.RATE_MBPS,
                MeshReports.LATENCY_NS,
                1500)),
        List.copyOf(MeshSnapshot.links(graph).values()));
  }
}
