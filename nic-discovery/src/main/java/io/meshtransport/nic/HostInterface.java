// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.List;
import java.util.Objects;

/**
 * A network interface of the host and its addresses, as {@code ip addr} shows it. {@link LiveHost}
 * reads those of this host; a recorded host makes them from {@code ip -j addr}.
 *
 * @param name as in {@code enp1s0f1}; of a VLAN without the part from {@code @} on
 * @param ifindex the kernel's number for it, 0 if unknown
 * @param up whether it is set up by its owner (IFF_UP): not whether a cable is plugged in
 * @param loopback whether its packets never leave the host
 * @param mtu longest IP packet in bytes
 * @param addresses all of them, link-local ones too, in the kernel's order
 * @param routes what the kernel's routing table says of it
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

  /** One that no route that matters here leads over. */
  public HostInterface(
      String name,
      int ifindex,
      boolean up,
      boolean loopback,
      int mtu,
      List<LinkAddress> addresses) {
    this(name, ifindex, up, loopback, mtu, addresses, InterfaceRoutes.NONE);
  }

  /** The same interface in a host with other routes. */
  public HostInterface withRoutes(InterfaceRoutes others) {
    return new HostInterface(name, ifindex, up, loopback, mtu, addresses, others);
  }

  /** The same, set up by its owner. */
  HostInterface setUp() {
    return new HostInterface(name, ifindex, true, loopback, mtu, addresses, routes);
  }

  /** The addresses that mean one cable only: all but the link-local ones. */
  public List<LinkAddress> usableAddresses() {
    return addresses.stream().filter(address -> !address.isLinkLocal()).toList();
  }
}
