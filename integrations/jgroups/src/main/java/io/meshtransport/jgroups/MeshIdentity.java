// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.directory.Node;
import io.meshtransport.spi.Transport;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.jgroups.stack.IpAddress;

/**
 * The identity of this node, from the attributes of the stack.
 *
 * @param overlay its address in the overlay network
 * @param label node_name
 */
record MeshIdentity(IpAddress overlay, String label) {
  /**
   * @param nodeName node_name; the host's if empty
   * @param overlayAddress overlay_addr; if empty it is found from node_name or, where that is empty
   *     too, from the host's name and the address of the first NIC: several members of one host,
   *     each at NICs of its own, may have one port
   * @throws IllegalArgumentException as {@link #name} and {@link #chosen}
   */
  static MeshIdentity of(
      String nodeName, String overlayAddress, OverlayNetwork network, Transport transport) {
    String own = name(nodeName);
    int port = transport.handshakePort();
    String place = nodeName.isBlank() ? own + " " + firstAddress(transport) : own;
    IpAddress overlay =
        chosen(overlayAddress, network)
            .map(address -> new IpAddress(address, port))
            .orElseGet(() -> network.addressOf(place, port));
    return new MeshIdentity(overlay, own);
  }

  private static String firstAddress(Transport transport) {
    return transport.nics().stream()
        .flatMap(nic -> nic.addresses().stream())
        .findFirst()
        .orElse("");
  }

  /**
   * The name of this node.
   *
   * @throws IllegalArgumentException if it is none, or empty and the host has none
   */
  static String name(String nodeName) {
    String own = nodeName.isBlank() ? hostName() : nodeName.strip();
    Node.requireLabel(own);
    return own;
  }

  /**
   * The address in overlay_addr.
   *
   * @throws IllegalArgumentException if it is not of the overlay network
   */
  static Optional<InetAddress> chosen(String overlayAddress, OverlayNetwork network) {
    return overlayAddress.isBlank()
        ? Optional.empty()
        : Optional.of(network.hostAddress(overlayAddress.strip()));
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "this host has no name that can be looked up. Set node_name.", e);
    }
  }
}
