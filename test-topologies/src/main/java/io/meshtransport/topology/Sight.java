// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.Inventory;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.Rejection;
import io.meshtransport.verbs.VerbsGidTables;

/** The NICs of the host this runs on, as {@code mesh nics} sees them. */
final class Sight {
  private final NodeCommand.Look command;

  Sight(NodeCommand.Look command) {
    this.command = command;
  }

  NodeEvent take() {
    Inventory found = VerbsGidTables.discovery(MeshConfig.load(command.settings())).scan();
    return new NodeEvent.Seen(
        found.nics().stream().map(Sight::seen).toList(),
        found.rejections().stream().map(Rejection::toString).toList());
  }

  private static NodeEvent.SeenNic seen(Nic nic) {
    return new NodeEvent.SeenNic(
        nic.provider(),
        nic.device(),
        nic.netdev(),
        nic.addresses().stream().map(NicAddress::toString).toList(),
        nic.gid().index(),
        nic.gid().type().label(),
        nic.activeMtu(),
        nic.state().name());
  }
}
