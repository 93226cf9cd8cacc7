// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.finding;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.nic.LinkAddress;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A node of the mesh, as it describes itself.
 *
 * @param interfaces those that are known
 */
public record NodeView(NodeId node, String name, List<InterfaceEntry> interfaces) {
  public NodeView {
    interfaces = List.copyOf(interfaces);
  }

  /** Id and place, as in {@code 3f2dae8f at eth1 10.0.1.1, eth2 10.0.3.1}. */
  String description() {
    return interfaces.isEmpty()
        ? node.shortId()
        : node.shortId()
            + " at "
            + interfaces.stream()
                .map(InterfaceEntry::description)
                .collect(Collectors.joining(", "));
  }

  Set<InetAddress> addresses() {
    return interfaces.stream()
        .flatMap(each -> each.addresses().stream())
        .map(LinkAddress::address)
        .collect(Collectors.toSet());
  }
}
