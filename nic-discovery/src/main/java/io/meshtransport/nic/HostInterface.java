// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.List;
import java.util.Objects;

/**
 * A network interface of the host and its addresses, as {@code ip addr} shows it. {@link LiveHost}
 * reads those of this host; a recorded host makes them from {@code ip -j addr}.
 *
 * @param name as in {@code enp1s0f1}; of a VLAN without the part from {@code @} on
 * @param ifindex the kernel's index of it, 0 if unknown
 * @param up whether it is administratively up (IFF_UP), with or without a carrier
 * @param loopback whether its packets never leave the host
 * @param mtu max length of an IP packet in bytes
 * @param addresses all of them, link-local ones too, in the kernel's order
 * @param routes the kernel's routing table for it
 */
public record HostInterface(
    String name,
    int ifindex,
    boolean up,
    boolean loopback,
    int mtu,
    List<LinkAddress> addresses,
    InterfaceRoutes routes) {
  public HostInterface {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(routes, "routes");
    addresses = List.copyOf(addresses);
    // Names become file names below /sys/class/net.
    if (name.isEmpty() || name.contains("/") || name.equals(".") || name.equals("..")) {
      throw new IllegalArgumentException("'" + name + "' is not the name of a network interface");
    }
    if (ifindex < 0) {
      throw new IllegalArgumentException(name + ": ifindex " + ifindex + " is negative");
    }
    if (mtu < 0) {
      throw new IllegalArgumentException(name + ": MTU " + mtu + " is negative");
    }
  }

  /** An interface without default or host routes. */
  public HostInterface(
      String name,
      int ifindex,
      boolean up,
      boolean loopback,
      int mtu,
      List<LinkAddress> addresses) {
    this(name, ifindex, up, loopback, mtu, addresses, InterfaceRoutes.NONE);
  }

  /** This interface with other routes. */
  public HostInterface withRoutes(InterfaceRoutes others) {
    return new HostInterface(name, ifindex, up, loopback, mtu, addresses, others);
  }

  /** This interface, administratively up. */
  HostInterface setUp() {
    return new HostInterface(name, ifindex, true, loopback, mtu, addresses, routes);
  }

  /** The addresses that somebody gave to it: all except link-local ones. */
  public List<LinkAddress> configuredAddresses() {
    return addresses.stream().filter(address -> !address.isLinkLocal()).toList();
  }

  /**
   * The addresses that peers at the other end of its cable reach it by: the configured ones, or
   * those of fe80::/10 that the kernel gives to each interface, if there are no others. A network
   * that leads everywhere is no cable, and neither is the host's end of a container's, to which
   * routes lead that name no address of this end: they have none without a configured address.
   */
  public List<LinkAddress> usableAddresses() {
    List<LinkAddress> configured = configuredAddresses();
    boolean isCable = !loopback && !routes.isDefault() && routes.hosts().isEmpty();
    return configured.isEmpty() && isCable
        ? addresses.stream().filter(address -> Gid.of(address.address()).isLinkLocal()).toList()
        : configured;
  }
}
