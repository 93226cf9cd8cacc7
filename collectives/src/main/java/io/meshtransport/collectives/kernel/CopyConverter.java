// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;

/** Elements stay what they are. */
final class CopyConverter implements Converter {
  /** Whose limits are their buffers' capacities. */
  private final ViewCache<ByteBuffer> views = new ViewCache<>(ByteBuffer::slice);

  private final int elementBytes;

  CopyConverter(int elementBytes) {
    this.elementBytes = elementBytes;
  }

  @Override
  public void convert(
      ByteBuffer source, int sourceOffset, ByteBuffer target, int targetOffset, int count) {
    Ranges.check("source", source, sourceOffset, count, elementBytes);
    Ranges.check("target", target, targetOffset, count, elementBytes);
    if (source != target || sourceOffset != targetOffset) {
      views
          .of(target, 0)
          .put(targetOffset, views.of(source, 0), sourceOffset, count * elementBytes);
    }
  }
}
