// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.spi.TransportException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The sender's introduction, and the nodes that were introduced to it over their own connections.
 * The sender does not pass on gossip. A directory too long for one message is sent in several, each
 * with the sender in front. Big endian:
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  | version|   0    | number of nodes |   u16, the sender included, 1 to 1025
 *  +--------+--------+--------+--------+
 *  |length of member |  member ...     |   u16: 0 to 400
 *  +--------+--------+--------+--------+
 *  then each node, the sender first:
 *  +--------+--------+--------+--------+
 *  |                                   |
 *  +        incarnation (u64)          +   milliseconds since 1970, at most 2^62
 *  |                                   |
 *  +--------+--------+--------+--------+
 *  |  handle length  | name   | label  |   u16: 1 to 512; u8: 1 to 240; u8: 1 to 255
 *  |                 | length | length |
 *  +--------+--------+--------+--------+
 *  | name, UTF-8 | label, UTF-8 | handle
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * <p>Nothing follows the last node. The connection under it is reliable, so there is no checksum,
 * but every field is checked: a peer may have another version, or not be this library at all.
 *
 * @param sender the node that introduces itself
 * @param member bytes of the layer above the sender's session, such as its address in a group, at
 *     most {@value #MAX_MEMBER_BYTES}; empty if there are more, or none
 * @param others nodes that were introduced to it, at most {@value Directory#MAX_NODES}
 */
public record DirectoryMessage(Node sender, byte[] member, List<Node> others) {
  static final byte VERSION = 4;

  /** JGroups' addresses have less than 20 bytes, those with site, rack and machine about 100. */
  public static final int MAX_MEMBER_BYTES = 400;

  private static final int COUNT = 2;
  private static final int MEMBER_LENGTH = COUNT + Short.BYTES;
  private static final int HEADER_BYTES = MEMBER_LENGTH + Short.BYTES;
  private static final int FIXED_NODE_BYTES = Long.BYTES + Short.BYTES + 2 * Byte.BYTES;

  /** The sender and one other at their longest: the bound of a message is never below it. */
  public static final int MIN_MESSAGE_BYTES =
      HEADER_BYTES
          + MAX_MEMBER_BYTES
          + 2
              * (FIXED_NODE_BYTES
                  + Node.MAX_NAME_BYTES
                  + Node.MAX_LABEL_BYTES
                  + Node.MAX_HANDLE_BYTES);

  public DirectoryMessage {
    member = member.length > MAX_MEMBER_BYTES ? new byte[0] : member.clone();
    others = List.copyOf(others);
    if (others.size() > Directory.MAX_NODES) {
      throw new IllegalArgumentException("too many nodes for a message: " + others.size());
    }
  }

  /**
   * The messages with all this, at least one.
   *
   * @param member as in the record
   * @param maxBytes of one message, at least {@link #MIN_MESSAGE_BYTES}
   */
  public static List<byte[]> encode(
      Node sender, byte[] member, Collection<Node> others, int maxBytes) {
    if (maxBytes < MIN_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          "a message must have space for two nodes, "
              + MIN_MESSAGE_BYTES
              + " bytes, not "
              + maxBytes);
    }
    List<byte[]> messages = new ArrayList<>();
    List<Node> batch = new ArrayList<>();
    DirectoryMessage alone = new DirectoryMessage(sender, member, List.of());
    int first = HEADER_BYTES + alone.member.length + lengthBytes(sender);
    int lengthBytes = first;
    for (Node node : others) {
      if (lengthBytes + lengthBytes(node) > maxBytes || batch.size() == Directory.MAX_NODES) {
        messages.add(new DirectoryMessage(sender, member, batch).encode(lengthBytes));
        batch.clear();
        lengthBytes = first;
      }
      batch.add(node);
      lengthBytes += lengthBytes(node);
    }
    if (!batch.isEmpty() || messages.isEmpty()) {
      messages.add(new DirectoryMessage(sender, member, batch).encode(lengthBytes));
    }
    return messages;
  }

  private byte[] encode(int lengthBytes) {
    ByteBuffer message = ByteBuffer.allocate(lengthBytes);
    message.put(VERSION).put((byte) 0).putShort((short) (1 + others.size()));
    message.putShort((short) member.length).put(member);
    put(message, sender);
    others.forEach(node -> put(message, node));
    return message.array();
  }

  private static int lengthBytes(Node node) {
    return FIXED_NODE_BYTES
        + node.name().getBytes(StandardCharsets.UTF_8).length
        + node.label().getBytes(StandardCharsets.UTF_8).length
        + node.handle().length;
  }

  private static void put(ByteBuffer message, Node node) {
    byte[] name = node.name().getBytes(StandardCharsets.UTF_8);
    byte[] label = node.label().getBytes(StandardCharsets.UTF_8);
    byte[] handle = node.handle();
    message
        .putLong(node.incarnation())
        .putShort((short) handle.length)
        .put((byte) name.length)
        .put((byte) label.length)
        .put(name)
        .put(label)
        .put(handle);
  }

  /**
   * Reads one message, from the buffer's position to its limit. The position afterwards means
   * nothing.
   *
   * <p>Others whose handle cannot be read are left out: no node can connect to them.
   *
   * @throws ProtocolException if it is damaged or of another version, with what is wrong and where;
   *     a retry does not help
   */
  public static DirectoryMessage decode(ByteBuffer message, NodeIds ids) throws ProtocolException {
    if (message.remaining() < HEADER_BYTES) {
      throw new ProtocolException(
          "a directory message has at least "
              + HEADER_BYTES
              + " bytes, not "
              + message.remaining());
    }
    byte version = message.get();
    if (version != VERSION) {
      throw new ProtocolException(
          "a directory message of version "
              + (version & 0xff)
              + ", and this node reads version "
              + VERSION
              + ". Run the same release on all nodes.");
    }
    message.get();
    int count = message.getShort() & 0xffff;
    if (count < 1 || count > 1 + Directory.MAX_NODES) {
      throw new ProtocolException(
          "a directory message of " + count + " nodes; 1 to " + (1 + Directory.MAX_NODES) + " fit");
    }
    byte[] member = member(message);
    Node sender =
        node(message, 0, ids)
            .orElseThrow(
                () -> new ProtocolException("a directory message whose sender has no handle"));
    List<Node> others = new ArrayList<>();
    for (int index = 1; index < count; index++) {
      node(message, index, ids).ifPresent(others::add);
    }
    if (message.hasRemaining()) {
      throw new ProtocolException(
          "a directory message with " + message.remaining() + " bytes after its last node");
    }
    return new DirectoryMessage(sender, member, others);
  }

  private static byte[] member(ByteBuffer message) throws ProtocolException {
    int lengthBytes = message.getShort() & 0xffff;
    if (lengthBytes > MAX_MEMBER_BYTES || lengthBytes > message.remaining()) {
      throw new ProtocolException(
          "a directory message with an address of "
              + lengthBytes
              + " bytes; at most "
              + Math.min(MAX_MEMBER_BYTES, message.remaining())
              + " fit");
    }
    byte[] member = new byte[lengthBytes];
    message.get(member);
    return member;
  }

  /** Empty if its handle cannot be read. */
  private static Optional<Node> node(ByteBuffer message, int index, NodeIds ids)
      throws ProtocolException {
    require(message, FIXED_NODE_BYTES, index, "its fixed fields");
    long incarnation = message.getLong();
    int handleBytes = message.getShort() & 0xffff;
    int nameBytes = message.get() & 0xff;
    int labelBytes = message.get() & 0xff;
    if (handleBytes > Node.MAX_HANDLE_BYTES) {
      throw new ProtocolException(
          "node " + index + " of a directory message: a handle of " + handleBytes + " bytes");
    }
    require(message, nameBytes + labelBytes + handleBytes, index, "its name, label and handle");
    String name = text(message, nameBytes, index, "name");
    String label = text(message, labelBytes, index, "label");
    byte[] handle = new byte[handleBytes];
    message.get(handle);
    try {
      return Optional.of(new Node(name, label, incarnation, handle, ids.of(handle)));
    } catch (TransportException e) {
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      throw wrong("node " + index + " of a directory message: " + e.getMessage(), e);
    }
  }

  private static String text(ByteBuffer message, int lengthBytes, int index, String what)
      throws ProtocolException {
    ByteBuffer bytes = message.slice().limit(lengthBytes);
    message.position(message.position() + lengthBytes);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw wrong("node " + index + " of a directory message: its " + what + " is no UTF-8", e);
    }
  }

  private static void require(ByteBuffer message, int bytes, int index, String what)
      throws ProtocolException {
    if (message.remaining() < bytes) {
      throw new ProtocolException(
          "a directory message ends within node "
              + index
              + ": "
              + what
              + " need "
              + bytes
              + " bytes, and "
              + message.remaining()
              + " are left");
    }
  }

  /** A copy. */
  @Override
  public byte[] member() {
    return member.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DirectoryMessage that
        && sender.equals(that.sender)
        && Arrays.equals(member, that.member)
        && others.equals(that.others);
  }

  @Override
  public int hashCode() {
    return Objects.hash(sender, Arrays.hashCode(member), others);
  }

  private static ProtocolException wrong(String what, Exception cause) {
    ProtocolException wrong = new ProtocolException(what);
    wrong.initCause(cause);
    return wrong;
  }
}
