// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.nic.Gid;
import io.meshtransport.nic.LinkAddress;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the fields of a body one behind the other and refuses what its bounds do not allow, before
 * anything is allocated for it. The counterparts write a field.
 */
public final class BodyReader {
  /** Reads one element of a list. */
  @FunctionalInterface
  interface Element<T> {
    T read(BodyReader body) throws MalformedDatagram;
  }

  private final ByteBuffer bytes;

  BodyReader(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  private void require(int lengthBytes) throws MalformedDatagram {
    if (bytes.remaining() < lengthBytes) {
      throw new MalformedDatagram("the body is too short");
    }
  }

  /** Refuses a body that goes on behind its last field. */
  void end() throws MalformedDatagram {
    if (bytes.hasRemaining()) {
      throw new MalformedDatagram(bytes.remaining() + " bytes are behind the last field");
    }
  }

  int u8() throws MalformedDatagram {
    require(Byte.BYTES);
    return Byte.toUnsignedInt(bytes.get());
  }

  int u16() throws MalformedDatagram {
    require(Short.BYTES);
    return Short.toUnsignedInt(bytes.getShort());
  }

  int i32() throws MalformedDatagram {
    require(Integer.BYTES);
    return bytes.getInt();
  }

  long i64() throws MalformedDatagram {
    require(Long.BYTES);
    return bytes.getLong();
  }

  NodeId node() throws MalformedDatagram {
    return new NodeId(i64(), i64());
  }

  static void writeNode(ByteBuffer to, NodeId node) {
    to.putLong(node.high()).putLong(node.low());
  }

  byte[] bytes(int lengthBytes, int maxBytes) throws MalformedDatagram {
    if (lengthBytes > maxBytes) {
      throw new MalformedDatagram(lengthBytes + " bytes where " + maxBytes + " are allowed");
    }
    require(lengthBytes);
    byte[] read = new byte[lengthBytes];
    bytes.get(read);
    return read;
  }

  /** All bytes that are left. */
  byte[] rest(int maxBytes) throws MalformedDatagram {
    return bytes(bytes.remaining(), maxBytes);
  }

  /** A text with its length in a byte before it. */
  String text(int maxBytes) throws MalformedDatagram {
    byte[] utf8 = bytes(u8(), maxBytes);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedDatagram("a text is not UTF-8");
    }
  }

  static void writeText(ByteBuffer to, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    to.put((byte) utf8.length).put(utf8);
  }

  /**
   * Checks a text that logs and terminals show.
   *
   * @throws IllegalArgumentException if it is too long, has control characters or is not UTF-8
   */
  static void requireText(String what, String text, int minBytes, int maxBytes) {
    try {
      int lengthBytes =
          StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)).remaining();
      if (lengthBytes < minBytes || lengthBytes > maxBytes) {
        throw new IllegalArgumentException(
            "%s has %d bytes, not %d to %d".formatted(what, lengthBytes, minBytes, maxBytes));
      }
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(what + " is not UTF-8", e);
    }
    if (text.codePoints().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(what + " has a control character");
    }
  }

  /** An address as a GID, behind its prefix length. */
  LinkAddress address() throws MalformedDatagram {
    int prefixLength = u8();
    byte[] gid = bytes(Gid.LENGTH_BYTES, Gid.LENGTH_BYTES);
    try {
      return new LinkAddress(Gid.ofBytes(gid).toAddress(), prefixLength);
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }

  static void writeAddress(ByteBuffer to, LinkAddress address) {
    to.put((byte) address.prefixLength()).put(Gid.of(address.address()).toBytes());
  }

  /** A list with its length in a byte before it. */
  <T> List<T> list(int maxElements, Element<T> element) throws MalformedDatagram {
    int count = u8();
    if (count > maxElements) {
      throw new MalformedDatagram(count + " elements where " + maxElements + " are allowed");
    }
    List<T> read = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      read.add(element.read(this));
    }
    return read;
  }

  static <T> void requireMax(String what, List<T> list, int max) {
    if (list.size() > max) {
      throw new IllegalArgumentException(list.size() + " " + what + ", at most " + max);
    }
  }
}
