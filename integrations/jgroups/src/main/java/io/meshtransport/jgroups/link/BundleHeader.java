// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.DirectoryMessage;
import java.nio.ByteBuffer;

/**
 * What stands in front of every message between two nodes. Big endian, 16 bytes:
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  | version|  kind  |        0        |
 *  +--------+--------+--------+--------+
 *  |   length of the bundle (u31)      |   bytes, all parts together
 *  +--------+--------+--------+--------+
 *  |   offset of this part (u31)       |   0 unless a PART
 *  +--------+--------+--------+--------+
 *  |                 0                 |   what follows begins at a multiple of 16
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * <p>Zeroes are ignored when read.
 */
public final class BundleHeader {
  static final byte VERSION = 1;

  /** Of every message between two nodes: in order among those of equal tags, and so all are. */
  public static final int TAG = 0;

  /** A {@link DirectoryMessage}; the first message on every channel is one. */
  public static final byte DIRECTORY = 1;

  /** A bundle of JGroups, whole. */
  static final byte BUNDLE = 2;

  /**
   * A piece of a bundle that no room holds. The pieces come in order; others may come in between.
   */
  static final byte FRAGMENT = 3;

  public static final int HEADER_BYTES = 16;

  private static final int KIND = 1;
  private static final int LENGTH = 4;
  private static final int OFFSET = 8;
  private static final int LAST = 12;

  private BundleHeader() {}

  /** Writes the header at the beginning of a slot. */
  public static void put(ByteBuffer slot, byte kind, int lengthBytes, int offsetBytes) {
    slot.put(0, VERSION).put(KIND, kind).putShort(2, (short) 0);
    slot.putInt(LENGTH, lengthBytes).putInt(OFFSET, offsetBytes).putInt(LAST, 0);
  }

  static byte version(ByteBuffer room) {
    return room.get(0);
  }

  static byte kind(ByteBuffer room) {
    return room.get(KIND);
  }

  static int lengthBytes(ByteBuffer room) {
    return room.getInt(LENGTH);
  }

  static int offsetBytes(ByteBuffer room) {
    return room.getInt(OFFSET);
  }
}
