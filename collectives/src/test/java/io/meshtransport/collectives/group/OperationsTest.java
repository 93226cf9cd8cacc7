// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.testing.AllocationCounter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Every kind of {@link PreparedOperation}, and {@link io.meshtransport.collectives.OneOff} by
 * {@link OneOffForms}, on a line of three, whose ends have no cable to each other.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperationsTest {
  private static final int SIZE = 3;
  private static final CollectiveOptions OPTIONS = CollectiveOptions.DEFAULT;

  /** Elements: shorter and longer than one shot, not divisible by anything. */
  private static final List<Integer> COUNTS = List.of(0, 1, 1001, 300_007);

  private LoopbackGroup line;

  @BeforeAll
  void join() throws Exception {
    line = LoopbackGroup.line(SIZE);
  }

  @AfterAll
  void close() {
    line.close();
  }

  private static int value(int rank, int i) {
    return (rank + 1) * 1_000_003 + i * 7;
  }

  private static int[] values(int rank, int from, int count) {
    int[] values = new int[count];
    Arrays.setAll(values, i -> value(rank, from + i));
    return values;
  }

  private static int[] sums(int from, int count) {
    int[] sums = new int[count];
    for (int rank = 0; rank < SIZE; rank++) {
      for (int i = 0; i < count; i++) {
        sums[i] += value(rank, from + i);
      }
    }
    return sums;
  }

  private static void fill(RegisteredMemory memory, int[] values) {
    memory
        .segments()
        .get(0)
        .duplicate()
        .clear()
        .order(ByteOrder.nativeOrder())
        .asIntBuffer()
        .put(values);
  }

  private static int[] read(RegisteredMemory memory, int count) {
    int[] values = new int[count];
    memory
        .segments()
        .get(0)
        .duplicate()
        .clear()
        .order(ByteOrder.nativeOrder())
        .asIntBuffer()
        .get(values);
    return values;
  }

  private interface Prepare {
    Collective on(Group group, RegisteredMemory from, RegisteredMemory to) throws Exception;
  }

  private interface Expect {
    int[] of(int rank);
  }

  /** Twice, as the second run uses what the first left. */
  private void check(int sent, int received, Prepare prepare, Expect expect) throws Exception {
    line.together(
        group -> {
          RegisteredMemory from = group.allocate(4L * Math.max(1, sent));
          RegisteredMemory to = group.allocate(4L * Math.max(1, received));
          try (from;
              to;
              Collective operation = prepare.on(group, from, to)) {
            for (int run = 0; run < 2; run++) {
              fill(from, values(group.rank(), 0, sent));
              operation.run(LoopbackGroup.SOON);
              int[] expected = expect.of(group.rank());
              assertArrayEquals(expected, read(to, expected.length), operation.plan());
            }
          }
          return null;
        });
  }

  @Test
  void shouldReduceToAll() throws Exception {
    for (int n : COUNTS) {
      check(
          n,
          n,
          (group, from, to) ->
              group.allReduce(from, 0, to, 0, n, DataType.I32, ReduceOp.SUM, OPTIONS),
          rank -> sums(0, n));
    }
  }

  @Test
  void shouldReduceToOne() throws Exception {
    for (int n : COUNTS) {
      check(
          n,
          n,
          (group, from, to) ->
              group.reduce(from, 0, to, 0, n, DataType.I32, ReduceOp.SUM, 2, OPTIONS),
          rank -> rank == 2 ? sums(0, n) : new int[0]);
    }
  }

  @Test
  void shouldGatherAndScatter() throws Exception {
    for (int n : COUNTS) {
      check(
          n,
          SIZE * n,
          (group, from, to) -> group.allGather(from, 0, to, 0, n, DataType.I32, OPTIONS),
          rank -> {
            int[] all = new int[SIZE * n];
            Arrays.setAll(all, i -> value(i / n, i % n));
            return all;
          });
      check(
          SIZE * n,
          n,
          (group, from, to) ->
              group.reduceScatter(from, 0, to, 0, n, DataType.I32, ReduceOp.SUM, OPTIONS),
          rank -> sums(rank * n, n));
      check(
          SIZE * n,
          SIZE * n,
          (group, from, to) -> group.allToAll(from, 0, to, 0, n, DataType.I32, OPTIONS),
          rank -> {
            int[] all = new int[SIZE * n];
            Arrays.setAll(all, i -> value(i / n, rank * n + i % n));
            return all;
          });
    }
  }

  @Test
  void shouldBroadcastAndSendOverTheRankBetween() throws Exception {
    for (int n : COUNTS) {
      check(
          n,
          0,
          (group, from, to) -> group.broadcast(from, 0, n, DataType.I32, 0, OPTIONS),
          rank -> new int[0]);
      line.together(
          group -> {
            int[] values = values(group.rank(), 0, n);
            group.broadcast(values, 2);
            assertArrayEquals(values(2, 0, n), values);
            ByteBuffer buffer = ByteBuffer.allocate(4 * n).order(ByteOrder.nativeOrder());
            buffer.asIntBuffer().put(values(group.rank(), 0, n));
            group.sendReceive(buffer, 0, 2);
            int[] got = new int[n];
            buffer.asIntBuffer().get(got);
            assertArrayEquals(values(group.rank() == 2 ? 0 : group.rank(), 0, n), got);
            return null;
          });
    }
  }

  @Test
  void shouldDoArraysOnce() throws Exception {
    line.together(
        group -> {
          int rank = group.rank();
          float[] floats = {rank, 0.5f};
          group.allReduce(floats, ReduceOp.MAX);
          assertArrayEquals(new float[] {2, 0.5f}, floats);
          long[] longs = {rank, 10};
          group.reduce(longs, ReduceOp.SUM, 1);
          assertArrayEquals(rank == 1 ? new long[] {3, 30} : new long[] {rank, 10}, longs);
          assertArrayEquals(new int[] {0, 1, 2}, group.allGather(new int[] {rank}));
          assertArrayEquals(
              new double[] {3 * rank}, group.reduceScatter(new double[] {0, 1, 2}, ReduceOp.SUM));
          byte[] from = {(byte) (10 * rank), (byte) (10 * rank + 1), (byte) (10 * rank + 2)};
          assertArrayEquals(
              new byte[] {(byte) rank, (byte) (10 + rank), (byte) (20 + rank)},
              group.allToAll(from));
          RegisteredMemory memory = group.allocate(8);
          fill(memory, new int[] {rank, 7});
          group.allReduce(memory, 4, 1, DataType.I32, ReduceOp.PROD);
          assertArrayEquals(new int[] {rank, 343}, read(memory, 2));
          memory.close();
          group.barrier();
          return null;
        });
  }

  /** Whose sum depends on the order. */
  private static float[] uneven(int rank, int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) Math.pow(-1.1, (i * 31 + rank * 17) % 97);
    }
    return values;
  }

  /** Over trees, and in one shot: the root of a line of three gets all inputs as they are. */
  @Test
  void shouldGiveTheSameBitsOnEveryRankInEveryRunAndAtEverySize() throws Exception {
    List<float[]> results =
        line.together(
            group -> {
              float[] few = uneven(group.rank(), 16);
              group.allReduce(few, ReduceOp.SUM);
              float[] last = null;
              for (int run = 0; run < 3; run++) {
                float[] values = uneven(group.rank(), 400_000);
                group.allReduce(values, ReduceOp.SUM);
                assertArrayEquals(few, Arrays.copyOf(values, few.length));
                if (last != null) {
                  assertArrayEquals(last, values);
                }
                last = values;
              }
              return last;
            });
    assertArrayEquals(results.get(0), results.get(1));
    assertArrayEquals(results.get(0), results.get(2));
  }

  /** As {@code Math.min}, {@code Math.max} and {@code +} have them, in one shot and over trees. */
  @Test
  void shouldTreatNanAndNegativeZeroAsJavaDoes() throws Exception {
    for (int count : new int[] {3, 400_000}) {
      line.together(
          group -> {
            float zero = group.rank() == 1 ? -0.0f : 0.0f;
            float[] least = new float[count];
            least[0] = zero;
            least[1] = group.rank() == 2 ? Float.NaN : group.rank();
            float[] greatest = least.clone();
            float[] sum = new float[count];
            sum[0] = -0.0f;
            sum[1] = least[1];
            group.allReduce(least, ReduceOp.MIN);
            group.allReduce(greatest, ReduceOp.MAX);
            group.allReduce(sum, ReduceOp.SUM);
            assertEquals(Float.floatToIntBits(-0.0f), Float.floatToIntBits(least[0]));
            assertEquals(Float.floatToIntBits(0.0f), Float.floatToIntBits(greatest[0]));
            assertEquals(Float.floatToIntBits(-0.0f), Float.floatToIntBits(sum[0]));
            assertTrue(Float.isNaN(least[1]) && Float.isNaN(greatest[1]) && Float.isNaN(sum[1]));
            return null;
          });
    }
  }

  @Test
  void shouldSplitByColor() throws Exception {
    List<String> names =
        line.together(
            group -> {
              // The ends, which no cable joins, are not in one group.
              int color = group.rank() == 2 ? 1 : 0;
              try (Group part = group.split(color, -group.rank(), LoopbackGroup.SOON)) {
                int[] one = {1};
                part.allReduce(one, ReduceOp.SUM);
                return part.names() + " " + part.rank() + " " + one[0];
              }
            });
    assertEquals(List.of("[node-b, node-a] 1 2", "[node-b, node-a] 0 2", "[node-c] 0 1"), names);
  }

  @Test
  void shouldAllocateNothing() throws Exception {
    line.together(
        group -> {
          RegisteredMemory memory = group.allocate(1 << 20);
          try (memory;
              Collective small =
                  group.allReduce(memory, 0, 2, DataType.F32, ReduceOp.SUM, OPTIONS);
              Collective large =
                  group.allReduce(memory, 0, 1 << 18, DataType.F32, ReduceOp.SUM, OPTIONS)) {
            AllocationCounter counter = AllocationCounter.ofThisThread();
            HashSet<Long> passes = new HashSet<>();
            // Every rank runs as often, so each does all passes.
            for (int pass = 0; pass < 12; pass++) {
              passes.add(
                  counter.bytes(
                      () -> {
                        for (int i = 0; i < 100; i++) {
                          run(small);
                          run(large);
                        }
                      }));
            }
            assertTrue(passes.stream().anyMatch(each -> each < 200), () -> passes + " bytes");
          }
          return null;
        });
  }

  private static void run(Collective operation) throws Exception {
    operation.start(10_000_000_000L);
    assertTrue(operation.await(10_000_000_000L));
  }

  @Test
  void shouldRefuseWhatIsNoOperation() throws Exception {
    Group group = line.groups.get(0);
    try (RegisteredMemory memory = group.allocate(64)) {
      assertThrows(
          IllegalArgumentException.class,
          () -> group.allReduce(memory, 0, 17, DataType.F32, ReduceOp.SUM, OPTIONS));
      assertThrows(
          IllegalArgumentException.class,
          () -> group.allReduce(memory, 0, memory, 4, 8, DataType.F32, ReduceOp.SUM, OPTIONS));
      assertThrows(
          IllegalArgumentException.class,
          () -> group.broadcast(memory, 0, 1, DataType.F32, 3, OPTIONS));
      assertThrows(
          IllegalArgumentException.class,
          () -> group.allReduce(memory, 0, 1L << 62, DataType.F32, ReduceOp.SUM));
    }
  }
}
