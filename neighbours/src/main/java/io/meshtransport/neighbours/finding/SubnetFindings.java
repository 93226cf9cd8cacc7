// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.finding;

import io.meshtransport.nic.LinkAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Findings about addresses: crossed cables, shared subnets, prefixes that differ. */
final class SubnetFindings {
  private SubnetFindings() {}

  static List<Finding> of(List<CableView> cables) {
    List<Finding> findings = new ArrayList<>();
    for (CableView cable : cables) {
      for (CableView other : cables) {
        if (cable.interfaceName().compareTo(other.interfaceName()) < 0) {
          sharedSubnet(cable, other).ifPresent(findings::add);
        }
      }
      for (NeighbourView neighbour : cable.neighbours()) {
        ofCable(cables, cable, neighbour).ifPresent(findings::add);
      }
    }
    return findings;
  }

  private static boolean overlap(LinkAddress one, LinkAddress other) {
    return one.contains(other.address()) || other.contains(one.address());
  }

  private static Optional<Finding> sharedSubnet(CableView one, CableView other) {
    for (LinkAddress mine : one.usableAddresses()) {
      for (LinkAddress second : other.usableAddresses()) {
        if (overlap(mine, second)) {
          return Optional.of(
              new Finding(
                  FindingKind.SHARED_SUBNET,
                  one.interfaceName() + ", " + other.interfaceName(),
                  "Two cables are in one subnet: %s on %s and %s on %s; the kernel may send over either."
                      .formatted(mine, one.interfaceName(), second, other.interfaceName()),
                  "Give each cable a subnet of its own."));
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<Finding> ofCable(
      List<CableView> cables, CableView cable, NeighbourView neighbour) {
    List<LinkAddress> theirs = CableView.usable(neighbour.addresses());
    List<LinkAddress> mine = cable.usableAddresses();
    for (LinkAddress here : mine) {
      for (LinkAddress there : theirs) {
        if (overlap(here, there)) {
          return here.prefixLength() == there.prefixLength()
              ? Optional.empty()
              : Optional.of(differentLengths(cable, neighbour, here, there));
        }
      }
    }
    Optional<Finding> crossed = crossed(cables, cable, neighbour, theirs);
    if (crossed.isPresent() || mine.isEmpty() || theirs.isEmpty()) {
      return crossed; // Without an address at one end the cable works by fe80:: alone.
    }
    return Optional.of(
        new Finding(
            FindingKind.PREFIX_MISMATCH,
            cable.with(neighbour),
            "The two ends have no subnet in common: %s here and %s there."
                .formatted(texts(mine), texts(theirs)),
            "Give both ends addresses of one subnet, for example `ip addr add %s dev %s` on %s."
                .formatted(beside(mine.get(0)), neighbour.interfaceName(), neighbour.name())));
  }

  private static Finding differentLengths(
      CableView cable, NeighbourView neighbour, LinkAddress here, LinkAddress there) {
    return new Finding(
        FindingKind.PREFIX_MISMATCH,
        cable.with(neighbour),
        "The prefix lengths differ: %s here and %s there.".formatted(here, there),
        "Give both ends the same prefix length.");
  }

  private static Optional<Finding> crossed(
      List<CableView> cables, CableView cable, NeighbourView neighbour, List<LinkAddress> theirs) {
    for (CableView other : cables) {
      if (other == cable) {
        continue;
      }
      for (LinkAddress mine : other.usableAddresses()) {
        for (LinkAddress there : theirs) {
          if (mine.contains(there.address())) {
            return Optional.of(
                new Finding(
                    FindingKind.CROSSED_CABLES,
                    cable.with(neighbour),
                    "%s at the other end of %s is in the subnet of %s (%s)."
                        .formatted(there, cable.interfaceName(), other.interfaceName(), mine),
                    "Plug this cable into %s, or swap the cables of %s and %s at one end."
                        .formatted(
                            other.interfaceName(), cable.interfaceName(), other.interfaceName())));
          }
        }
      }
    }
    return Optional.empty();
  }

  private static String texts(List<LinkAddress> addresses) {
    return addresses.stream().map(LinkAddress::toString).sorted().toList().toString();
  }

  /** An address of the same subnet that is not this one. */
  private static String beside(LinkAddress address) {
    byte[] bytes = address.address().getAddress();
    int last = bytes.length - 1;
    boolean isPair = address.prefixLength() >= bytes.length * Byte.SIZE - 1;
    bytes[last] ^= (byte) (isPair ? 1 : 3);
    if ((bytes[last] & 3) == 0 && !isPair) {
      bytes[last] ^= 1;
    }
    try {
      return new LinkAddress(InetAddress.getByAddress(bytes), address.prefixLength()).toString();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 bytes", e);
    }
  }
}
