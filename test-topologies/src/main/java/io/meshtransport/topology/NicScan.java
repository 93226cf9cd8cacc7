// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.Inventory;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.Rejection;
import io.meshtransport.verbs.VerbsGidTables;

/** The NICs of the host this runs on, as {@code mesh nics} sees them. */
final class NicScan {
  private final NodeCommand.ScanNics command;

  NicScan(NodeCommand.ScanNics command) {
    this.command = command;
  }

  NodeEvent run() {
    Inventory found = VerbsGidTables.discovery(MeshConfig.load(command.settings())).scan();
    return new NodeEvent.FoundNics(
        found.nics().stream().map(NicScan::found).toList(),
        found.rejections().stream().map(Rejection::toString).toList());
  }

  private static NodeEvent.FoundNic found(Nic nic) {
    return new NodeEvent.FoundNic(
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
