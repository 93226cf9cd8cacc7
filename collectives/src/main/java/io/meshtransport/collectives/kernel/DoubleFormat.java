// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;

/** Blocks of {@code double}s are copies of buffers. */
final class DoubleFormat {
  private final ViewCache<DoubleBuffer> views = new ViewCache<>(ByteBuffer::asDoubleBuffer);

  int elementBytes() {
    return Double.BYTES;
  }

  void read(ByteBuffer source, int offset, double[] block, int count) {
    views.of(source, offset % Double.BYTES).get(offset / Double.BYTES, block, 0, count);
  }

  void write(ByteBuffer target, int offset, double[] block, int count) {
    views.of(target, offset % Double.BYTES).put(offset / Double.BYTES, block, 0, count);
  }
}
