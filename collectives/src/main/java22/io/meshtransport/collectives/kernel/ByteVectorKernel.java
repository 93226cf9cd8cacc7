// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Folds {@code byte}s in place, a vector at a time. Each operation has a loop of its own: the
 * compiler makes vector instructions only where it knows the operation.
 */
final class ByteVectorKernel implements Kernel {
  private static final VectorSpecies<Byte> SPECIES = ByteVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfByte ELEMENT = ValueLayout.JAVA_BYTE;
  private static final int STEP = SPECIES.vectorByteSize();
  private static final int BYTES = Byte.BYTES;

  /** Added to unsigned elements, orders them as signed ones. */
  private static final byte FLIP = Byte.MIN_VALUE;

  private final ViewCache<MemorySegment> segments = new ViewCache<>(MemorySegment::ofBuffer);
  private final ReduceOp op;
  private final boolean unsigned;

  ByteVectorKernel(ReduceOp op, boolean unsigned) {
    this.op = op;
    this.unsigned = unsigned;
  }

  @Override
  public void fold(
      ByteBuffer accumulator,
      int accumulatorOffset,
      ByteBuffer operand,
      int operandOffset,
      int count) {
    Ranges.check("accumulator", accumulator, accumulatorOffset, count, BYTES);
    Ranges.check("operand", operand, operandOffset, count, BYTES);
    fold(
        segments.of(accumulator, 0),
        accumulatorOffset,
        segments.of(operand, 0),
        operandOffset,
        count * BYTES);
  }

  private void fold(MemorySegment a, long at, MemorySegment b, long from, int bytes) {
    switch (op) {
      case SUM, AVG -> add(a, at, b, from, bytes);
      case MIN -> {
        if (unsigned) {
          minUnsigned(a, at, b, from, bytes);
        } else {
          min(a, at, b, from, bytes);
        }
      }
      case MAX -> {
        if (unsigned) {
          maxUnsigned(a, at, b, from, bytes);
        } else {
          max(a, at, b, from, bytes);
        }
      }
      case PROD -> multiply(a, at, b, from, bytes);
      case AND -> and(a, at, b, from, bytes);
      case OR -> or(a, at, b, from, bytes);
      case XOR -> xor(a, at, b, from, bytes);
    }
  }

  private static ByteVector vector(MemorySegment segment, long offset) {
    return ByteVector.fromMemorySegment(SPECIES, segment, offset, ORDER);
  }

  private static void add(MemorySegment a, long at, MemorySegment b, long from, int bytes) {
    int i = 0;
    for (; i <= bytes - STEP; i += STEP) {
      vector(a, at + i).add(vector(b, from + i)).intoMemorySegment(a, at + i, ORDER);
    }
    for (; i < bytes; i += BYTES) {
      a.set(ELEMENT, at + i, (byte) (a.get(ELEMENT, at + i) + b.get(ELEMENT, from + i)));
    }
  }

  private static void min(MemorySegment a, long at, MemorySegment b, long from, int bytes) {
    int i = 0;
    for (; i <= bytes - STEP; i += STEP) {
      vector(a, at + i).min(vector(b, from + i)).intoMemorySegment(a, at + i, ORDER);
    }
    for (; i < bytes; i += BYTES) {
      a.set(ELEMENT, at + i, (byte) Math.min(a.get(ELEMENT, at + i), b.get(ELEMENT, from + i)));
    }
  }

  private static void max(MemorySegment a, long at, MemorySegment b, long from, int bytes) {
    int i = 0;
    for (; i <= bytes - STEP; i += STEP) {
      vector(a, at + i).max(vector(b, from + i)).intoMemorySegment(a, at + i, ORDER);
    }
    for (; i < bytes; i += BYTES) {
      a.set(ELEMENT, at + i, (byte) Math.max(a.get(ELEMENT, at + i), b.get(ELEMENT, from + i)));
    }
  }

  private static void multiply(MemorySegment a, long at, MemorySegment b, long from, int bytes) {
    int i = 0;
    for (; i <= bytes - STEP; i += STEP) {
      vector(a, at + i).mul(vector(b, from + i)).intoMemorySegment(a, at + i, ORDER);
    }
    for (; i < bytes; i += BYTES) {
      a.set(ELEMENT, at + i, (byte) (a.get(ELEMENT, at + i) * b.get(ELEMENT, from + i)));
    }
  }

  private static void and(MemorySegment a, long at, MemorySegment b, long from, int bytes) {
    int i = 0;
    for (; i <= bytes - STEP; i += STEP) {
      vector(a, at + i).and(vector(b, from + i)).intoMemorySegment(a, at + i, ORDER);
    }
    for (; i < bytes; i += BYTES) {
      a.set(ELEMENT, at + i, (byte) (a.get(ELEMENT, at + i) & b.get(ELEMENT, from + i)));
    }
  }

  private static void or(MemorySegment a, long at, MemorySegment b, long from, int bytes) {
    int i = 0;
    for (; i <= bytes - STEP; i += STEP) {
      vector(a, at + i).or(vector(b, from + i)).intoMemorySegment(a, at + i, ORDER);
    }
    for (; i < bytes; i += BYTES) {
      a.set(ELEMENT, at + i, (byte) (a.get(ELEMENT, at + i) | b.get(ELEMENT, from + i)));
    }
  }

  private static void xor(MemorySegment a, long at, MemorySegment b, long from, int bytes) {
    int i = 0;
    for (; i <= bytes - STEP; i += STEP) {
      vector(a, at + i)
          .lanewise(VectorOperators.XOR, vector(b, from + i))
          .intoMemorySegment(a, at + i, ORDER);
    }
    for (; i < bytes; i += BYTES) {
      a.set(ELEMENT, at + i, (byte) (a.get(ELEMENT, at + i) ^ b.get(ELEMENT, from + i)));
    }
  }

  private static void minUnsigned(MemorySegment a, long at, MemorySegment b, long from, int bytes) {
    int i = 0;
    for (; i <= bytes - STEP; i += STEP) {
      vector(a, at + i)
          .add(FLIP)
          .min(vector(b, from + i).add(FLIP))
          .sub(FLIP)
          .intoMemorySegment(a, at + i, ORDER);
    }
    for (; i < bytes; i += BYTES) {
      a.set(
          ELEMENT,
          at + i,
          (byte) Math.min(a.get(ELEMENT, at + i) & 0xFF, b.get(ELEMENT, from + i) & 0xFF));
    }
  }

  private static void maxUnsigned(MemorySegment a, long at, MemorySegment b, long from, int bytes) {
    int i = 0;
    for (; i <= bytes - STEP; i += STEP) {
      vector(a, at + i)
          .add(FLIP)
          .max(vector(b, from + i).add(FLIP))
          .sub(FLIP)
          .intoMemorySegment(a, at + i, ORDER);
    }
    for (; i < bytes; i += BYTES) {
      a.set(
          ELEMENT,
          at + i,
          (byte) Math.max(a.get(ELEMENT, at + i) & 0xFF, b.get(ELEMENT, from + i) & 0xFF));
    }
  }
}
