// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import java.util.List;

/**
 * An end of a cable.
 *
 * @param node id of the node
 * @param label of the node
 * @param interfaceName as in {@code eth1}
 * @param addresses of the interface
 */
public record MapEnd(
    String node, String label, int interfaceIndex, String interfaceName, List<String> addresses) {
  private static final String LINK_LOCAL = "fe80:";

  public MapEnd {
    addresses = List.copyOf(addresses);
  }

  /** All but the kernel's own, which say nothing about the cable. */
  public List<String> shownAddresses() {
    return shown(addresses);
  }

  /** All but the kernel's own of these addresses. */
  public static List<String> shown(List<String> addresses) {
    return addresses.stream().filter(each -> !each.startsWith(LINK_LOCAL)).toList();
  }

  /** Node and interface, as in {@code b/eth0}. */
  public String place() {
    return label + "/" + interfaceName;
  }
}
