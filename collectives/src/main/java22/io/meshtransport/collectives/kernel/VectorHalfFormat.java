// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Elements of 16 bits, binary16 or bfloat16, converted a vector at a time. */
final class VectorHalfFormat implements FloatFormat {
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Short> SHORTS =
      VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfShort ELEMENT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final int LANES = FLOATS.length();

  private static final int SIGN = 0x80000000;
  private static final int INFINITY = 0x7F800000;
  private static final int QUIET = 0x00400000;

  private final ViewCache<MemorySegment> segments = new ViewCache<>(MemorySegment::ofBuffer);
  private final boolean brain;

  /**
   * @param brain whether they are bfloat16
   */
  VectorHalfFormat(boolean brain) {
    this.brain = brain;
  }

  @Override
  public int elementBytes() {
    return Short.BYTES;
  }

  @Override
  public void read(ByteBuffer source, int offset, float[] block, int count) {
    MemorySegment segment = segments.of(source, 0);
    if (brain) {
      widenBrain(segment, offset, block, count);
    } else {
      widen(segment, offset, block, count);
    }
  }

  /** Returns halves in the upper parts of ints. */
  private static IntVector load(MemorySegment segment, long offset) {
    return ((IntVector)
            ShortVector.fromMemorySegment(SHORTS, segment, offset, ORDER)
                .convertShape(VectorOperators.S2I, INTS, 0))
        .lanewise(VectorOperators.LSHL, Short.SIZE);
  }

  private static void widenBrain(MemorySegment segment, long offset, float[] block, int count) {
    int i = 0;
    for (; i <= count - LANES; i += LANES) {
      load(segment, offset + (long) i * Short.BYTES).reinterpretAsFloats().intoArray(block, i);
    }
    for (; i < count; i++) {
      block[i] = BFloat16.toFloat(segment.get(ELEMENT, offset + (long) i * Short.BYTES));
    }
  }

  private static void widen(MemorySegment segment, long offset, float[] block, int count) {
    int i = 0;
    for (; i <= count - LANES; i += LANES) {
      widen(load(segment, offset + (long) i * Short.BYTES)).intoArray(block, i);
    }
    for (; i < count; i++) {
      block[i] = Float16.toFloat(segment.get(ELEMENT, offset + (long) i * Short.BYTES));
    }
  }

  /** As {@link Float16#toFloat}. */
  private static FloatVector widen(IntVector upper) {
    IntVector magnitude = upper.and(~SIGN).lanewise(VectorOperators.LSHR, 3);
    IntVector finite = magnitude.reinterpretAsFloats().mul(Float16.REBIAS).reinterpretAsInts();
    VectorMask<Integer> special =
        magnitude.compare(VectorOperators.GE, Float16.INFINITY << Float16.SHIFT);
    return finite
        .lanewise(VectorOperators.OR, INFINITY, special)
        .or(upper.and(SIGN))
        .reinterpretAsFloats();
  }

  @Override
  public void write(ByteBuffer target, int offset, float[] block, int count) {
    MemorySegment segment = segments.of(target, 0);
    if (brain) {
      narrowBrain(block, segment, offset, count);
    } else {
      narrow(block, segment, offset, count);
    }
  }

  /** Stores the lower halves of ints. */
  private static void store(IntVector lower, MemorySegment segment, long offset) {
    ((ShortVector) lower.convertShape(VectorOperators.I2S, SHORTS, 0))
        .intoMemorySegment(segment, offset, ORDER);
  }

  private static void narrowBrain(float[] block, MemorySegment segment, long offset, int count) {
    int i = 0;
    for (; i <= count - LANES; i += LANES) {
      store(narrowBrain(load(block, i)), segment, offset + (long) i * Short.BYTES);
    }
    for (; i < count; i++) {
      segment.set(ELEMENT, offset + (long) i * Short.BYTES, BFloat16.fromFloat(block[i]));
    }
  }

  private static IntVector load(float[] block, int i) {
    return FloatVector.fromArray(FLOATS, block, i).reinterpretAsInts();
  }

  /** As {@link BFloat16#fromFloat}. */
  private static IntVector narrowBrain(IntVector bits) {
    VectorMask<Integer> isNaN = bits.and(~SIGN).compare(VectorOperators.GT, INFINITY);
    IntVector odd = bits.lanewise(VectorOperators.LSHR, Short.SIZE).and(1);
    return bits.add(odd)
        .add(0x7FFF)
        .blend(bits.or(QUIET), isNaN)
        .lanewise(VectorOperators.LSHR, Short.SIZE);
  }

  private static void narrow(float[] block, MemorySegment segment, long offset, int count) {
    int i = 0;
    for (; i <= count - LANES; i += LANES) {
      store(narrow(load(block, i)), segment, offset + (long) i * Short.BYTES);
    }
    for (; i < count; i++) {
      segment.set(ELEMENT, offset + (long) i * Short.BYTES, Float16.fromFloat(block[i]));
    }
  }

  /** As {@link Float16#fromFloat}. */
  private static IntVector narrow(IntVector bits) {
    IntVector magnitude = bits.and(~SIGN);
    IntVector payload = magnitude.lanewise(VectorOperators.LSHR, Float16.SHIFT);
    IntVector normal =
        magnitude
            .sub(Float16.NORMAL_BITS - (1 << 23) - 0xFFF)
            .add(payload.and(1))
            .lanewise(VectorOperators.LSHR, Float16.SHIFT);
    IntVector subnormal =
        magnitude
            .reinterpretAsFloats()
            .add(Float16.SUBNORMAL_MAGIC)
            .reinterpretAsInts()
            .sub(Float.floatToRawIntBits(Float16.SUBNORMAL_MAGIC));
    return normal
        .blend(subnormal, magnitude.compare(VectorOperators.LT, Float16.NORMAL_BITS))
        .blend(Float16.INFINITY, magnitude.compare(VectorOperators.GE, Float16.OVERFLOW_BITS))
        .blend(
            payload.and(0x3FF).or(Float16.INFINITY | Float16.QUIET),
            magnitude.compare(VectorOperators.GT, INFINITY))
        .or(bits.lanewise(VectorOperators.LSHR, Short.SIZE).and(Float16.SIGN));
  }
}
