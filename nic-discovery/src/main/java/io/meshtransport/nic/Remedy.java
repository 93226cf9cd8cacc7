// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

/** Advice that more than one reason ends in. */
final class Remedy {
  private Remedy() {}

  /** Why no address of an interface is used. */
  static String lackOfAddress(HostInterface netdev, boolean isBridge) {
    if (netdev.addresses().isEmpty()) {
      return "it has no address";
    }
    if (isBridge) {
      return "it has no address besides link-local ones, and is a bridge or a port of one, no cable";
    }
    if (netdev.routes().isDefault()) {
      return "it has no address besides link-local ones, and a default route, so it is no cable";
    }
    if (!netdev.routes().hosts().isEmpty()) {
      return "it has no address besides link-local ones, and routes to single hosts, as a container's has";
    }
    return "it has no address besides those of 169.254.0.0/16";
  }

  static String assignAddress(String netdev) {
    return "Assign one, in a subnet of this cable's own: `ip addr add 192.168.100.1/30 dev %s`"
        .formatted(netdev);
  }
}
