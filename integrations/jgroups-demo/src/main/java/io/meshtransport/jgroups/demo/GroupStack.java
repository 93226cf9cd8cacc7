// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Topology;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A stack of protocols, and what fills its ${...} at each node.
 *
 * @param file file, or resource on the class path
 * @param properties by node: they become system properties of its JVM
 */
public record GroupStack(String file, Function<String, Map<String, String>> properties) {
  private static final String STOCK = "stock-tcp.xml";

  /** TCP port of stock TCP: the one in JGroups' tcp.xml. */
  public static final int STOCK_PORT = 7800;

  /** JGroups' TCP, each member bound to its address at its first cable. */
  public static GroupStack stockTcp(Topology topology) {
    return stockTcp(topology, node -> firstAddress(topology, node));
  }

  /**
   * JGroups' TCP, with one address per node that the others are given.
   *
   * @param addressOf a node, as in {@code 10.77.1.1}
   */
  public static GroupStack stockTcp(Topology topology, Function<String, String> addressOf) {
    String members = stockMembers(topology, addressOf);
    return new GroupStack(
        STOCK, node -> Map.of("stock.address", addressOf.apply(node), "stock.members", members));
  }

  /** All members, in the form of TCPPING's initial hosts. */
  public static String stockMembers(Topology topology, Function<String, String> addressOf) {
    return topology.nodes().stream()
        .map(node -> addressOf.apply(node) + "[" + STOCK_PORT + "]")
        .collect(Collectors.joining(","));
  }

  /**
   * MESH, where each member has as seeds one address of every peer, at the cable to it.
   *
   * @param file {@code mesh.xml}, or another one with the same properties
   */
  public static GroupStack mesh(String file, Topology topology) {
    return new GroupStack(
        file,
        node ->
            Map.of("jgroups.mesh.node_name", node, "jgroups.mesh.seeds", seeds(topology, node)));
  }

  /** The same with further properties at each node, which are stronger than those it has. */
  public GroupStack with(Function<String, Map<String, String>> more) {
    return new GroupStack(
        file,
        node -> {
          Map<String, String> both = new HashMap<>(properties.apply(node));
          both.putAll(more.apply(node));
          return both;
        });
  }

  /** One address of every peer, at the cable to it, in the form of MESH's seeds. */
  public static String seeds(Topology topology, String node) {
    return topology.peersOf(node).stream()
        .map(peer -> address(topology.cablesBetween(node, peer).get(0), peer))
        .collect(Collectors.joining(","));
  }

  /** A node's address at its first cable. */
  static String firstAddress(Topology topology, String node) {
    return address(topology.cablesOf(node).get(0), node);
  }

  static String address(Cable cable, String node) {
    return cable.end(node).address().address().getHostAddress();
  }
}
