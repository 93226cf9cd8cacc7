// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

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
 * is {@code MSES}, the version (u8), 0 (u24), bytes of a slot (u32), bytes of the longest message
 * (u32).
 */
final class Frame {
  /** The end that accepted the connection has chosen it: messages go both ways from here on. */
  static final byte WELCOME = 1;

  static final byte MESSAGE = 2;
  static final byte REQUEST = 3;
  static final byte REPLY = 4;

  /** In place of a reply: why there is none, UTF-8. */
  static final byte FAILURE = 5;

  static final byte MORE = 1;

  static final int HEADER_BYTES = 16;

  /** The tag of every message: messages of one tag arrive in order. */
  static final int TAG = 0;

  private static final int LENGTH = 4;
  private static final int ID = 8;
  private static final byte[] MAGIC = "MSES".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int HELLO_BYTES = 16;

  private Frame() {}

  /** Writes a header at the beginning of a buffer. */
  static void put(ByteBuffer buffer, byte kind, byte flags, int lengthBytes, long id) {
    buffer.put(0, kind).put(1, flags).putShort(2, (short) 0);
    buffer.putInt(LENGTH, lengthBytes).putLong(ID, id);
  }

  static byte kind(ByteBuffer frame) {
    return frame.get(0);
  }

  static boolean hasMore(ByteBuffer frame) {
    return (frame.get(1) & MORE) != 0;
  }

  static int lengthBytes(ByteBuffer frame) {
    return frame.getInt(LENGTH);
  }

  static long id(ByteBuffer frame) {
    return frame.getLong(ID);
  }

  static byte[] hello(SessionOptions options) {
    return ByteBuffer.allocate(HELLO_BYTES)
        .put(MAGIC)
        .put((byte) VERSION)
        .put(new byte[3])
        .putInt(options.slotBytes())
        .putInt(options.maxMessageBytes())
        .array();
  }

  /**
   * Checks the peer's hello.
   *
   * @throws ProtocolException if the other end is no session, or one that this cannot talk to
   */
  static void requireHello(byte[] bytes, SessionOptions options) throws ProtocolException {
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
    int version = hello.get();
    if (version != VERSION) {
      throw new ProtocolException(
          "it has version "
              + version
              + " of the session protocol, this node has "
              + VERSION
              + ". Run the same release on all nodes");
    }
    hello.position(8);
    int slotBytes = hello.getInt();
    int maxMessageBytes = hello.getInt();
    if (slotBytes != options.slotBytes() || maxMessageBytes != options.maxMessageBytes()) {
      throw new ProtocolException(
          "its slots have %d bytes and its messages at most %d; here they have %d and %d. Give all nodes the same SessionOptions.lengths"
              .formatted(
                  slotBytes, maxMessageBytes, options.slotBytes(), options.maxMessageBytes()));
    }
  }
}
