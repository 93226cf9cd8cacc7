// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * A listener's number, big-endian.
 *
 * <pre>
 *  0        4        5                 13       17
 *  +--------+--------+--------+--------+--------+
 *  | "MEMO" | version|  port number    |  CRC32 |
 *  +--------+--------+--------+--------+--------+
 * </pre>
 */
final class InMemoryHandle {
  static final int VERSION_OFFSET = 4;
  private static final int MAGIC = 0x4D454D4F;
  private static final byte VERSION = 1;
  private static final int PORT_OFFSET = VERSION_OFFSET + 1;
  private static final int CRC_OFFSET = PORT_OFFSET + Long.BYTES;
  private static final int LENGTH = CRC_OFFSET + Integer.BYTES;

  private InMemoryHandle() {}

  static byte[] encode(long port) {
    byte[] handle = new byte[LENGTH];
    ByteBuffer.wrap(handle).putInt(MAGIC).put(VERSION).putLong(port);
    return sealed(handle);
  }

  static byte[] sealed(byte[] handle) {
    ByteBuffer.wrap(handle).putInt(CRC_OFFSET, crc(handle));
    return handle;
  }

  static long decode(byte[] handle) throws TransportException {
    ByteBuffer bytes = ByteBuffer.wrap(handle);
    if (handle.length != LENGTH) {
      throw bad("has " + handle.length + " bytes, not " + LENGTH);
    }
    if (bytes.getInt() != MAGIC) {
      throw bad("does not begin with MEMO at byte 0");
    }
    if (bytes.get() != VERSION) {
      throw bad("has version " + handle[VERSION_OFFSET] + ", not 1, at byte " + VERSION_OFFSET);
    }
    if (bytes.getInt(CRC_OFFSET) != crc(handle)) {
      throw bad("has a wrong checksum at byte " + CRC_OFFSET);
    }
    return bytes.getLong();
  }

  private static TransportException bad(String what) {
    return new TransportException(Reason.BAD_HANDLE, "the handle " + what);
  }

  private static int crc(byte[] handle) {
    CRC32 crc = new CRC32();
    crc.update(handle, 0, CRC_OFFSET);
    return (int) crc.getValue();
  }
}
