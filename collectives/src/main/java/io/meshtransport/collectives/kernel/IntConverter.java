// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;

/** Converts by way of blocks of {@code int}s on the heap, and divides on the way. */
final class IntConverter implements Converter {
  private final IntFormat from;
  private final IntFormat to;
  private final int divisor;
  private final int[] block = new int[Block.ELEMENTS];

  /**
   * @param divisor of each element; 1 leaves them as they are
   */
  IntConverter(IntFormat from, IntFormat to, int divisor) {
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
        IntLoops.divide(block, divisor, n);
      }
      to.write(target, targetOffset + done * to.elementBytes(), block, n);
    }
  }
}
