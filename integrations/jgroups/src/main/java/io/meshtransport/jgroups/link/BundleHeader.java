// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.DirectoryMessage;
import java.nio.ByteBuffer;

/**
 * The header of every message between two nodes. Big endian, 16 bytes:
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  | version|  kind  |        0        |
 *  +--------+--------+--------+--------+
 *  |   length of the bundle (u31)      |   bytes, all fragments together
 *  +--------+--------+--------+--------+
 *  |   offset of this fragment (u31)       |   0 unless a FRAGMENT
 *  +--------+--------+--------+--------+
 *  |                 0                 |   what follows begins at a multiple of 16
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * <p>Zeroes are ignored when read.
 */
public final class BundleHeader {
  static final byte VERSION = 1;

  /** The tag of every message between two nodes: messages of one tag arrive in order. */
  public static final int TAG = 0;

  /** A {@link DirectoryMessage}; the first message on every channel is one. */
  public static final byte DIRECTORY = 1;

  /** A bundle of JGroups, whole. */
  static final byte BUNDLE = 2;

  /**
   * A fragment of a bundle that is longer than a receive. Fragments arrive in order; other messages
   * may arrive in between.
   */
  static final byte FRAGMENT = 3;

  public static final int HEADER_BYTES = 16;

  private static final int KIND = 1;
  private static final int LENGTH = 4;
  private static final int OFFSET = 8;
  private static final int LAST = 12;

  private BundleHeader() {}

  /** Writes the header at the beginning of a buffer. */
  public static void put(ByteBuffer buffer, byte kind, int lengthBytes, int offsetBytes) {
    buffer.put(0, VERSION).put(KIND, kind).putShort(2, (short) 0);
    buffer.putInt(LENGTH, lengthBytes).putInt(OFFSET, offsetBytes).putInt(LAST, 0);
  }

  static byte version(ByteBuffer message) {
    return message.get(0);
  }

  static byte kind(ByteBuffer message) {
    return message.get(KIND);
  }

  static int lengthBytes(ByteBuffer message) {
    return message.getInt(LENGTH);
  }

  static int offsetBytes(ByteBuffer message) {
    return message.getInt(OFFSET);
  }
}
