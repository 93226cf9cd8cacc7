// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;

/** Integers of 8 bits, signed or unsigned. */
final class OctetFormat implements IntFormat {
  /** Duplicates whose limits are their capacities. */
  private final ViewCache<ByteBuffer> views = new ViewCache<>(ByteBuffer::slice);

  private final byte[] octets = new byte[Block.ELEMENTS];
  private final boolean unsigned;

  OctetFormat(boolean unsigned) {
    this.unsigned = unsigned;
  }

  @Override
  public int elementBytes() {
    return Byte.BYTES;
  }

  @Override
  public void read(ByteBuffer source, int offset, int[] block, int count) {
    views.of(source, 0).get(offset, octets, 0, count);
    if (unsigned) {
      widenUnsigned(octets, block, count);
    } else {
      widen(octets, block, count);
    }
  }

  private static void widen(byte[] octets, int[] block, int count) {
    for (int i = 0; i < count; i++) {
      block[i] = octets[i];
    }
  }

  private static void widenUnsigned(byte[] octets, int[] block, int count) {
    for (int i = 0; i < count; i++) {
      block[i] = octets[i] & 0xFF;
    }
  }

  @Override
  public void write(ByteBuffer target, int offset, int[] block, int count) {
    narrow(block, octets, count);
    views.of(target, 0).put(offset, octets, 0, count);
  }

  private static void narrow(int[] block, byte[] octets, int count) {
    for (int i = 0; i < count; i++) {
      octets[i] = (byte) block[i];
    }
  }
}
