// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.apache.logging.log4j.Logger;

/** Nodes for tests. */
public final class Nodes {
  static final int PORT = 4791;
  static final String REMEDY = "Name one of them anew.";

  private Nodes() {}

  /** The node 198.18.0.{@code number}, incarnation 1000, with a handle of its name. */
  public static Node node(int number) {
    return node("node-" + number, number, 1000, "handle-" + number);
  }

  public static Node node(String name, int number, long incarnation, String handle) {
    return node(name(number, PORT), name, incarnation, bytes(handle));
  }

  static Node node(String name, String label, long incarnation, byte[] handle) {
    return new Node(name, label, incarnation, handle, id(handle));
  }

  /** Whose a handle is: {@code b@1} and {@code b@2} are the same node's at different addresses. */
  public static String id(byte[] handle) {
    return new String(handle, StandardCharsets.ISO_8859_1).split("@", 2)[0];
  }

  /** A directory of a node that is in no group, and has no links. */
  public static Directory directory(Node self, Logger log) {
    return directory(self, Set.of(), log);
  }

  /** The same with links to or from some. */
  static Directory directory(Node self, Set<String> linked, Logger log) {
    return new Directory(self, () -> new byte[0], Nodes::id, linked::contains, REMEDY, log);
  }

  /** Gossip, of a few nodes from each source. */
  public static boolean learn(Directory directory, Node node) {
    return directory.learn(node, "source of " + (node.name().hashCode() >> 4));
  }

  static String name(int number, int port) {
    return "198.%d.%d.%d:%d"
        .formatted(18 + (number >> 16), number >> 8 & 0xff, number & 0xff, port);
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
