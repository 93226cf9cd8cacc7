// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.nic.AddressText;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.spi.NicDescription;
import java.net.InetAddress;
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
   * @param link the address with its prefix length
   */
  record Subnet(String netdev, LinkAddress link) {
    /** As in {@code 10.0.1.0/24}. */
    String subnet() {
      return link.subnet().toString();
    }

    /** As in {@code 10.0.1.1}. */
    String host() {
      return AddressText.of(link.address());
    }
  }

  OwnSubnets {
    subnets = List.copyOf(subnets);
  }

  static OwnSubnets of(List<NicDescription> nics) {
    List<Subnet> subnets = new ArrayList<>();
    for (NicDescription nic : nics) {
      for (String address : nic.addresses()) {
        subnets.add(new Subnet(nic.netdev(), LinkAddress.parse(address)));
      }
    }
    return new OwnSubnets(subnets);
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
    boolean isShared = subnets.stream().anyMatch(own -> own.link().contains(asked));
    return isShared
        ? "This host has " + all + "."
        : "This host has %s, and %s is in none of them: give the peer's address at the cable between you."
            .formatted(all, AddressText.of(asked));
  }
}
