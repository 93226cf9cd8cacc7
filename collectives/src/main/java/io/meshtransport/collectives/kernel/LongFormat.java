// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;

/** Blocks of {@code long}s are copies of buffers. */
final class LongFormat {
  private final ViewCache<LongBuffer> views = new ViewCache<>(ByteBuffer::asLongBuffer);

  int elementBytes() {
    return Long.BYTES;
  }

  void read(ByteBuffer source, int offset, long[] block, int count) {
    views.of(source, offset % Long.BYTES).get(offset / Long.BYTES, block, 0, count);
  }

  void write(ByteBuffer target, int offset, long[] block, int count) {
    views.of(target, offset % Long.BYTES).put(offset / Long.BYTES, block, 0, count);
  }
}
