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
import java.util.Optional;
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
   * Text to append to the failure of a handle query.
   *
   * @return a sentence that names the subnets, and adds a remedy if the address is in none of them
   */
  String remark(InetAddress asked) {
    String all =
        subnets.stream()
            .map(own -> own.subnet() + " (" + own.netdev() + ")")
            .collect(Collectors.joining(", "));
    if (subnets.stream().anyMatch(own -> own.contains(asked))) {
      return "This host has " + all + ".";
    }
    String scope = scope(asked);
    String address = AddressText.of(asked) + (scope.isEmpty() ? "" : "%" + scope);
    Optional<String> zone = scope.isEmpty() ? zoneFor(asked) : Optional.empty();
    return zone.isPresent()
        ? "This host has %s, and %s does not say in which of them it is: append this host's interface at the cable, as in %s%%%s."
            .formatted(all, address, address, zone.get())
        : "This host has %s, and %s is in none of them: give the peer's address at the cable between you."
            .formatted(all, address);
  }

  /** The first zone that a link-local address without a scope may be of. */
  private Optional<String> zoneFor(InetAddress asked) {
    return subnets.stream()
        .map(Subnet::address)
        .filter(own -> own.isZoned() && own.link().contains(asked))
        .map(ZonedLinkAddress::zone)
        .findFirst();
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
