// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.relay.Relay;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.RelayServices;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/**
 * Nodes in one JVM that no cable joins with each other, only each with one in the middle: whatever
 * goes between two of them goes over its {@link Relay}. The mesh below them is a list in memory.
 */
final class RelayStar implements AutoCloseable {
  /** Cables of the node in the middle; no more nodes at once. */
  private static final int CABLES = 8;

  private static final int RATE_MBPS = 1000;
  private static final int MTU_BYTES = 9000;

  private final int net;
  private final List<Node> nodes = new CopyOnWriteArrayList<>();
  private final Node middle;
  private int opened;

  /**
   * @param net third byte of the first cable's subnet, in 127.78.0.0
   */
  RelayStar(int net) throws TransportException {
    this.net = net;
    middle =
        new Node(
            open(
                "middle",
                IntStream.range(0, CABLES)
                    .mapToObj(cable -> address(cable, 1))
                    .collect(Collectors.joining(","))));
    nodes.add(middle);
    middle.relay = Relay.start(middle);
  }

  private String address(int cable, int host) {
    return "127.78." + (net + cable) + "." + host + "/24";
  }

  private static Transport open(String name, String addresses) throws TransportException {
    return Transport.open(
        Map.of(
            "MESH_PROVIDER", "soft",
            "MESH_LOOPBACK", addresses,
            "MESH_HANDSHAKE_PORT", "0",
            "MESH_TIMEOUT_MS", "10000",
            "MESH_NODE", name));
  }

  /** One more node; closing its transport closes its relay first. */
  Transport openNode(String name) throws TransportException {
    opened++;
    Node node = new Node(open(name, address(opened % CABLES, 2 + opened / CABLES % 200)));
    nodes.add(node);
    node.relay = Relay.start(node);
    changed();
    for (Node other : nodes) {
      if (other != middle && other != node) {
        Awaitility.await()
            .until(() -> node.relay.reaches(other.id()) && other.relay.reaches(node.id()));
      }
    }
    return (Transport)
        Proxy.newProxyInstance(
            Transport.class.getClassLoader(),
            new Class<?>[] {Transport.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                node.end();
              }
              try {
                return method.invoke(node.transport, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void changed() {
    for (Node node : nodes) {
      node.listeners.forEach(each -> each.nodeAppeared(node.self()));
    }
  }

  @Override
  public void close() {
    middle.end();
    middle.transport.close();
  }

  /** A node, and what it knows of the mesh: everything. */
  private final class Node implements Mesh {
    final Transport transport;
    final Map<String, byte[]> services = new ConcurrentHashMap<>();
    final List<MeshEventListener> listeners = new CopyOnWriteArrayList<>();
    volatile Relay relay;

    Node(Transport transport) {
      this.transport = transport;
    }

    String id() {
      return transport.self().id();
    }

    void end() {
      if (nodes.remove(this)) {
        relay.close();
        RelayStar.this.changed();
      }
    }

    @Override
    public Transport transport() {
      return transport;
    }

    @Override
    public MeshNode self() {
      return new MeshNode(transport.self(), 1, MeshNodeState.ALIVE, "", services.keySet());
    }

    @Override
    public List<MeshNode> nodes() {
      return nodes.stream().filter(node -> node != this).map(Node::self).toList();
    }

    @Override
    public List<MeshLink> links() {
      List<MeshLink> links = new ArrayList<>();
      for (Node node : nodes) {
        if (node != middle) {
          links.add(
              new MeshLink(
                  node.transport.self(), middle.transport.self(), RATE_MBPS, 0, MTU_BYTES));
        }
      }
      return links;
    }

    @Override
    public List<MeshFinding> findings() {
      return List.of();
    }

    @Override
    public Subscription subscribe(MeshEventListener listener) {
      listeners.add(listener);
      return () -> listeners.remove(listener);
    }

    @Override
    public void publish(String service, byte[] handle) {
      services.put(service, handle);
      if (!service.equals(RelayServices.LOAD)) {
        RelayStar.this.changed();
      }
    }

    @Override
    public void withdraw(String service) {
      services.remove(service);
    }

    @Override
    public Optional<byte[]> lookup(String node, String service) {
      return nodes.stream()
          .filter(each -> each.transport.self().name().equals(node))
          .findFirst()
          .map(each -> each.services.get(service));
    }

    @Override
    public Optional<byte[]> lookup(MeshNode node, String service) {
      return nodes.stream()
          .filter(each -> each.id().equals(node.peer().id()))
          .findFirst()
          .map(each -> each.services.get(service));
    }

    @Override
    public Connection connect(
        String node, String service, ConnectOptions options, Duration timeout) {
      throw new UnsupportedOperationException("relays connect by handles");
    }

    @Override
    public boolean awaitNodes(int count, Duration timeout) {
      return nodes.size() >= count;
    }

    @Override
    public void close() {
      end();
    }
  }
}
