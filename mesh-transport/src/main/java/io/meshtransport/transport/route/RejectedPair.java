// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.nic.LinkAddress;
import io.meshtransport.transport.route.AddressPair.Relation;

/**
 * A pair of addresses that is no route to the peer. Its sentence is made only when it is read: most
 * pairs of a mesh are rejected, and rightly.
 *
 * @param pair which two addresses
 * @param relation why not; never that of a candidate
 * @param evidence where the cable leads instead, of one that is OFF_LINK; else empty
 */
record RejectedPair(AddressPair pair, Relation relation, String evidence) {
  RejectedPair {
    if (relation.isCandidate() || (relation == Relation.OFF_LINK) == evidence.isEmpty()) {
      throw new IllegalArgumentException(pair + ": " + relation + " for '" + evidence + "'");
    }
  }

  RejectedPair(AddressPair pair, Relation relation) {
    this(pair, relation, "");
  }

  /** Why not, in words. */
  String reason() {
    LinkAddress ours = pair.local().link();
    LinkAddress theirs = pair.remote().link();
    return switch (relation) {
      case SHARED, LINK_LOCAL -> throw new AssertionError("refused by the constructor");
      case OFF_LINK -> evidence;
      case SAME_ADDRESS ->
          "both ends have "
              + ours.address().getHostAddress()
              + ": a cable with one address given twice, or a bridge that every host has";
      case ONE_SIDED -> oneSided(ours, theirs);
      case APART -> ours.subnet() + " and " + theirs.subnet() + " are different subnets";
      case HALF_LINK_LOCAL ->
          ours.isIpv4()
              ? "of 169.254.0.0/16 are no cable's own addresses"
              : (ours.isLinkLocal() ? ours : theirs)
                  + " is link-local, as the only address of its interface, and "
                  + (ours.isLinkLocal() ? theirs : ours)
                  + " is not";
      case OTHER_FAMILY -> "one is IPv4, the other IPv6";
    };
  }

  private static String oneSided(LinkAddress ours, LinkAddress theirs) {
    boolean theyLieInOurs = ours.contains(theirs.address());
    LinkAddress wide = theyLieInOurs ? ours : theirs;
    LinkAddress narrow = theyLieInOurs ? theirs : ours;
    return narrow
        + " lies in "
        + wide.subnet()
        + ", but "
        + wide.address().getHostAddress()
        + " is outside "
        + narrow.subnet()
        + ": the masks differ";
  }

  @Override
  public String toString() {
    return pair + ": " + reason();
  }
}
