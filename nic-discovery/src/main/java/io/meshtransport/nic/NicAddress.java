// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.net.InetAddress;
import java.util.Objects;

/**
 * An address of a NIC together with the GID row that sends from it: a queue pair that talks to a
 * peer in this address's subnet uses this row and no other.
 *
 * @param link address and prefix length
 * @param gid the row whose GID is this address
 */
public record NicAddress(LinkAddress link, GidEntry gid) {
  public NicAddress {
    Objects.requireNonNull(link, "link");
    Objects.requireNonNull(gid, "gid");
  }

  /**
   * The address to bind to or to dial from: a link-local one has the row's interface as its scope.
   */
  public InetAddress socketAddress() {
    return gid.gid().toAddress(gid.ifindex());
  }

  /** Whether a connection that came in at this address of the host came in here. */
  public boolean is(InetAddress dialled) {
    return new ScopedAddress(link.address(), gid.ifindex()).matches(ScopedAddress.of(dialled));
  }

  /**
   * The subnet in the form {@code 10.0.1.0/24}; a link-local one with the zone of this host, as in
   * {@code fe80::%to-b/64} (RFC 4007, section 11.7).
   */
  public String subnet() {
    return zoned().subnet();
  }

  /** Another address of this subnet, that of a peer: a link-local one with the zone. */
  public String peerText(InetAddress peer) {
    return Gid.of(peer).isLinkLocal()
        ? AddressText.of(peer) + "%" + gid.netdev()
        : peer.getHostAddress();
  }

  private ZonedLinkAddress zoned() {
    return ZonedLinkAddress.at(link, gid.netdev());
  }

  /**
   * With the prefix length; a link-local one with its zone, as in {@code fe80::1%to-b/64}: as
   * {@link ZonedLinkAddress#parse} reads it.
   */
  @Override
  public String toString() {
    return zoned().toString();
  }
}
