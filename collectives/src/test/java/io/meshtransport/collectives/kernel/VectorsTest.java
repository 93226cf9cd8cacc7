// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Which kernels this Java gets. The build runs the tests of this package twice: on its classes, and
 * where there is a Java for it, on the packaged jar with its overlay and the module of the Vector
 * API; and this class a third time without the module.
 */
class VectorsTest {
  private static final boolean IS_OVERLAY_RUN = Boolean.getBoolean("mesh.test.overlay");

  /** So many that the better compiler has its say, with its own instructions for vectors. */
  private static final int FOLDS_TO_COMPILE = 20_000;

  @Test
  void shouldUseVectorsWhereTheJarAndThisJavaHaveThem() throws IOException {
    if (IS_OVERLAY_RUN) {
      assertEquals("true", manifest().getValue(Attributes.Name.MULTI_RELEASE));
    }
    assertEquals(Boolean.getBoolean("mesh.test.vectors"), Kernels.hasVectors());
    Kernel kernel = Kernels.of(DataType.F32, ReduceOp.SUM);
    assertEquals(Kernels.hasVectors(), kernel.getClass().getSimpleName().contains("Vector"));
  }

  private static Attributes manifest() throws IOException {
    String file = Kernels.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    try (JarFile jar = new JarFile(file)) {
      return jar.getManifest().getMainAttributes();
    }
  }

  @Test
  void shouldBeTestedWithAndWithoutVectors() {
    assumeTrue(
        !Boolean.getBoolean("mesh.overlay.skip"),
        "no JDK 22 or newer was found to compile and test the kernels by the Vector API:"
            + " install one in /usr/lib/jvm, or run Maven with -Doverlay.jdk=FOLDER");
    assertTrue(Runtime.version().feature() >= (IS_OVERLAY_RUN ? 22 : 17));
  }

  @Test
  void shouldRefuseToMakeWhatIsNotThere() {
    assumeFalse(IS_OVERLAY_RUN, "Java 22 and newer load another class");
    assertThrows(IllegalStateException.class, () -> Vectors.kernel(DataType.F32, ReduceOp.SUM));
    assertThrows(IllegalStateException.class, () -> Vectors.halves(DataType.F16));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("io.meshtransport.collectives.kernel.KernelsTest#folds")
  void shouldFoldTheSameOnceCompiled(DataType type, ReduceOp op) {
    assumeTrue(Kernels.hasVectors(), "this Java has no Vector API on segments, or not its module");
    Kernel vectors = Kernels.of(type, op);
    Kernel blocks = Kernels.byBlocks(type, op);
    Random random = new Random(10);
    compile(vectors, type);
    for (int count = 0; count < 1000; count += 1 + count / 8) {
      ByteBuffer accumulator = Elements.random(random, type, 5, count, 1);
      ByteBuffer expected = Elements.copy(accumulator);
      ByteBuffer operand = Elements.random(random, type, 2, count, 1);
      blocks.fold(expected, 5, operand, 2, count);
      vectors.fold(accumulator, 5, operand, 2, count);
      Elements.assertSame(type, 5, count, expected, accumulator, type + " " + op + " " + count);
    }
  }

  private static void compile(Kernel kernel, DataType type) {
    ByteBuffer zeros = Elements.buffer(100 * type.bytes());
    for (int i = 0; i < FOLDS_TO_COMPILE; i++) {
      kernel.fold(zeros, 0, zeros, 0, 99);
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"F16", "BF16"})
  void shouldConvertEachHalfTheSame(DataType type) {
    assumeTrue(Kernels.hasVectors(), "this Java has no Vector API on segments, or not its module");
    int count = 0x10000;
    ByteBuffer halves = Elements.buffer(2 * count);
    for (int half = 0; half < count; half++) {
      halves.putShort(2 * half, (short) half);
    }
    HalfFormat plain = new HalfFormat(type == DataType.BF16);
    for (int start = 0; start < count; start += Block.ELEMENTS) {
      float[] expected = new float[Block.ELEMENTS];
      float[] actual = new float[Block.ELEMENTS];
      plain.read(halves, 2 * start, expected, Block.ELEMENTS);
      Vectors.halves(type).read(halves, 2 * start, actual, Block.ELEMENTS);
      for (int i = 0; i < Block.ELEMENTS; i++) {
        assertEquals(Float.floatToIntBits(expected[i]), Float.floatToIntBits(actual[i]));
        assertEquals(
            Float.floatToRawIntBits(expected[i]) >>> 31, Float.floatToRawIntBits(actual[i]) >>> 31);
      }
    }
  }

  /** Each half, and floats around the middle to the next one. */
  @Tag("slow")
  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"F16", "BF16"})
  void shouldRoundEachFloatTheSame(DataType type) {
    assumeTrue(Kernels.hasVectors(), "this Java has no Vector API on segments, or not its module");
    HalfFormat plain = new HalfFormat(type == DataType.BF16);
    FloatFormat vectors = Vectors.halves(type);
    int shift = type == DataType.BF16 ? 16 : 13;
    float[] block = new float[Block.ELEMENTS];
    ByteBuffer expected = Elements.buffer(2 * Block.ELEMENTS);
    ByteBuffer actual = Elements.buffer(2 * Block.ELEMENTS);
    int[] nearMiddle = {-1, 0, 1, (1 << shift - 1) - 1, 1 << shift - 1, (1 << shift - 1) + 1};
    for (long upper = 0; upper < 1L << 32; upper += (long) Block.ELEMENTS << shift) {
      for (int lower : nearMiddle) {
        for (int i = 0; i < Block.ELEMENTS; i++) {
          block[i] = Float.intBitsToFloat((int) upper + (i << shift) + lower);
        }
        plain.write(expected, 0, block, Block.ELEMENTS);
        vectors.write(actual, 0, block, Block.ELEMENTS);
        assertEquals(expected, actual, () -> "from bits " + block[0]);
      }
    }
  }
}
