// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Objects;

/**
 * An address of this host that compares by its interface too, where that is part of it: two NICs
 * may have the same link-local address (RFC 4007, section 6), which {@link InetAddress} calls
 * equal.
 *
 * @param address without a scope
 * @param ifindex the kernel's index of the interface of a link-local address; 0 of any other, or if
 *     it is unknown
 */
public record ScopedAddress(InetAddress address, int ifindex) {
  public ScopedAddress {
    Objects.requireNonNull(address, "address");
    address = Gid.of(address).toAddress();
    if (ifindex < 0) {
      throw new IllegalArgumentException("ifindex " + ifindex + " is negative");
    }
    ifindex = Gid.of(address).isLinkLocal() ? ifindex : 0;
  }

  /** The address, and of a link-local one the interface that its scope says. */
  public static ScopedAddress of(InetAddress address) {
    return new ScopedAddress(
        address, address instanceof Inet6Address scoped ? scoped.getScopeId() : 0);
  }

  /** What a socket is bound to. */
  public InetAddress toSocketAddress() {
    return Gid.of(address).toAddress(ifindex);
  }

  /**
   * Whether both mean the same place: equal addresses, on the same interface unless that of one of
   * them is unknown.
   */
  public boolean matches(ScopedAddress other) {
    return address.equals(other.address)
        && (ifindex == 0 || other.ifindex == 0 || ifindex == other.ifindex);
  }

  /** As {@link InetAddress#getHostAddress}. */
  @Override
  public String toString() {
    return toSocketAddress().getHostAddress();
  }
}
