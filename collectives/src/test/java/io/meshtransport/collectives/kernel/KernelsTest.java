// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Reducer;
import io.meshtransport.testing.AllocationCounter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Also tests {@link ByteKernel}, {@link ByteLoops}, {@link DoubleFormat}, {@link DoubleKernel},
 * {@link DoubleLoops}, {@link FloatFormat}, {@link FloatKernel}, {@link FloatLoops}, {@link
 * HalfFormat}, {@link HalfPairKernel}, {@link IntFormat}, {@link IntKernel}, {@link IntLoops},
 * {@link Kernel}, {@link LongFormat}, {@link LongKernel}, {@link LongLoops}, {@link Ranges}, {@link
 * SingleFormat}, {@link WholeFormat}, {@link ReducerKernel}, {@link Reducer} and {@link Block}.
 */
class KernelsTest {
  /** The Vector API allocates until the better compiler has compiled the loop. */
  static final int MAX_PASSES = 5000;

  private static final Set<ReduceOp> BITWISE = EnumSet.of(ReduceOp.AND, ReduceOp.OR, ReduceOp.XOR);
  private static final Set<DataType> FLOATS =
      EnumSet.of(DataType.F32, DataType.F64, DataType.F16, DataType.BF16);

  static Stream<Arguments> folds() {
    return Arrays.stream(DataType.values())
        .flatMap(
            type ->
                Arrays.stream(ReduceOp.values())
                    .filter(op -> isAllowed(type, op))
                    .map(op -> Arguments.of(type, op)));
  }

  private static boolean isAllowed(DataType type, ReduceOp op) {
    return !(FLOATS.contains(type) && BITWISE.contains(op));
  }

  @ParameterizedTest
  @MethodSource("folds")
  void shouldFoldAsANaiveLoopDoes(DataType type, ReduceOp op) {
    Kernel kernel = Kernels.of(type, op);
    Random random = new Random(1);
    for (int count = 0; count <= 200; count++) {
      foldBoth(kernel, type, op, random, count, random.nextInt(9), random.nextInt(9));
    }
    for (int block : new int[] {Block.ELEMENTS, 4 * Block.ELEMENTS, 8 * Block.ELEMENTS}) {
      for (int count = block - 1; count <= block + 1; count++) {
        foldBoth(kernel, type, op, random, count, random.nextInt(9), random.nextInt(9));
      }
    }
  }

  @Property(tries = 300)
  void shouldFoldAnyElementsAnywhere(
      @ForAll DataType type,
      @ForAll ReduceOp op,
      @ForAll @IntRange(max = 9000) int count,
      @ForAll @IntRange(max = 70) int to,
      @ForAll @IntRange(max = 70) int from,
      @ForAll long seed) {
    if (isAllowed(type, op)) {
      foldBoth(Kernels.of(type, op), type, op, new Random(seed), count, to, from);
    }
  }

  private static void foldBoth(
      Kernel kernel, DataType type, ReduceOp op, Random random, int count, int to, int from) {
    ByteBuffer accumulator = Elements.random(random, type, to, count, random.nextInt(70));
    ByteBuffer operand = Elements.random(random, type, from, count, random.nextInt(70));
    ByteBuffer expected = Elements.copy(accumulator);
    ByteBuffer untouched = Elements.copy(operand);
    NaiveFold.fold(type, op, expected, to, operand, from, count);
    // Neither of which counts.
    accumulator.limit(accumulator.capacity() / 2);
    operand.position(operand.capacity() / 2).limit(operand.capacity() / 2);

    kernel.fold(accumulator, to, operand, from, count);

    assertEquals(accumulator.capacity() / 2, accumulator.limit());
    assertEquals(operand.capacity() / 2, operand.position());
    assertEquals(untouched, operand.clear());
    Elements.assertSame(
        type,
        to,
        count,
        expected,
        accumulator.clear(),
        type + " " + op + ", " + count + " from " + to + ", " + from);
  }

  @ParameterizedTest
  @MethodSource("folds")
  void shouldFoldARangeIntoItself(DataType type, ReduceOp op) {
    ByteBuffer buffer = Elements.random(new Random(2), type, 3, 1500, 5);
    ByteBuffer expected = Elements.copy(buffer);
    NaiveFold.fold(type, op, expected, 3, Elements.copy(buffer), 3, 1500);

    Kernels.of(type, op).fold(buffer, 3, buffer, 3, 1500);

    Elements.assertSame(type, 3, 1500, expected, buffer, type + " " + op);
  }

  @Test
  void shouldRefuseBitwiseOperationsOfFloats() {
    for (DataType type : FLOATS) {
      for (ReduceOp op : BITWISE) {
        String text =
            assertThrows(IllegalArgumentException.class, () -> Kernels.of(type, op)).getMessage();
        assertTrue(text.startsWith(op + " of " + type + " elements: bitwise"), text);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("folds")
  void shouldRefuseRangesOutsideTheBuffersBeforeItWrites(DataType type, ReduceOp op) {
    Kernel kernel = Kernels.of(type, op);
    ByteBuffer buffer = Elements.random(new Random(3), type, 0, 10, 0);
    ByteBuffer before = Elements.copy(buffer);
    ByteBuffer longer = Elements.random(new Random(4), type, 0, 11, 0);

    for (int[] range :
        new int[][] {{-1, 1}, {0, 11}, {type.bytes(), 10}, {0, -1}, {1 << 30, 1 << 30}}) {
      String text = refusal(kernel, buffer, range[0], longer, 0, range[1]);
      assertTrue(text.startsWith("accumulator: " + range[1] + " elements"), text);
    }
    String text = refusal(kernel, longer, 0, buffer, 0, 11);
    assertEquals(
        "operand: 11 elements of %d bytes from offset 0, in a buffer of %d bytes"
            .formatted(type.bytes(), 10 * type.bytes()),
        text);
    assertEquals(before, buffer);
  }

  private static String refusal(
      Kernel kernel, ByteBuffer accumulator, int to, ByteBuffer operand, int from, int count) {
    return assertThrows(
            IndexOutOfBoundsException.class,
            () -> kernel.fold(accumulator, to, operand, from, count))
        .getMessage();
  }

  @ParameterizedTest
  @MethodSource("folds")
  void shouldAllocateNothing(DataType type, ReduceOp op) {
    assumeVectorsAreNoObjects();
    ByteBuffer accumulator = Elements.buffer(1 << 16);
    ByteBuffer operand = Elements.buffer(1 << 16);
    expectNoAllocation(Kernels.of(type, op), accumulator, operand, type.bytes());
  }

  /**
   * Vectors are objects that the second compiler takes apart, where it inlines all that a fold
   * calls: in a JVM in which tests have folded all types it sometimes does not. A long run tries.
   */
  static void assumeVectorsAreNoObjects() {
    assumeTrue(
        !Kernels.hasVectors() || Boolean.getBoolean("mesh.test.long"),
        "the compiler decides whether vectors are objects; -Dmesh.test.long=true expects that they"
            + " are not");
  }

  private static void expectNoAllocation(
      Kernel kernel, ByteBuffer accumulator, ByteBuffer operand, int elementBytes) {
    int folds = 100;
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            folds,
            MAX_PASSES,
            () -> {
              for (int i = 0; i < folds; i++) {
                kernel.fold(accumulator, i, operand, i * elementBytes, 2000);
              }
            });
  }

  /** A user's: adds points of three bytes. */
  private static final class Points implements Reducer {
    private final List<Integer> lengths = new ArrayList<>();

    @Override
    public int elementBytes() {
      return 3;
    }

    @Override
    public void reduce(ByteBuffer accumulator, ByteBuffer operand) {
      assertEquals(ByteOrder.nativeOrder(), accumulator.order());
      assertEquals(ByteOrder.nativeOrder(), operand.order());
      assertTrue(operand.isReadOnly());
      assertEquals(accumulator.remaining(), operand.remaining());
      lengths.add(operand.remaining());
      for (int i = accumulator.position(); accumulator.hasRemaining(); i++) {
        accumulator.put((byte) (accumulator.get(i) + operand.get()));
      }
      accumulator.order(ByteOrder.BIG_ENDIAN).limit(0);
    }
  }

  @Test
  void shouldFoldByAUsersReducer() {
    Points points = new Points();
    Kernel kernel = Kernels.of(points);
    ByteBuffer accumulator = Elements.random(new Random(5), DataType.I8, 0, 100, 0);
    ByteBuffer expected = Elements.copy(accumulator);
    ByteBuffer operand = Elements.random(new Random(6), DataType.I8, 0, 100, 0);
    for (int round = 0; round < 2; round++) {
      NaiveFold.fold(DataType.I8, ReduceOp.SUM, expected, 7, operand, 5, 30);
      kernel.fold(accumulator, 7, operand, 5, 10);
    }
    kernel.fold(accumulator, 7, operand, 5, 0);

    assertEquals(expected, accumulator);
    assertEquals(List.of(30, 30), points.lengths);
    assertThrows(
        IndexOutOfBoundsException.class, () -> kernel.fold(accumulator, 98, operand, 0, 1));
  }

  private static Reducer ofBytes(int bytes) {
    return new Reducer() {
      @Override
      public int elementBytes() {
        return bytes;
      }

      @Override
      public void reduce(ByteBuffer accumulator, ByteBuffer operand) {
        accumulator.put(operand);
      }

      @Override
      public String toString() {
        return "copies";
      }
    };
  }

  @Test
  void shouldRefuseReducersWhoseElementsHaveNoLength() {
    String text =
        assertThrows(IllegalArgumentException.class, () -> Kernels.of(ofBytes(0))).getMessage();
    assertEquals("copies: elements of 0 bytes; they need 1 or more", text);
  }

  @Test
  void shouldAllocateNothingAroundAReducer() {
    expectNoAllocation(
        Kernels.of(ofBytes(5)), Elements.buffer(1 << 16), Elements.buffer(1 << 16), 5);
  }
}
