package io.meshtransport.jgroups;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.jgroups.stack.IpAddress;

/** Nodes for tests. */
final class Nodes {
  static final int PORT = 4791;

  private Nodes() {}

  /** The node 198.18.0.{@code number}, incarnation 1000, with a handle of its name. */
  static Node node(int number) {
    return node("node-" + number, number, 1000, "handle-" + number);
  }

  static Node node(String name, int number, long incarnation, String handle) {
    return new Node(overlay(number, PORT), name, incarnation, bytes(handle));
  }

  static IpAddress overlay(int number, int port) {
    return new IpAddress(
        address(198, 18 + (number >> 16), number >> 8 & 0xff, number & 0xff), port);
  }

  static InetAddress address(int... octets) {
    byte[] bytes = new byte[octets.length];
    for (int index = 0; index < octets.length; index++) {
      bytes[index] = (byte) octets[index];
    }
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
