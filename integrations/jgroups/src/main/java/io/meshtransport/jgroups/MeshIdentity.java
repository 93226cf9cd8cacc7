package io.meshtransport.jgroups;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jgroups.stack.IpAddress;

/** Who this node is, from what the stack says. */
final class MeshIdentity {
  private MeshIdentity() {}

  /**
   * @param name node_name; the host's if empty
   * @param overlayAddress overlay_addr; found from the name if empty
   * @throws IllegalArgumentException if the address is not of the overlay network
   */
  static Node of(
      String name, String overlayAddress, OverlayNetwork network, int port, byte[] handle) {
    String own = name.isBlank() ? hostName() : name.strip();
    IpAddress overlay =
        overlayAddress.isBlank()
            ? network.addressOf(own, port)
            : chosen(overlayAddress.strip(), network, port);
    return new Node(overlay, own, System.currentTimeMillis(), handle);
  }

  private static IpAddress chosen(String address, OverlayNetwork network, int port) {
    try {
      InetAddress chosen = InetAddress.getByName(address);
      if (network.contains(chosen)) {
        return new IpAddress(chosen, port);
      }
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("MESH: overlay_addr=" + address + " is no address", e);
    }
    throw new IllegalArgumentException(
        "MESH: overlay_addr=" + address + " is not in overlay_network, " + network);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "MESH: this host has no name that can be looked up. Set node_name.", e);
    }
  }
}
