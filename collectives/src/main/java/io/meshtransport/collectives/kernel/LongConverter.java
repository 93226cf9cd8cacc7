// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;

/** Converts by way of blocks of {@code long}s on the heap, and divides on the way. */
final class LongConverter implements Converter {
  private final LongFormat from;
  private final LongFormat to;
  private final long divisor;
  private final long[] block = new long[Block.ELEMENTS];

  /**
   * @param divisor of each element; 1 leaves them as they are
   */
  LongConverter(LongFormat from, LongFormat to, long divisor) {
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
        LongLoops.divide(block, divisor, n);
      }
      to.write(target, targetOffset + done * to.elementBytes(), block, n);
    }
  }
}
