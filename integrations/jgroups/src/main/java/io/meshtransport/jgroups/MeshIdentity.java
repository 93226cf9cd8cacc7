package io.meshtransport.jgroups;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.jgroups.stack.IpAddress;

/** Who this node is, from what the stack says. */
final class MeshIdentity {
  private MeshIdentity() {}

  /**
   * @param nodeName node_name; the host's if empty
   * @param overlayAddress overlay_addr; found from the name if empty
   * @throws IllegalArgumentException as {@link #name} and {@link #chosen}
   */
  static Node of(
      String nodeName, String overlayAddress, OverlayNetwork network, int port, byte[] handle) {
    String own = name(nodeName);
    IpAddress overlay =
        chosen(overlayAddress, network)
            .map(address -> new IpAddress(address, port))
            .orElseGet(() -> network.addressOf(own, port));
    return new Node(overlay, own, System.currentTimeMillis(), handle);
  }

  /**
   * The name of this node.
   *
   * @throws IllegalArgumentException if it is none, or empty and the host has none
   */
  static String name(String nodeName) {
    String own = nodeName.isBlank() ? hostName() : nodeName.strip();
    Node.requireName(own);
    return own;
  }

  /**
   * The address that overlay_addr says.
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
