// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.ReduceOp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Also tests {@link Duel}, {@link HeapLoop}, {@link HeapDoubles}, {@link HeapFloats}, {@link
 * HeapInts}, {@link HeapLongs}, {@link KernelFigure}, {@link KernelMain}, {@link KernelPlan} and
 * {@link KernelReport}.
 */
class KernelBenchTest {
  @Test
  void shouldMeasureEachKernelBesideALoop() {
    List<KernelFigure> figures = new ArrayList<>();

    new KernelMain(new KernelPlan(1, 1), figures::add).run();

    Stream.of("F32 PROD", "F64 MAX", "I32 XOR", "I64 SUM", "U8 MIN", "BF16 SUM", "F16 in F32 SUM")
        .forEach(
            name -> assertTrue(figures.stream().anyMatch(each -> each.name().equals(name)), name));
    for (KernelFigure each : figures) {
      assertTrue(each.kernel() > 0 && each.heap() > 0 && each.ratio() > 0, each::toString);
      assertEquals(each, KernelFigure.parse(each.line()));
    }
  }

  @Test
  void shouldLoopAsTheKernelsDo() {
    byte[] a = {1, -1, 5};
    HeapBytes.fold(ReduceOp.MAX, a, new byte[] {-1, 1, 4}, true);
    assertArrayEquals(new byte[] {-1, -1, 5}, a);
    HeapBytes.fold(ReduceOp.MIN, a, new byte[] {1, -2, 6}, false);
    assertArrayEquals(new byte[] {-1, -2, 5}, a);
    short[] brains = {0x3F80, (short) 0xBF80, 0x7FC0};
    HeapBrains.sum(brains, new short[] {0x3F80, 0x3F80, 0});
    assertArrayEquals(new short[] {0x4000, 0, 0x7FC0}, brains);
  }

  @Test
  void shouldRefuseLinesAndPlansThatAreNone() {
    assertThrows(IllegalArgumentException.class, () -> KernelFigure.parse("17\tblocks"));
    assertThrows(IllegalArgumentException.class, () -> new KernelPlan(0, 1));
    assertThrows(IllegalArgumentException.class, () -> new KernelPlan(1, 0));
  }

  @Test
  @Tag("slow")
  void shouldMeasureInJvmsOfTheirOwn() throws IOException {
    List<String> lines = new ArrayList<>();

    KernelReport report = new KernelBench(new KernelPlan(1, 1), lines::add).run("this machine");

    assertTrue(!report.figures().isEmpty(), lines::toString);
    assertEquals("this machine", report.machine());
    assertEquals(1, report.kib());
  }
}
