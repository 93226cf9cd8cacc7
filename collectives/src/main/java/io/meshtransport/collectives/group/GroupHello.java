// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The first bytes of a connection between two members, in network byte order.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |           0x4D54434F  "MTCO"      |
 *  +--------+--------+--------+--------+
 *  | version|  rank  |     length      |   of the connecting member; u8, u8, u16
 *  +--------+--------+--------+--------+
 *  |               join                |   which join of the member, a random number; u32
 *  +--------+--------+--------+--------+
 *  |              attempt              |   of that join, counted from 0; u32
 *  +--------+--------+--------+--------+
 *  |  key of the group, UTF-8 ...      |
 *  +-----------------------------------+
 * </pre>
 */
record GroupHello(int rank, String key, int join, int attempt) {
  private static final int MAGIC = 0x4D54434F;
  private static final byte VERSION = 5;

  private static final int HEADER_BYTES = 16;

  /** Max length of a key, in bytes: a hello has 256. */
  static final int MAX_KEY_BYTES = 200;

  /** Of a connection over another cable than the first; a key has no spaces. */
  static GroupHello overCable(int rank, String key, int cable) {
    return new GroupHello(rank, key + " " + cable, 0, 0);
  }

  /** The end of a group's connection that opens it, of whatever join and attempt. */
  record Opener(int rank, String key) {}

  Opener opener() {
    return new Opener(rank, key);
  }

  /** Whether it is of an earlier attempt of the same join; one of another join is not. */
  boolean isEarlierThan(GroupHello other) {
    return join == other.join && Integer.compareUnsigned(attempt, other.attempt) < 0;
  }

  byte[] encode() {
    byte[] text = key.getBytes(StandardCharsets.UTF_8);
    if (text.length > MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "the group's name and history have "
              + text.length
              + " bytes; at most "
              + MAX_KEY_BYTES
              + " are possible. Join anew under a name of its own");
    }
    return ByteBuffer.allocate(HEADER_BYTES + text.length)
        .putInt(MAGIC)
        .put(VERSION)
        .put((byte) rank)
        .putShort((short) text.length)
        .putInt(join)
        .putInt(attempt)
        .put(text)
        .array();
  }

  /** Empty for what is no hello of this version. */
  static Optional<GroupHello> decode(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      if (in.getInt() != MAGIC || in.get() != VERSION) {
        return Optional.empty();
      }
      int rank = in.get() & 0xFF;
      byte[] text = new byte[in.getShort() & 0xFFFF];
      int join = in.getInt();
      int attempt = in.getInt();
      in.get(text);
      return in.hasRemaining()
          ? Optional.empty()
          : Optional.of(
              new GroupHello(rank, new String(text, StandardCharsets.UTF_8), join, attempt));
    } catch (BufferUnderflowException e) {
      return Optional.empty();
    }
  }
}
