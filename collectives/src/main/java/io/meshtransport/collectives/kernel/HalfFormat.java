// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;
import java.nio.ShortBuffer;

/** Elements of 16 bits, binary16 or bfloat16. */
final class HalfFormat implements FloatFormat {
  private final ViewCache<ShortBuffer> views = new ViewCache<>(ByteBuffer::asShortBuffer);
  private final short[] halves = new short[Block.ELEMENTS];
  private final boolean brain;

  /**
   * @param brain whether they are bfloat16
   */
  HalfFormat(boolean brain) {
    this.brain = brain;
  }

  @Override
  public int elementBytes() {
    return Short.BYTES;
  }

  @Override
  public void read(ByteBuffer source, int offset, float[] block, int count) {
    views.of(source, offset % Short.BYTES).get(offset / Short.BYTES, halves, 0, count);
    if (brain) {
      widenBrain(halves, block, count);
    } else {
      widen(halves, block, count);
    }
  }

  private static void widen(short[] halves, float[] block, int count) {
    for (int i = 0; i < count; i++) {
      block[i] = Float16.toFloat(halves[i]);
    }
  }

  private static void widenBrain(short[] halves, float[] block, int count) {
    for (int i = 0; i < count; i++) {
      block[i] = BFloat16.toFloat(halves[i]);
    }
  }

  @Override
  public void write(ByteBuffer target, int offset, float[] block, int count) {
    if (brain) {
      narrowBrain(block, halves, count);
    } else {
      narrow(block, halves, count);
    }
    views.of(target, offset % Short.BYTES).put(offset / Short.BYTES, halves, 0, count);
  }

  private static void narrow(float[] block, short[] halves, int count) {
    for (int i = 0; i < count; i++) {
      halves[i] = Float16.fromFloat(block[i]);
    }
  }

  private static void narrowBrain(float[] block, short[] halves, int count) {
    for (int i = 0; i < count; i++) {
      halves[i] = BFloat16.fromFloat(block[i]);
    }
  }
}
