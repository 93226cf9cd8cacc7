// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.Optional;

/**
 * Decides whether a network interface of an RDMA port can carry RoCE v2. The first requirement that
 * it fails is the reason of its rejection.
 *
 * @param host the host of the interface
 */
record NetdevFilter(Discovery host) {

  /** The reason to leave the interface out; empty if it passes. */
  Optional<Rejection> refusal(RdmaPort port, HostInterface found) {
    String name = found.name();
    if (!host.config().ifname().accepts(name)) {
      return refuse(
          port,
          name,
          "MESH_IFNAME=%s leaves out %s".formatted(host.config().ifname(), name),
          "Change or unset MESH_IFNAME to use it");
    }
    if (!found.up()) {
      return refuse(
          port, name, name + " is set down", "Set it up: `ip link set %s up`".formatted(name));
    }
    if (found.usableAddresses().isEmpty()) {
      return refuse(
          port,
          name,
          "no RoCE v2 GID is used, because of %s: %s"
              .formatted(name, Remedy.lackOfAddress(found, /* isBridge= */ false)),
          Remedy.assignAddress(name));
    }
    if (host.activeMtu(found).isEmpty()) {
      return refuse(
          port,
          name,
          "the MTU of %s, %d bytes, is too small for a RoCE packet".formatted(name, found.mtu()),
          "Set a larger one, best `ip link set %s mtu 9000`".formatted(name));
    }
    return Optional.empty();
  }

  /** The rejection for a row whose interface this host does not have. */
  static Rejection foreign(RdmaPort port, String name) {
    if (name.isEmpty()) {
      return port.rejection(
          name,
          "no network interface belongs to it",
          "Load the NIC's Ethernet driver, for example `modprobe mlx5_core`, and check `rdma link`");
    }
    return port.rejection(
        name,
        "its network interface %s is not in this network namespace".formatted(name),
        "Run in the namespace that has it, or move it here with `ip link set %s netns NAME`"
            .formatted(name));
  }

  /** The rejection for an address without a row in the port's GID table. */
  static Rejection rowless(RdmaPort port, RoceNetdev netdev, LinkAddress address) {
    String name = netdev.host().name();
    if (netdev.hasRoceV1(address)) {
      return port.rejection(
          name,
          "%s has a RoCE v1 row in the GID table but none of RoCE v2".formatted(address),
          "Update the device's firmware and driver, or set MESH_PROVIDER=soft");
    }
    return port.rejection(
        name,
        "%s has no RoCE v2 row in the GID table".formatted(address),
        "Make the kernel write it anew: `ip addr del %s dev %s && ip addr add %s dev %s`"
            .formatted(address, name, address, name));
  }

  private static Optional<Rejection> refuse(
      RdmaPort port, String name, String reason, String remedy) {
    return Optional.of(port.rejection(name, reason, remedy));
  }
}
