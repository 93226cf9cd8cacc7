// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

/** {@code float}s: copied. */
final class SingleFormat implements FloatFormat {
  private final ViewCache<FloatBuffer> views = new ViewCache<>(ByteBuffer::asFloatBuffer);

  @Override
  public int elementBytes() {
    return Float.BYTES;
  }

  @Override
  public void read(ByteBuffer source, int offset, float[] block, int count) {
    views.of(source, offset % Float.BYTES).get(offset / Float.BYTES, block, 0, count);
  }

  @Override
  public void write(ByteBuffer target, int offset, float[] block, int count) {
    views.of(target, offset % Float.BYTES).put(offset / Float.BYTES, block, 0, count);
  }
}
