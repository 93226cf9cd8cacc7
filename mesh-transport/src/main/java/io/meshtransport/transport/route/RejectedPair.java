// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.nic.LinkAddress;

/**
 * A pair of addresses that is no route to the peer. Its sentence is made only when it is read: most
 * pairs of a mesh are rejected, and rightly.
 *
 * @param pair which two addresses
 * @param relation why not; never SHARED
 */
record RejectedPair(AddressPair pair, AddressPair.Relation relation) {
  RejectedPair {
    if (relation == AddressPair.Relation.SHARED) {
      throw new IllegalArgumentException(pair + " share a subnet: that is a candidate");
    }
  }

  /** Why not, in words. */
  String reason() {
    LinkAddress ours = pair.local().link();
    LinkAddress theirs = pair.remote().link();
    return switch (relation) {
      case SHARED -> throw new AssertionError("refused by the constructor");
      case SAME_ADDRESS ->
          "both ends have "
              + ours.address().getHostAddress()
              + ": a cable with one address given twice, or a bridge that every host has";
      case ONE_SIDED -> oneSided(ours, theirs);
      case APART -> ours.subnet() + " and " + theirs.subnet() + " are different subnets";
      case LINK_LOCAL ->
          (ours.isLinkLocal() ? ours : theirs)
              + " is link-local: that subnet is on every cable, so it names none";
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
