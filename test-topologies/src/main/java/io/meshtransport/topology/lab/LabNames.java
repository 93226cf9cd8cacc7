// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.Topology;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What programs in guests find in their environment:
 *
 * <pre>
 * MESH_NODE      name of this node, as in a
 * MESH_NODES     names of all nodes, separated by commas
 * LAB_PEERS      those this node shares a cable with
 * LAB_ADDRESSES  this node's addresses with their prefix lengths, separated by commas
 * LAB_OUT        a folder whose files come back to the host
 * </pre>
 *
 * and for each peer, here {@code b}, by the first cable to it:
 *
 * <pre>
 * LAB_PEER_b     the peer's address
 * LAB_LOCAL_b    this node's
 * LAB_NETDEV_b   this node's network interface
 * LAB_RDMA_b     this node's RDMA device
 * </pre>
 */
final class LabNames {
  private LabNames() {}

  static Map<String, String> of(Topology topology, String node) {
    List<GuestNic> nics = GuestNic.of(topology, node);
    Map<String, String> names = new LinkedHashMap<>();
    names.put("MESH_NODE", node);
    names.put("MESH_NODES", String.join(",", topology.nodes()));
    names.put("LAB_PEERS", String.join(",", topology.peersOf(node)));
    names.put(
        "LAB_ADDRESSES",
        nics.stream().map(nic -> nic.address().toString()).collect(Collectors.joining(",")));
    names.put("LAB_OUT", GuestFiles.OUT_IN_GUEST);
    for (GuestNic nic : nics) {
      String peersAddress =
          topology.cables().get(nic.cable()).end(nic.peer()).address().address().getHostAddress();
      names.putIfAbsent("LAB_PEER_" + nic.peer(), peersAddress);
      names.putIfAbsent("LAB_LOCAL_" + nic.peer(), nic.address().address().getHostAddress());
      names.putIfAbsent("LAB_NETDEV_" + nic.peer(), nic.name());
      names.putIfAbsent("LAB_RDMA_" + nic.peer(), nic.rdmaDevice());
    }
    return names;
  }
}
