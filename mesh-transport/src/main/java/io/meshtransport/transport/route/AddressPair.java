// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import java.net.InetAddress;

/**
 * One address of ours and one of the peer's: what the router judges. Knows only what both ends say
 * about themselves; a cable between them is for the handshake to prove.
 *
 * @param nic the local NIC
 * @param local one of its addresses
 * @param remote one of the peer's
 */
public record AddressPair(Nic nic, NicAddress local, HandleAddress remote) {
  /** How an address of ours and one of the peer's relate. Judged in this order. */
  enum Relation {
    /**
     * Each lies in the other's subnet, or they are the ends of a point-to-point link: worth a
     * handshake.
     */
    SHARED,
    /** Both ends have the same address, so neither can reach the other. */
    SAME_ADDRESS,
    /** One lies in the other's subnet, but not the other way round. */
    ONE_SIDED,
    /** Neither lies in the other's subnet. */
    APART,
    /** At least one is link-local: it would match on every cable. */
    LINK_LOCAL,
    /** One is IPv4, the other IPv6. */
    OTHER_FAMILY
  }

  Relation relation() {
    LinkAddress ours = local.link();
    LinkAddress theirs = remote.link();
    if (ours.isIpv4() != theirs.isIpv4()) {
      return Relation.OTHER_FAMILY;
    }
    if (ours.isLinkLocal() || theirs.isLinkLocal()) {
      return Relation.LINK_LOCAL;
    }
    if (ours.address().equals(theirs.address())) {
      return Relation.SAME_ADDRESS;
    }
    boolean theyLieInOurs = ours.contains(theirs.address()) || isPointToPoint();
    boolean weLieInTheirs =
        theirs.contains(ours.address()) || isPointToPoint() && isHostAddress(theirs);
    if (theyLieInOurs && weLieInTheirs) {
      return Relation.SHARED;
    }
    return theyLieInOurs || weLieInTheirs ? Relation.ONE_SIDED : Relation.APART;
  }

  /**
   * Whether our address is that of a point-to-point link whose other end has the peer's ({@code ip
   * addr add A peer B}): there is no subnet then, but a route to that one host.
   */
  boolean isPointToPoint() {
    return isHostAddress(local.link()) && nic.routes().hosts().contains(remote.link().address());
  }

  private static boolean isHostAddress(LinkAddress link) {
    return link.prefixLength() == link.address().getAddress().length * Byte.SIZE;
  }

  /** Whether an address of the peer is at the other end of this pair's network. */
  boolean leadsTo(InetAddress address) {
    return remote.link().address().equals(address) || local.link().contains(address);
  }

  /**
   * Bits that both ends agree on: the smaller of both prefix lengths. Where masks differ, the end
   * with the shorter one says less about the cable, and a pair is as telling as its vaguer end.
   */
  int sharedPrefixLength() {
    return Math.min(local.link().prefixLength(), remote.link().prefixLength());
  }

  /**
   * What both subnets have in common, as in {@code 10.0.1.0/24}. Of two subnets that overlap one
   * lies inside the other, so this is the one with the longer prefix; of a point-to-point link both
   * ends, as in {@code 10.9.0.1/32 peer 10.9.0.2}. Means nothing unless SHARED.
   */
  String sharedSubnet() {
    if (isPointToPoint()) {
      return local.link() + " peer " + remote.link().address().getHostAddress();
    }
    LinkAddress ours = local.link();
    LinkAddress theirs = remote.link();
    return (ours.prefixLength() >= theirs.prefixLength() ? ours : theirs).subnet();
  }

  /** What the slower end can do in megabits per second; of a known and an unknown, the known. */
  int speedMbps() {
    int ours = nic.speedMbps();
    int theirs = remote.speedMbps();
    return ours == 0 || theirs == 0 ? Math.max(ours, theirs) : Math.min(ours, theirs);
  }

  @Override
  public String toString() {
    return nic.label() + " " + local.link() + " to " + remote.link();
  }
}
