// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.ReductionOrder;
import io.meshtransport.spi.RegisteredMemory;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@link ReductionOrder#RANK_ORDER} gives the bits of a loop over the ranks on different graphs: a
 * full mesh, and a line, whose plan adds partial sums.
 */
@Tag("slow")
class RankOrderTest {
  private static final int SIZE = 4;
  private static final int MANY = 300_001;
  private static final CollectiveOptions ORDERED =
      CollectiveOptions.DEFAULT.order(ReductionOrder.RANK_ORDER);

  private static float[] uneven(int rank, int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = Math.scalb((i & 1) - 0.5f, (i * 31 + rank * 17) % 29) / 3;
    }
    return values;
  }

  /** What a loop makes of the elements of all ranks. */
  private static float[] sums(int count) {
    return Arrays.copyOf(SUMS, count);
  }

  private static final float[] SUMS = allSums(MANY);

  private static float[] allSums(int count) {
    float[] sums = uneven(0, count);
    for (int rank = 1; rank < SIZE; rank++) {
      float[] values = uneven(rank, count);
      for (int i = 0; i < count; i++) {
        sums[i] += values[i];
      }
    }
    return sums;
  }

  /** By default another graph may have other bits, or this test would show nothing. */
  @Test
  void shouldHaveTheBitsOfALoopOverTheRanks() throws Exception {
    try (LoopbackGroup line = LoopbackGroup.line(SIZE)) {
      check(line);
      List<float[]> planned =
          line.together(
              group -> {
                group.order(ReductionOrder.SAME_PLAN);
                float[] values = uneven(group.rank(), MANY);
                group.allReduce(values, ReduceOp.SUM);
                return values;
              });
      assertArrayEquals(planned.get(0), planned.get(3));
      assertFalse(Arrays.equals(sums(MANY), planned.get(0)));
    }
    try (LoopbackGroup mesh = LoopbackGroup.mesh(SIZE)) {
      check(mesh);
    }
  }

  private static void check(LoopbackGroup loopback) throws Exception {
    loopback.together(
        group -> {
          int rank = group.rank();
          group.order(ReductionOrder.RANK_ORDER);
          assertEquals(ReductionOrder.RANK_ORDER, group.order());
          for (int count : new int[] {0, 16, MANY}) {
            float[] values = uneven(rank, count);
            group.allReduce(values, ReduceOp.SUM);
            assertArrayEquals(sums(count), values);
            values = uneven(rank, count);
            group.reduce(values, ReduceOp.SUM, 2);
            assertArrayEquals(rank == 2 ? sums(count) : uneven(rank, count), values);
            int block = count / SIZE;
            values = Arrays.copyOf(uneven(rank, count), SIZE * block);
            float[] mine = group.reduceScatter(values, ReduceOp.SUM);
            assertArrayEquals(Arrays.copyOfRange(SUMS, rank * block, (rank + 1) * block), mine);
          }
          RegisteredMemory memory = group.allocate(4L * MANY);
          try (memory;
              Collective sum =
                  group.allReduce(memory, 0, MANY, DataType.F32, ReduceOp.SUM, ORDERED)) {
            FloatBuffer floats =
                memory.segments().get(0).order(ByteOrder.nativeOrder()).asFloatBuffer();
            for (int run = 0; run < 2; run++) {
              floats.put(0, uneven(rank, MANY));
              sum.run(LoopbackGroup.SOON);
              float[] got = new float[MANY];
              floats.get(0, got);
              assertArrayEquals(sums(MANY), got, sum.plan());
            }
          }
          return null;
        });
  }
}
