// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;

/** Converts by way of blocks of {@code float}s on the heap, and divides on the way. */
final class FloatConverter implements Converter {
  private final FloatFormat from;
  private final FloatFormat to;
  private final float divisor;
  private final float[] block = new float[Block.ELEMENTS];

  /**
   * @param divisor of each element; 1 leaves them as they are
   */
  FloatConverter(FloatFormat from, FloatFormat to, float divisor) {
    this.from = from;
    this.to = to;
    this.divisor = divisor;
  }

  @Override
  public void convert(
      ByteBuffer source, int sourceOffset, ByteBuffer target, int targetOffset, int count) {
    Ranges.check("source", source, sourceOffset, count, from.elementBytes());
    Ranges.check("target", target, targetOffset, count, to.elementBytes());
    for (int done = 0; done < count; done += Block.ELEMENTS) {
      int n = Math.min(Block.ELEMENTS, count - done);
      from.read(source, sourceOffset + done * from.elementBytes(), block, n);
      if (divisor != 1) {
        FloatLoops.divide(block, divisor, n);
      }
      to.write(target, targetOffset + done * to.elementBytes(), block, n);
    }
  }
}
