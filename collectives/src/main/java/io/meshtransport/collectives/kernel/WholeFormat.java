// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;

/** Integers of 32 bits: copied. */
final class WholeFormat implements IntFormat {
  private final ViewCache<IntBuffer> views = new ViewCache<>(ByteBuffer::asIntBuffer);

  @Override
  public int elementBytes() {
    return Integer.BYTES;
  }

  @Override
  public void read(ByteBuffer source, int offset, int[] block, int count) {
    views.of(source, offset % Integer.BYTES).get(offset / Integer.BYTES, block, 0, count);
  }

  @Override
  public void write(ByteBuffer target, int offset, int[] block, int count) {
    views.of(target, offset % Integer.BYTES).put(offset / Integer.BYTES, block, 0, count);
  }
}
