// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.nic.AddressText;
import io.meshtransport.nic.ZonedLinkAddress;
import io.meshtransport.spi.NicDescription;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The subnets that this host has a cable in: what a user must know who picks an address of a peer.
 * A value.
 *
 * @param subnets one for each address of each NIC, in the order of the NICs
 */
record OwnSubnets(List<Subnet> subnets) {
  /**
   * One address of this host.
   *
   * @param netdev its network interface
   * @param address with its prefix length, and its zone if it is link-local
   */
  record Subnet(String netdev, ZonedLinkAddress address) {
    /** As in {@code 10.0.1.0/24}, or {@code fe80::%eth1/64}. */
    String subnet() {
      return address.subnet();
    }

    /** As in {@code 10.0.1.1}; without the zone, which means nothing on another host. */
    String host() {
      return AddressText.of(address.link().address());
    }

    /** A link-local address without a scope is in no subnet, as each cable has one of fe80::/64. */
    private boolean contains(InetAddress asked) {
      return address.link().contains(asked)
          && (!address.isZoned() || scope(asked).equals(address.zone()));
    }

    private String howToPing(int handshakePort) {
      String line = "from %s (%s here): ./mesh ping %s";
      return address.isZoned()
          ? (line + ", where INTERFACE is the pinger's own at this cable")
              .formatted(subnet(), netdev, new PeerArgument(host() + "%INTERFACE", handshakePort))
          : line.formatted(subnet(), netdev, new PeerArgument(host(), handshakePort));
    }
  }

  OwnSubnets {
    subnets = List.copyOf(subnets);
  }

  static OwnSubnets of(List<NicDescription> nics) {
    List<Subnet> subnets = new ArrayList<>();
    for (NicDescription nic : nics) {
      for (String address : nic.addresses()) {
        subnets.add(new Subnet(nic.netdev(), ZonedLinkAddress.parse(address)));
      }
    }
    return new OwnSubnets(subnets);
  }

  /**
   * A line for each, of how a peer in it finds this host without its handle.
   *
   * @param handshakePort of this host, 1 to 65535
   */
  List<String> howToPing(int handshakePort) {
    return subnets.stream().map(own -> own.howToPing(handshakePort)).toList();
  }

  /**
   * The text of a failed handle query with what this host's subnets say of it.
   *
   * @param failure what the query met
   * @return for a link-local address without a zone, first which zones there are, and what the
   *     query met only if that was the one there is; for any other what it met, then the subnets,
   *     with a remedy if the address is in none of them
   */
  String explain(String failure, InetAddress asked) {
    List<String> zoned =
        zones(asked).stream().map(zone -> AddressText.of(asked) + "%" + zone).toList();
    return switch (zoned.size()) {
      case 0 -> failure + " " + remark(asked);
      case 1 -> zoneWanted(asked, zoned) + " Without it: " + failure;
      default -> zoneWanted(asked, zoned);
    };
  }

  private static String zoneWanted(InetAddress asked, List<String> zoned) {
    return "%s is a link-local address, which needs its zone, this host's interface at the cable to the peer: %s."
        .formatted(AddressText.of(asked), String.join(" or ", zoned));
  }

  private String remark(InetAddress asked) {
    String all =
        subnets.stream()
            .map(own -> own.subnet() + " (" + own.netdev() + ")")
            .collect(Collectors.joining(", "));
    if (subnets.stream().anyMatch(own -> own.contains(asked))) {
      return "This host has " + all + ".";
    }
    String scope = scope(asked);
    String address = AddressText.of(asked) + (scope.isEmpty() ? "" : "%" + scope);
    return "This host has %s, and %s is in none of them: give the peer's address at the cable between you."
        .formatted(all, address);
  }

  /** Those that a link-local address without a scope may be of; none for any other. */
  private List<String> zones(InetAddress asked) {
    return subnets.stream()
        .map(Subnet::address)
        .filter(own -> own.isZoned() && own.link().contains(asked) && scope(asked).isEmpty())
        .map(ZonedLinkAddress::zone)
        .distinct()
        .toList();
  }

  /** The interface's name, or its index if that is all that is known; empty without a scope. */
  private static String scope(InetAddress asked) {
    if (!(asked instanceof Inet6Address scoped) || scoped.getScopeId() == 0) {
      return "";
    }
    try {
      NetworkInterface netdev = NetworkInterface.getByIndex(scoped.getScopeId());
      return netdev == null ? String.valueOf(scoped.getScopeId()) : netdev.getName();
    } catch (SocketException e) {
      return String.valueOf(scoped.getScopeId()); // Only a text gets less precise.
    }
  }
}
