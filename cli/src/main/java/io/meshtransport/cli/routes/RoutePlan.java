// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.routes;

import io.meshtransport.neighbours.map.CableState;
import io.meshtransport.neighbours.map.MapCable;
import io.meshtransport.neighbours.map.MapEnd;
import io.meshtransport.neighbours.map.MapNode;
import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.verdict.NodeState;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An address for each node of a mesh, made from its name, and this node's next hop to each other
 * one: over the fewest cables, then over the wider first cable, then by interface. Next hops are
 * fe80:: addresses, which every cable has. A pure function of the map.
 *
 * @param own this node's address
 * @param routes to the others that cables lead to, by name
 */
public record RoutePlan(String own, List<Route> routes) {
  /** Unique local addresses (RFC 4193) of all meshes: two of them are never one network. */
  private static final String PREFIX = "fd6d:6573:6874:7270";

  /**
   * A path to a node.
   *
   * @param node its name
   * @param address of it
   * @param gateway the neighbour's address on the cable
   * @param interfaceName where the cable is plugged in here
   */
  public record Route(String node, String address, String gateway, String interfaceName) {}

  public RoutePlan {
    routes = List.copyOf(routes);
  }

  /** The plan; nodes of one name have one address, so none of them is routed to. */
  public static RoutePlan of(MeshMap map) {
    MapNode self = map.nodes().stream().filter(MapNode::self).findFirst().orElseThrow();
    Map<String, MapNode> nodes = new HashMap<>();
    map.nodes().forEach(each -> nodes.put(each.id(), each));
    List<Route> routes = new ArrayList<>();
    Set<String> reached = new HashSet<>(Set.of(self.id()));
    Deque<String> border = new ArrayDeque<>(List.of(self.id()));
    Map<String, Route> first = new HashMap<>();
    while (!border.isEmpty()) {
      String at = border.poll();
      for (MapCable cable : cablesOf(map, at)) {
        MapEnd near = cable.one().node().equals(at) ? cable.one() : cable.other();
        MapEnd far = near == cable.one() ? cable.other() : cable.one();
        Optional<String> gateway = linkLocal(far);
        boolean isUsable =
            gateway.isPresent()
                && linkLocal(near).isPresent()
                && nodes.get(far.node()).state() == NodeState.ALIVE;
        if (isUsable && reached.add(far.node())) {
          border.add(far.node());
          MapNode node = nodes.get(far.node());
          Route start = first.get(at);
          Route route =
              new Route(
                  node.name(),
                  address(node.name()),
                  start == null ? gateway.get() : start.gateway(),
                  start == null ? near.interfaceName() : start.interfaceName());
          first.put(far.node(), route);
          boolean isUnique =
              map.nodes().stream().filter(each -> each.name().equals(node.name())).count() == 1;
          if (isUnique) {
            routes.add(route);
          }
        }
      }
    }
    routes.sort(Comparator.comparing(Route::node));
    return new RoutePlan(address(self.name()), routes);
  }

  private static List<MapCable> cablesOf(MeshMap map, String node) {
    return map.cables().stream()
        .filter(each -> each.state() == CableState.UP)
        .filter(each -> each.one().node().equals(node) || each.other().node().equals(node))
        .sorted(Comparator.comparingInt(each -> -each.rateMbps()))
        .toList();
  }

  private static Optional<String> linkLocal(MapEnd end) {
    return end.addresses().stream()
        .filter(each -> each.startsWith("fe80:"))
        .map(each -> each.substring(0, each.indexOf('/')))
        .findFirst();
  }

  /** The address of a name: the same on every host and after every start. */
  static String address(String name) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      StringBuilder text = new StringBuilder(PREFIX);
      for (int i = 0; i < Long.BYTES; i += 2) {
        // No group begins with a zero, so that the kernel prints the address as it is here.
        text.append(":%04x".formatted((hash[i] & 0xFF | 0x10) << 8 | hash[i + 1] & 0xFF));
      }
      return text.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform must offer SHA-256", e);
    }
  }
}
