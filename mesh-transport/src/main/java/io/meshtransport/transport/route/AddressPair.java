// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.ScopedAddress;

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
    /**
     * Both are IPv6 link-local: in one subnet if a cable joins them, which only a handshake shows.
     * Worth one, after those that share a subnet of their own.
     */
    LINK_LOCAL,
    /**
     * Both are IPv6 link-local, and a mesh knows that no cable joins them, see {@link
     * Routes#without}.
     */
    OFF_LINK,
    /** Both ends have the same address, so neither can reach the other. */
    SAME_ADDRESS,
    /** One lies in the other's subnet, but not the other way round. */
    ONE_SIDED,
    /** Neither lies in the other's subnet. */
    APART,
    /** One is link-local and the other is not, or both are of 169.254.0.0/16. */
    HALF_LINK_LOCAL,
    /** One is IPv4, the other IPv6. */
    OTHER_FAMILY;

    /** Whether such a pair is worth a handshake. */
    boolean isCandidate() {
      return this == SHARED || this == LINK_LOCAL;
    }
  }

  Relation relation() {
    LinkAddress ours = local.link();
    LinkAddress theirs = remote.link();
    if (ours.isIpv4() != theirs.isIpv4()) {
      return Relation.OTHER_FAMILY;
    }
    if (ours.address().equals(theirs.address())) {
      return Relation.SAME_ADDRESS;
    }
    if (ours.isLinkLocal() || theirs.isLinkLocal()) {
      return isLinkLocal() && !ours.isIpv4() ? Relation.LINK_LOCAL : Relation.HALF_LINK_LOCAL;
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

  /** Whether both are link-local: then nothing but a handshake shows whether a cable joins them. */
  public boolean isLinkLocal() {
    return local.link().isLinkLocal() && remote.link().isLinkLocal();
  }

  /**
   * Whether an address of the peer is at the other end of this pair's network: on this interface,
   * if the address has a scope.
   */
  boolean leadsTo(ScopedAddress named) {
    boolean isInScope =
        named.ifindex() == 0 || nic.ifindex() == 0 || named.ifindex() == nic.ifindex();
    return isInScope
        && (remote.link().address().equals(named.address())
            || local.link().contains(named.address()));
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
   * ends, as in {@code 10.9.0.1/32 peer 10.9.0.2}; of link-local addresses with the zone of this
   * host, as in {@code fe80::%to-b/64} (RFC 4007, section 11). Means nothing unless a candidate.
   */
  String sharedSubnet() {
    if (isPointToPoint()) {
      return local.link() + " peer " + remote.link().address().getHostAddress();
    }
    LinkAddress ours = local.link();
    LinkAddress theirs = remote.link();
    return ours.prefixLength() >= theirs.prefixLength() || isLinkLocal()
        ? local.subnet()
        : theirs.subnet();
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
