// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.ZonedLinkAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds NICs whose addresses lie in one subnet. Each cable should have one of its own, because the
 * kernel chooses the interface by the subnet. Link-local subnets are the same everywhere and count
 * for nothing. A value.
 *
 * @param nics to compare; several may be one network interface
 */
record SharedSubnets(List<NicsReport.Port> nics) {
  /** A sentence for each two addresses that share a subnet. */
  List<String> warnings() {
    Set<String> warnings = new LinkedHashSet<>();
    for (int i = 0; i < nics.size(); i++) {
      for (NicsReport.Port other : nics.subList(i + 1, nics.size())) {
        if (!nics.get(i).netdev().equals(other.netdev())) {
          warnings.addAll(between(nics.get(i), other));
        }
      }
    }
    return List.copyOf(warnings);
  }

  private static List<String> between(NicsReport.Port one, NicsReport.Port other) {
    List<String> warnings = new ArrayList<>();
    for (String a : one.addresses()) {
      for (String b : other.addresses()) {
        if (share(ZonedLinkAddress.parse(a).link(), ZonedLinkAddress.parse(b).link())) {
          warnings.add(
              ("%s %s and %s %s share a subnet: the kernel may send over either;"
                      + " give each cable a subnet of its own")
                  .formatted(one.netdev(), a, other.netdev(), b));
        }
      }
    }
    return warnings;
  }

  private static boolean share(LinkAddress a, LinkAddress b) {
    boolean overlap = a.contains(b.address()) || b.contains(a.address());
    return overlap && !a.isLinkLocal() && !b.isLinkLocal();
  }
}
