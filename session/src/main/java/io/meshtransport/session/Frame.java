// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.ConnectOptions;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What begins each message between two sessions. Big-endian, {@value #HEADER_BYTES} bytes:
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  kind  | flags  |        0        |   flag 1: more of this message follows
 *  +--------+--------+--------+--------+
 *  |      length of the message        |   bytes, all its frames together, without headers
 *  +--------+--------+--------+--------+
 *  |               id                  |   of the request, in it and in its reply; else 0
 *  |                                   |
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * <p>The frames of a long message follow each other with nothing in between. The hello of both ends
 * is {@code MSES}, the version (u8), the length of the name (u8), 0 (u16), bytes of a slot (u32),
 * bytes of the longest message (u32), and the name of the session in UTF-8.
 */
final class Frame {
  /** The end that accepted the connection has chosen it: messages go both ways from here on. */
  static final byte WELCOME = 1;

  static final byte MESSAGE = 2;
  static final byte REQUEST = 3;
  static final byte REPLY = 4;

  /** In place of a reply: why there is none, UTF-8. */
  static final byte FAILURE = 5;

  /** What the peers' sources of nodes say to each other, see {@link NodeExchange}. */
  static final byte NODES = 6;

  /** Why the sender closes the connection, UTF-8: what is wrong between the two, for people. */
  static final byte REFUSAL = 7;

  static final byte MORE = 1;

  static final int HEADER_BYTES = 16;

  /** The tag of every message: messages of one tag arrive in order. */
  static final int TAG = 0;

  private static final int LENGTH = 4;
  private static final int ID = 8;
  private static final byte[] MAGIC = "MSES".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 3;
  private static final int HELLO_BYTES = 16;

  /** The rest of the bytes that go with a handshake. */
  static final int MAX_NAME_BYTES = ConnectOptions.MAX_HELLO_BYTES - HELLO_BYTES;

  private Frame() {}

  /** Writes a header at the beginning of a buffer. */
  static void put(ByteBuffer buffer, byte kind, byte flags, int lengthBytes, long id) {
    buffer.put(0, kind).put(1, flags).putShort(2, (short) 0);
    buffer.putInt(LENGTH, lengthBytes).putLong(ID, id);
  }

  /** Of the frame that begins at the buffer's position, as all that read one. */
  static byte kind(ByteBuffer frame) {
    return frame.get(frame.position());
  }

  static boolean hasMore(ByteBuffer frame) {
    return (frame.get(frame.position() + 1) & MORE) != 0;
  }

  /** Whether it is the last frame of a message or a request. */
  static boolean endsMessage(ByteBuffer frame) {
    return !hasMore(frame) && (kind(frame) == MESSAGE || kind(frame) == REQUEST);
  }

  static int lengthBytes(ByteBuffer frame) {
    return frame.getInt(frame.position() + LENGTH);
  }

  static long id(ByteBuffer frame) {
    return frame.getLong(frame.position() + ID);
  }

  /** Moves the position behind the header; returns the buffer. */
  static ByteBuffer message(ByteBuffer frame) {
    return frame.position(frame.position() + HEADER_BYTES);
  }

  /**
   * @throws IllegalArgumentException if no session can have that name
   */
  static String requireName(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > MAX_NAME_BYTES) {
      throw new IllegalArgumentException(
          "a session's name has 1 to %d bytes, not %d: '%s'"
              .formatted(MAX_NAME_BYTES, bytes, name));
    }
    if (hasControls(name)) {
      throw new IllegalArgumentException("a session's name appears in logs: no control characters");
    }
    return name;
  }

  private static boolean hasControls(String name) {
    return name.chars().anyMatch(Character::isISOControl);
  }

  static byte[] hello(String name, SessionOptions options) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HELLO_BYTES + bytes.length)
        .put(MAGIC)
        .put((byte) VERSION)
        .put((byte) bytes.length)
        .putShort((short) 0)
        .putInt(options.slotBytes())
        .putInt(options.maxMessageBytes())
        .put(bytes)
        .array();
  }

  /**
   * Checks the peer's hello.
   *
   * @return the name of the peer's session
   * @throws ProtocolException if the other end is no session, or one that this cannot talk to
   */
  static String requireHello(byte[] bytes, SessionOptions options) throws ProtocolException {
    ByteBuffer hello = ByteBuffer.wrap(bytes);
    byte[] magic = new byte[MAGIC.length];
    if (bytes.length >= HELLO_BYTES) {
      hello.get(magic);
    }
    if (!Arrays.equals(magic, MAGIC)) {
      throw new ProtocolException(
          "its hello of "
              + bytes.length
              + " bytes is not that of a session. Connect sessions with"
              + " sessions, by Session.handle()");
    }
    int version = hello.get() & 0xff;
    if (version != VERSION) {
      throw new ProtocolException(
          "it has version "
              + version
              + " of the session protocol, this node has "
              + VERSION
              + ". Run the same release on all nodes");
    }
    int nameBytes = hello.get() & 0xff;
    hello.position(8);
    int slotBytes = hello.getInt();
    int maxMessageBytes = hello.getInt();
    if (slotBytes != options.slotBytes() || maxMessageBytes != options.maxMessageBytes()) {
      throw new ProtocolException(
          "its slots have %d bytes and its messages at most %d; here they have %d and %d. Give all nodes the same SessionOptions.lengths"
              .formatted(
                  slotBytes, maxMessageBytes, options.slotBytes(), options.maxMessageBytes()));
    }
    if (nameBytes == 0 || nameBytes > hello.remaining()) {
      throw new ProtocolException(
          "its hello of %d bytes has a name of %d".formatted(bytes.length, nameBytes));
    }
    String name = new String(bytes, HELLO_BYTES, nameBytes, StandardCharsets.UTF_8);
    if (hasControls(name)) {
      throw new ProtocolException("the name in its hello has control characters");
    }
    return name;
  }
}
