// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.collectives.DataType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Buffers of elements for tests: any bits, and often the values at which arithmetic goes wrong. */
final class Elements {
  private static final float[] FLOATS = {
    0f,
    -0f,
    1f,
    -1f,
    Float.NaN,
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY,
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MIN_NORMAL,
    Float.MAX_VALUE,
    -Float.MAX_VALUE
  };
  private static final double[] DOUBLES = {
    0,
    -0.0,
    1,
    -1,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.MIN_VALUE,
    -Double.MIN_VALUE,
    Double.MIN_NORMAL,
    Double.MAX_VALUE,
    -Double.MAX_VALUE
  };

  /** Zeros, one, the least and greatest subnormals and normals, infinity, NaN; of each format. */
  private static final short[] HALVES = {
    0, 0x3C00, 1, 0x3FF, 0x400, 0x7BFF, 0x7C00, 0x7E00, 0x3F80, 0x7F, 0x80, 0x7F7F, 0x7F80, 0x7FC0
  };

  private static final long[] INTEGERS = {
    0,
    1,
    -1,
    Byte.MIN_VALUE,
    Byte.MAX_VALUE,
    255,
    Integer.MIN_VALUE,
    Integer.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MAX_VALUE
  };

  private Elements() {}

  static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  /** Returns a direct buffer with random bytes, then elements from the offset on. */
  static ByteBuffer random(Random random, DataType type, int offset, int count, int rest) {
    byte[] bytes = new byte[offset + count * type.bytes() + rest];
    random.nextBytes(bytes);
    ByteBuffer buffer = buffer(bytes.length).put(0, bytes);
    for (int i = 0; i < count; i++) {
      int place = offset + i * type.bytes();
      switch (random.nextInt(3)) {
        case 0 -> putSpecial(random, type, buffer, place);
        case 1 -> putOrdinary(random, type, buffer, place);
        default -> {}
      }
    }
    return buffer;
  }

  private static void putSpecial(Random random, DataType type, ByteBuffer buffer, int place) {
    switch (type) {
      case F32 -> buffer.putFloat(place, FLOATS[random.nextInt(FLOATS.length)]);
      case F64 -> buffer.putDouble(place, DOUBLES[random.nextInt(DOUBLES.length)]);
      case F16, BF16 ->
          buffer.putShort(
              place, (short) (HALVES[random.nextInt(HALVES.length)] | random.nextInt(2) << 15));
      default -> putInteger(type, buffer, place, INTEGERS[random.nextInt(INTEGERS.length)]);
    }
  }

  private static void putOrdinary(Random random, DataType type, ByteBuffer buffer, int place) {
    switch (type) {
      case F32 -> buffer.putFloat(place, random.nextFloat() - 0.5f);
      case F64 -> buffer.putDouble(place, random.nextDouble() - 0.5);
      case F16, BF16 -> buffer.putShort(place, NaiveFold.narrow(type, random.nextFloat() - 0.5f));
      default -> putInteger(type, buffer, place, random.nextInt(200) - 100);
    }
  }

  private static void putInteger(DataType type, ByteBuffer buffer, int place, long value) {
    switch (type) {
      case I32 -> buffer.putInt(place, (int) value);
      case I64 -> buffer.putLong(place, value);
      default -> buffer.put(place, (byte) value);
    }
  }

  static ByteBuffer copy(ByteBuffer buffer) {
    return buffer(buffer.capacity()).put(0, buffer, 0, buffer.capacity());
  }

  /** All bytes are equal, but that any NaN equals any other among the elements. */
  static void assertSame(
      DataType type, int offset, int count, ByteBuffer expected, ByteBuffer actual, String what) {
    for (int i = 0; i < count; i++) {
      int place = offset + i * type.bytes();
      assertEquals(
          bits(type, expected, place), bits(type, actual, place), () -> what + ", at " + place);
    }
    int end = offset + count * type.bytes();
    assertEquals(expected.slice(0, offset), actual.slice(0, offset), what + ", before");
    assertEquals(
        expected.slice(end, expected.capacity() - end),
        actual.slice(end, actual.capacity() - end),
        what + ", behind");
  }

  private static long bits(DataType type, ByteBuffer buffer, int place) {
    return switch (type) {
      case F32 -> Float.floatToIntBits(buffer.getFloat(place));
      case F64 -> Double.doubleToLongBits(buffer.getDouble(place));
      case F16, BF16 -> {
        short half = buffer.getShort(place);
        yield Float.isNaN(NaiveFold.widen(type, half)) ? 0x7FFF : half;
      }
      case I32 -> buffer.getInt(place);
      case I64 -> buffer.getLong(place);
      case I8, U8 -> buffer.get(place);
    };
  }
}
