// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What Open MPI needs where no node has an address that all others reach: an address of its own for
 * each node, on an interface without a carrier, which groups of ours leave alone; and at each node
 * a route to every other one's, over the cable to it, else over the nodes between, whose kernels
 * forward. With the addresses of the cables it refuses connections on graphs where nodes have
 * unequal numbers of cables.
 */
final class MpiNetwork {
  /** What the nodes' addresses are in. */
  static final String NETWORK = "10.79.0.0/24";

  private MpiNetwork() {}

  /** Sets it up at all nodes. */
  static void over(Fabric fabric) {
    Topology topology = fabric.topology();
    for (String node : topology.nodes()) {
      NodeProgramRun.of(fabric, node, List.of("sh", "-c", script(topology, node)));
    }
  }

  /** A shell's commands for a node. */
  static String script(Topology topology, String node) {
    String own = address(topology, node);
    List<String> commands = new ArrayList<>();
    commands.add("ip link add mpi0 type veth peer name mpi1");
    commands.add("ip addr add %s/32 dev mpi0".formatted(own));
    commands.add("ip link set mpi0 up");
    commands.add("echo 1 > /proc/sys/net/ipv4/ip_forward");
    // A reply may come by another cable than its request left by.
    commands.add("for each in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 > $each; done");
    Map<String, Cable> first = firstCables(topology, node);
    for (String other : topology.nodes()) {
      if (first.containsKey(other)) {
        Cable cable = first.get(other);
        String gateway = cable.end(cable.peerOf(node)).address().address().getHostAddress();
        commands.add(
            "ip route replace %s/32 via %s src %s"
                .formatted(address(topology, other), gateway, own));
      }
    }
    return String.join(" && ", commands);
  }

  /** By node: the first cable on a shortest way to it. */
  private static Map<String, Cable> firstCables(Topology topology, String from) {
    Map<String, Cable> first = new HashMap<>();
    Deque<String> reached = new ArrayDeque<>(List.of(from));
    while (!reached.isEmpty()) {
      String next = reached.remove();
      for (Cable cable : topology.cablesOf(next)) {
        String peer = cable.peerOf(next);
        if (!peer.equals(from) && !first.containsKey(peer)) {
          first.put(peer, next.equals(from) ? cable : first.get(next));
          reached.add(peer);
        }
      }
    }
    return first;
  }

  /** A node's own. */
  static String address(Topology topology, String node) {
    return "10.79.0." + (topology.nodes().indexOf(node) + 1);
  }
}
