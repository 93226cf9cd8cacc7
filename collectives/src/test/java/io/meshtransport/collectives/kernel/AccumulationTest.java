// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Precision;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.testing.AllocationCounter;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Also tests {@link Converter}, {@link CopyConverter}, {@link DoubleConverter}, {@link
 * FloatConverter}, {@link IntConverter}, {@link LongConverter} and {@link OctetFormat}.
 */
class AccumulationTest {
  private static final int COUNT = 2500;
  private static final int RANKS = 3;

  /** Folds all ranks' elements as an operation does, and returns what it ends with. */
  private static ByteBuffer accumulate(Accumulation accumulation, ByteBuffer[] ranks) {
    ByteBuffer partials = Elements.buffer(COUNT * accumulation.partials().bytes());
    ByteBuffer result = Elements.buffer(COUNT * accumulation.elements().bytes());
    accumulation.begin().convert(ranks[0], 0, partials, 0, COUNT);
    Kernel kernel = accumulation.elementsKernel();
    for (int rank = 1; rank < ranks.length; rank++) {
      kernel.fold(partials, 0, ranks[rank], 0, COUNT);
    }
    accumulation.finish(ranks.length).convert(partials, 0, result, 0, COUNT);
    return result;
  }

  /** The same by a chain in which each rank sends what it has so far. */
  private static ByteBuffer accumulatePartials(Accumulation accumulation, ByteBuffer[] ranks) {
    int bytes = COUNT * accumulation.partials().bytes();
    ByteBuffer sum = Elements.buffer(bytes);
    ByteBuffer next = Elements.buffer(bytes);
    ByteBuffer result = Elements.buffer(COUNT * accumulation.elements().bytes());
    accumulation.begin().convert(ranks[0], 0, sum, 0, COUNT);
    Kernel kernel = accumulation.partialsKernel();
    for (int rank = 1; rank < ranks.length; rank++) {
      accumulation.begin().convert(ranks[rank], 0, next, 0, COUNT);
      kernel.fold(sum, 0, next, 0, COUNT);
    }
    accumulation.finish(ranks.length).convert(sum, 0, result, 0, COUNT);
    return result;
  }

  private static ByteBuffer[] ranks(DataType type) {
    ByteBuffer[] ranks = new ByteBuffer[RANKS];
    for (int rank = 0; rank < RANKS; rank++) {
      ranks[rank] = Elements.random(new Random(rank), type, 0, COUNT, 0);
    }
    return ranks;
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"F16", "BF16"})
  void shouldRoundHalvesOnceWhereExact(DataType type) {
    ByteBuffer[] ranks = ranks(type);
    Accumulation exact = Accumulation.of(type, ReduceOp.SUM, Precision.EXACT);
    ByteBuffer expected = Elements.buffer(COUNT * type.bytes());
    for (int place = 0; place < expected.capacity(); place += type.bytes()) {
      float sum = NaiveFold.widen(type, ranks[0].getShort(place));
      for (int rank = 1; rank < RANKS; rank++) {
        sum += NaiveFold.widen(type, ranks[rank].getShort(place));
      }
      expected.putShort(place, NaiveFold.narrow(type, sum));
    }

    assertEquals(DataType.F32, exact.partials());
    assertTrue(exact.isWidening());
    Elements.assertSame(type, 0, COUNT, expected, accumulate(exact, ranks), "elements");
    Elements.assertSame(type, 0, COUNT, expected, accumulatePartials(exact, ranks), "partials");
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"F16", "BF16"})
  void shouldRoundHalvesAtEachFoldWhereFast(DataType type) {
    ByteBuffer[] ranks = ranks(type);
    Accumulation fast = Accumulation.of(type, ReduceOp.AVG, Precision.FAST);
    ByteBuffer expected = Elements.copy(ranks[0]);
    for (int rank = 1; rank < RANKS; rank++) {
      NaiveFold.fold(type, ReduceOp.SUM, expected, 0, ranks[rank], 0, COUNT);
    }
    for (int place = 0; place < expected.capacity(); place += type.bytes()) {
      float sum = NaiveFold.widen(type, expected.getShort(place));
      expected.putShort(place, NaiveFold.narrow(type, sum / RANKS));
    }

    assertFalse(fast.isWidening());
    Elements.assertSame(type, 0, COUNT, expected, accumulate(fast, ranks), type.toString());
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"I8", "U8"})
  void shouldAverageOctetsWithoutOverflow(DataType type) {
    for (Precision precision : Precision.values()) {
      ByteBuffer[] ranks = ranks(type);
      Accumulation average = Accumulation.of(type, ReduceOp.AVG, precision);
      ByteBuffer expected = Elements.buffer(COUNT);
      for (int place = 0; place < COUNT; place++) {
        int sum = 0;
        for (ByteBuffer rank : ranks) {
          sum += type == DataType.U8 ? rank.get(place) & 0xFF : rank.get(place);
        }
        expected.put(place, (byte) (sum / RANKS));
      }

      assertEquals(DataType.I32, average.partials());
      assertEquals(expected, accumulate(average, ranks));
      assertEquals(expected, accumulatePartials(average, ranks));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"F32", "F64", "I32", "I64"})
  void shouldDivideTheSumForTheAverage(DataType type) {
    ByteBuffer[] ranks = ranks(type);
    Accumulation average = Accumulation.of(type, ReduceOp.AVG, Precision.EXACT);
    ByteBuffer expected = Elements.copy(ranks[0]);
    for (int rank = 1; rank < RANKS; rank++) {
      NaiveFold.fold(type, ReduceOp.SUM, expected, 0, ranks[rank], 0, COUNT);
    }
    for (int place = 0; place < expected.capacity(); place += type.bytes()) {
      switch (type) {
        case F32 -> expected.putFloat(place, expected.getFloat(place) / RANKS);
        case F64 -> expected.putDouble(place, expected.getDouble(place) / RANKS);
        case I32 -> expected.putInt(place, expected.getInt(place) / RANKS);
        default -> expected.putLong(place, expected.getLong(place) / RANKS);
      }
    }

    assertFalse(average.isWidening());
    Elements.assertSame(type, 0, COUNT, expected, accumulate(average, ranks), type.toString());
  }

  @ParameterizedTest
  @MethodSource("io.meshtransport.collectives.kernel.KernelsTest#folds")
  void shouldCopyOneRanksElementsAsTheyAre(DataType type, ReduceOp op) {
    ByteBuffer[] one = {Elements.random(new Random(8), type, 0, COUNT, 0)};
    for (Precision precision : Precision.values()) {
      ByteBuffer result = accumulate(Accumulation.of(type, op, precision), one);
      Elements.assertSame(type, 0, COUNT, one[0], result, type + " " + op);
    }
  }

  @Test
  void shouldFinishInPlace() {
    Accumulation exact = Accumulation.of(DataType.F16, ReduceOp.SUM, Precision.EXACT);
    ByteBuffer partials = Elements.random(new Random(9), DataType.F32, 0, COUNT, 0);
    ByteBuffer expected = Elements.buffer(COUNT * 2);
    exact.finish(1).convert(partials, 0, expected, 0, COUNT);

    exact.finish(1).convert(partials, 0, partials, 0, COUNT);

    assertEquals(expected, partials.slice(0, COUNT * 2));
  }

  @Test
  void shouldCopyNothingWhereSourceAndTargetAreOne() {
    ByteBuffer readOnly = Elements.buffer(100).asReadOnlyBuffer();
    Converter finish = Accumulation.of(DataType.I32, ReduceOp.SUM, Precision.FAST).finish(4);

    finish.convert(readOnly, 4, readOnly, 4, 20);

    assertThrows(
        IndexOutOfBoundsException.class, () -> finish.convert(readOnly, 4, readOnly, 4, 25));
  }

  @Test
  void shouldRefuseWhatHasNoMeaning() {
    assertThrows(
        IllegalArgumentException.class,
        () -> Accumulation.of(DataType.F16, ReduceOp.XOR, Precision.EXACT));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Accumulation(DataType.I8, ReduceOp.SUM, DataType.I32));
    Accumulation sum = Accumulation.of(DataType.F32, ReduceOp.SUM, Precision.EXACT);
    assertThrows(IllegalArgumentException.class, () -> sum.finish(0));
  }

  @ParameterizedTest
  @EnumSource(DataType.class)
  void shouldAllocateNothing(DataType type) {
    KernelsTest.assumeVectorsAreNoObjects();
    Accumulation average = Accumulation.of(type, ReduceOp.AVG, Precision.EXACT);
    Converter begin = average.begin();
    Kernel kernel = average.elementsKernel();
    Converter finish = average.finish(RANKS);
    ByteBuffer elements = Elements.buffer(COUNT * 8);
    ByteBuffer partials = Elements.buffer(COUNT * 8);
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            100,
            KernelsTest.MAX_PASSES,
            () -> {
              for (int i = 0; i < 100; i++) {
                begin.convert(elements, 0, partials, 0, COUNT);
                kernel.fold(partials, 0, elements, 0, COUNT);
                finish.convert(partials, 0, elements, 0, COUNT);
              }
            });
  }
}
