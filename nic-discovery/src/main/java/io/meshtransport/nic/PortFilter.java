// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.Optional;

/**
 * Decides whether a port is a candidate: the settings select it, it speaks RoCE, it is active. The
 * first requirement that it fails is the reason of its rejection.
 *
 * <p>Ports of link layer InfiniBand are left out: a path there needs the peer's local identifier
 * (LID) and a subnet manager, and our handshake carries addresses of Ethernet only.
 *
 * @param host the host of the port
 */
record PortFilter(Discovery host) {

  /** The reason to leave the port out; empty if it passes. */
  Optional<Rejection> refusal(RdmaPort port) {
    return notWanted(port)
        .or(() -> notRoce(port))
        .or(() -> port.state() == PortState.ACTIVE ? Optional.empty() : notActive(port));
  }

  /** Whether the settings select it and it speaks RoCE, ACTIVE or not. */
  boolean isSuitable(RdmaPort port) {
    return notWanted(port).or(() -> notRoce(port)).isEmpty();
  }

  private Optional<Rejection> notWanted(RdmaPort port) {
    if (!host.config().hca().accepts(port.device(), port.port())) {
      return refuse(
          port,
          "MESH_HCA=%s leaves it out".formatted(host.config().hca()),
          "Change or unset MESH_HCA to use it");
    }
    return Optional.empty();
  }

  private static Optional<Rejection> notRoce(RdmaPort port) {
    if (!port.isChannelAdapter()) {
      return refuse(
          port,
          "it is no RoCE device but of type '%s'".formatted(port.nodeType()),
          "Set MESH_PROVIDER=soft to use its network interface over TCP");
    }
    if (port.linkLayer().equals("InfiniBand")) {
      return refuse(
          port,
          "its link layer is InfiniBand, and only Ethernet (RoCE v2) is supported",
          "Switch the port to Ethernet if the device can, for example"
              + " `mlxconfig -d %s set LINK_TYPE_P%d=2`, or set MESH_PROVIDER=soft to use IPoIB"
                  .formatted(known(port.pciPath(), "PCI_ADDRESS"), port.port()));
    }
    return Optional.empty();
  }

  private Optional<Rejection> notActive(RdmaPort port) {
    String netdev = known(port.netdev(), "NETDEV");
    Optional<HostInterface> found = host.hostInterface(netdev);
    String operstate = found.map(there -> new Netdev(port.sysfs(), there).operstate()).orElse("");
    boolean setDown = found.filter(there -> !there.up()).isPresent();
    return refuse(
        port,
        "the port is %s, not ACTIVE (physical state %s, operstate of %s %s)"
            .formatted(
                port.state(),
                known(port.physicalState(), "unknown"),
                netdev,
                known(operstate, "unknown")),
        setDown
            ? "Set its network interface up: `ip link set %s up`".formatted(netdev)
            : "Check the cable and that its other end is up, then `ip link set %s up`"
                .formatted(netdev));
  }

  private static Optional<Rejection> refuse(RdmaPort port, String reason, String remedy) {
    return Optional.of(port.rejection(port.netdev(), reason, remedy));
  }

  private static String known(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }
}
