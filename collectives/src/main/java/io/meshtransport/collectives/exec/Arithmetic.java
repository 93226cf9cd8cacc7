// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Precision;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Reducer;
import io.meshtransport.collectives.Reduction;
import io.meshtransport.collectives.kernel.Accumulation;
import io.meshtransport.collectives.kernel.Converter;
import io.meshtransport.collectives.kernel.Kernel;
import io.meshtransport.collectives.kernel.Kernels;
import java.nio.ByteBuffer;

/**
 * What one operation computes, on ranges of regions: elements into partial results, partial results
 * into each other, and the result at the end. One thread at a time.
 */
public final class Arithmetic {
  private final int elementBytes;
  private final int partialBytes;
  private final boolean isFinishCopy;
  private final Kernel elements;
  private final Kernel partials;
  private final Converter begin;
  private final Converter finish;

  private Arithmetic(
      int elementBytes,
      int partialBytes,
      boolean isFinishCopy,
      Kernel elements,
      Kernel partials,
      Converter begin,
      Converter finish) {
    this.elementBytes = elementBytes;
    this.partialBytes = partialBytes;
    this.isFinishCopy = isFinishCopy;
    this.elements = elements;
    this.partials = partials;
    this.begin = begin;
    this.finish = finish;
  }

  /** For operations that only move bytes. */
  public static Arithmetic none(int elementBytes) {
    return new Arithmetic(elementBytes, elementBytes, true, null, null, null, null);
  }

  /**
   * @throws IllegalArgumentException if the op has no meaning for the type
   */
  public static Arithmetic of(DataType type, Reduction op, Precision precision, int ranks) {
    if (op instanceof Reducer reducer) {
      int bytes = reducer.elementBytes();
      Kernel kernel = Kernels.of(reducer);
      return new Arithmetic(bytes, bytes, true, kernel, kernel, null, null);
    }
    Accumulation sum = Accumulation.of(type, (ReduceOp) op, precision);
    return new Arithmetic(
        type.bytes(),
        sum.partials().bytes(),
        !sum.isWidening() && op != ReduceOp.AVG,
        sum.elementsKernel(),
        sum.partialsKernel(),
        sum.begin(),
        sum.finish(ranks));
  }

  public int elementBytes() {
    return elementBytes;
  }

  /** Of a partial result of one element. */
  public int partialBytes() {
    return partialBytes;
  }

  boolean isWidening() {
    return partialBytes != elementBytes;
  }

  /** Folds elements, raw or partial, into a partial result. */
  void fold(
      Region accumulator, long toBytes, Region operand, long fromBytes, boolean isRaw, int count) {
    Kernel kernel = isRaw ? elements : partials;
    int operandBytes = isRaw ? elementBytes : partialBytes;
    int done = 0;
    while (done < count) {
      long to = toBytes + (long) done * partialBytes;
      long from = fromBytes + (long) done * operandBytes;
      int toSegment = accumulator.segment(to);
      int fromSegment = operand.segment(from);
      int part =
          part(
              count - done,
              accumulator.remaining(toSegment, to) / partialBytes,
              operand.remaining(fromSegment, from) / operandBytes);
      kernel.fold(
          accumulator.buffer(toSegment),
          accumulator.index(toSegment, to),
          operand.buffer(fromSegment),
          operand.index(fromSegment, from),
          part);
      done += part;
    }
  }

  /** Makes a partial result of elements: a copy, or a wider one. */
  void begin(Region to, long toBytes, Region from, long fromBytes, boolean isRaw, int count) {
    if (isRaw && isWidening()) {
      convert(begin, to, toBytes, partialBytes, from, fromBytes, elementBytes, count);
    } else {
      copy(to, toBytes, from, fromBytes, (long) count * partialBytes);
    }
  }

  /** Makes the result of the partial result of all ranks; may be at the same place. */
  void finish(Region to, long toBytes, Region from, long fromBytes, int count) {
    if (isFinishCopy) {
      copy(to, toBytes, from, fromBytes, (long) count * elementBytes);
    } else {
      convert(finish, to, toBytes, elementBytes, from, fromBytes, partialBytes, count);
    }
  }

  private static void convert(
      Converter converter,
      Region target,
      long toBytes,
      int toWidth,
      Region source,
      long fromBytes,
      int fromWidth,
      int count) {
    int done = 0;
    while (done < count) {
      long to = toBytes + (long) done * toWidth;
      long from = fromBytes + (long) done * fromWidth;
      int toSegment = target.segment(to);
      int fromSegment = source.segment(from);
      int part =
          part(
              count - done,
              target.remaining(toSegment, to) / toWidth,
              source.remaining(fromSegment, from) / fromWidth);
      converter.convert(
          source.buffer(fromSegment),
          source.index(fromSegment, from),
          target.buffer(toSegment),
          target.index(toSegment, to),
          part);
      done += part;
    }
  }

  private static int part(int left, long space, long available) {
    int part = (int) Math.min(left, Math.min(space, available));
    if (part == 0) {
      throw new IllegalStateException("a range ends outside of its memory, or within an element");
    }
    return part;
  }

  /** Copies bytes; does nothing if they are there already. */
  static void copy(Region target, long toBytes, Region source, long fromBytes, long lengthBytes) {
    if (target.memory() == source.memory() && target.at(toBytes) == source.at(fromBytes)) {
      return;
    }
    long done = 0;
    while (done < lengthBytes) {
      long to = toBytes + done;
      long from = fromBytes + done;
      int toSegment = target.segment(to);
      int fromSegment = source.segment(from);
      long part =
          Math.min(
              lengthBytes - done,
              Math.min(target.remaining(toSegment, to), source.remaining(fromSegment, from)));
      ByteBuffer into = target.buffer(toSegment);
      into.put(
          target.index(toSegment, to),
          source.buffer(fromSegment),
          source.index(fromSegment, from),
          (int) part);
      done += part;
    }
  }
}
