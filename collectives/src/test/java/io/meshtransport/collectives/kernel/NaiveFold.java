// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;
import java.nio.ByteBuffer;

/** What kernels compute, an element at a time and as plainly as possible. */
final class NaiveFold {
  private NaiveFold() {}

  static void fold(
      DataType type,
      ReduceOp op,
      ByteBuffer accumulator,
      int accumulatorOffset,
      ByteBuffer operand,
      int operandOffset,
      int count) {
    for (int i = 0; i < count; i++) {
      int to = accumulatorOffset + i * type.bytes();
      int from = operandOffset + i * type.bytes();
      switch (type) {
        case F32 ->
            accumulator.putFloat(to, floats(op, accumulator.getFloat(to), operand.getFloat(from)));
        case F64 ->
            accumulator.putDouble(
                to, doubles(op, accumulator.getDouble(to), operand.getDouble(from)));
        case I32 ->
            accumulator.putInt(to, (int) longs(op, accumulator.getInt(to), operand.getInt(from)));
        case I64 ->
            accumulator.putLong(to, longs(op, accumulator.getLong(to), operand.getLong(from)));
        case I8 -> accumulator.put(to, (byte) longs(op, accumulator.get(to), operand.get(from)));
        case U8 ->
            accumulator.put(
                to, (byte) longs(op, accumulator.get(to) & 0xFF, operand.get(from) & 0xFF));
        case F16, BF16 ->
            accumulator.putShort(
                to,
                narrow(
                    type,
                    floats(
                        op,
                        widen(type, accumulator.getShort(to)),
                        widen(type, operand.getShort(from)))));
      }
    }
  }

  static float widen(DataType type, short half) {
    return type == DataType.F16 ? Float16.toFloat(half) : BFloat16.toFloat(half);
  }

  static short narrow(DataType type, float value) {
    return type == DataType.F16 ? Float16.fromFloat(value) : BFloat16.fromFloat(value);
  }

  static float floats(ReduceOp op, float a, float b) {
    return switch (op) {
      case SUM, AVG -> a + b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case PROD -> a * b;
      case AND, OR, XOR -> throw new IllegalArgumentException(op.toString());
    };
  }

  private static double doubles(ReduceOp op, double a, double b) {
    return switch (op) {
      case SUM, AVG -> a + b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case PROD -> a * b;
      case AND, OR, XOR -> throw new IllegalArgumentException(op.toString());
    };
  }

  static long longs(ReduceOp op, long a, long b) {
    return switch (op) {
      case SUM, AVG -> a + b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case PROD -> a * b;
      case AND -> a & b;
      case OR -> a | b;
      case XOR -> a ^ b;
    };
  }
}
