// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.directory;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jgroups.logging.Log;
import org.jgroups.stack.IpAddress;

/** Nodes for tests. */
public final class Nodes {
  static final int PORT = 4791;

  private Nodes() {}

  /** The node 198.18.0.{@code number}, incarnation 1000, with a handle of its name. */
  public static Node node(int number) {
    return node("node-" + number, number, 1000, "handle-" + number);
  }

  public static Node node(String name, int number, long incarnation, String handle) {
    return node(overlay(number, PORT), name, incarnation, bytes(handle));
  }

  static Node node(IpAddress overlay, String name, long incarnation, byte[] handle) {
    return new Node(overlay, name, incarnation, handle, id(handle));
  }

  /** Whose a handle is: {@code b@1} and {@code b@2} are the same node's at different addresses. */
  public static String id(byte[] handle) {
    return new String(handle, StandardCharsets.ISO_8859_1).split("@", 2)[0];
  }

  /** A directory of a node that is in no group, and has no links. */
  public static Directory directory(Node self, Log log) {
    return directory(self, Set.of(), log);
  }

  /** The same with links to or from some. */
  static Directory directory(Node self, Set<String> linked, Log log) {
    return new Directory(self, () -> new byte[0], Nodes::id, linked::contains, log);
  }

  /** Hearsay, of a few nodes from each teller. */
  public static boolean learn(Directory directory, Node node) {
    return directory.learn(node, "teller of " + (node.overlay().getIpAddress().hashCode() >> 4));
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

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
