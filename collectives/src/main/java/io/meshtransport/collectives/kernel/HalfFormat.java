// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;
import java.nio.ShortBuffer;

/** Elements of 16 bits, binary16 or bfloat16. */
final class HalfFormat implements FloatFormat {
  private final ViewCache<ShortBuffer> views = new ViewCache<>(ByteBuffer::asShortBuffer);
  private final short[] halves = new short[Block.ELEMENTS];
  private final int[] bits = new int[Block.ELEMENTS];
  private final HalfBlocks blocks;

  /**
   * @param brain whether they are bfloat16
   */
  HalfFormat(boolean brain) {
    this.blocks = new HalfBlocks(brain);
  }

  @Override
  public int elementBytes() {
    return Short.BYTES;
  }

  @Override
  public void read(ByteBuffer source, int offset, float[] block, int count) {
    views.of(source, offset % Short.BYTES).get(offset / Short.BYTES, halves, 0, count);
    lift(halves, bits, count);
    blocks.widen(bits, block, count);
  }

  private static void lift(short[] halves, int[] upper, int count) {
    for (int i = 0; i < count; i++) {
      upper[i] = halves[i] << Short.SIZE;
    }
  }

  @Override
  public void write(ByteBuffer target, int offset, float[] block, int count) {
    blocks.narrow(block, bits, count);
    drop(bits, halves, count);
    views.of(target, offset % Short.BYTES).put(offset / Short.BYTES, halves, 0, count);
  }

  private static void drop(int[] lower, short[] halves, int count) {
    for (int i = 0; i < count; i++) {
      halves[i] = (short) lower[i];
    }
  }
}
