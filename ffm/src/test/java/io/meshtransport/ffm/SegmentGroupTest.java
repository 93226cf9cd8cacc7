// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.Transport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * {@link SegmentGroup} on three ranks, with {@link SegmentRegistrar} and {@link SegmentCollective}
 * below the prepared forms, {@link SegmentBytes} and {@link Segments} below the others.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SegmentGroupTest {
  private static final int SIZE = 3;
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final CollectiveOptions OPTIONS = CollectiveOptions.DEFAULT;

  /** Too long for one shot. */
  private static final int MANY = 300_001;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Transport> transports = new ArrayList<>();
  private List<Group> groups;

  @BeforeAll
  void join() throws Exception {
    for (int i = 1; i <= SIZE; i++) {
      transports.add(
          Transport.open(
              Map.of(
                  "MESH_PROVIDER",
                  "soft",
                  "MESH_LOOPBACK",
                  "127.77.16." + i + "/24",
                  "MESH_NODE",
                  "node-" + i,
                  "MESH_HANDSHAKE_PORT",
                  "0")));
    }
    Rendezvous rendezvous = Rendezvous.inProcess();
    GroupSpec spec = GroupSpec.named("segments").size(SIZE);
    groups = all(i -> Group.join(transports.get(i), spec, rendezvous, SOON));
  }

  @AfterAll
  void leave() throws Exception {
    all(
        i -> {
          groups.get(i).close();
          return null;
        });
    transports.forEach(Transport::close);
    threads.shutdownNow();
  }

  private interface Indexed<T> {
    T run(int index) throws Exception;
  }

  private <T> List<T> all(Indexed<T> step) throws Exception {
    List<Future<T>> futures = new ArrayList<>();
    for (int i = 0; i < SIZE; i++) {
      int index = i;
      futures.add(threads.submit((Callable<T>) () -> step.run(index)));
    }
    List<T> results = new ArrayList<>();
    for (Future<T> each : futures) {
      results.add(each.get(60, TimeUnit.SECONDS));
    }
    return results;
  }

  private interface Step {
    void run(SegmentGroup group, MeshArena arena) throws Exception;
  }

  /** On every rank, each with an arena, which can be closed at the end. */
  private void together(Step step) throws Exception {
    all(
        rank -> {
          try (MeshArena arena = MeshArena.ofShared()) {
            step.run(SegmentGroup.of(groups.get(rank), transports.get(rank), arena), arena);
          }
          return null;
        });
  }

  private static int value(int rank, int i) {
    return (rank + 1) * 1_000_003 + i * 7;
  }

  private static void fill(MemorySegment segment, int rank) {
    for (int i = 0; i < segment.byteSize() / 4; i++) {
      segment.setAtIndex(JAVA_INT, i, value(rank, i));
    }
  }

  private static MemorySegment filled(MeshArena arena, int count, int rank) {
    MemorySegment segment = arena.allocate(4L * count, 64);
    fill(segment, rank);
    return segment;
  }

  private static int sum(int i) {
    return value(0, i) + value(1, i) + value(2, i);
  }

  private static void run(Collective operation) throws Exception {
    operation.run(SOON);
    operation.close();
  }

  @Test
  void shouldReducePreparedSegments() throws Exception {
    together(
        (segments, arena) -> {
          int rank = segments.group().rank();
          for (int count : new int[] {0, 5, MANY}) {
            MemorySegment from = filled(arena, count, rank);
            MemorySegment to = arena.allocate(4L * count, 64);
            run(segments.allReduce(from, to, DataType.I32, ReduceOp.SUM, OPTIONS));
            for (int i = 0; i < count; i++) {
              assertEquals(sum(i), to.getAtIndex(JAVA_INT, i));
            }
            run(segments.reduce(from, from, DataType.I32, ReduceOp.SUM, 1, OPTIONS));
            for (int i = 0; i < count; i++) {
              assertEquals(rank == 1 ? sum(i) : value(rank, i), from.getAtIndex(JAVA_INT, i));
            }
            run(segments.broadcast(from, 1, OPTIONS));
            run(segments.sendReceive(from, 0, 2, OPTIONS));
            for (int i = 0; i < count; i++) {
              assertEquals(sum(i), from.getAtIndex(JAVA_INT, i));
            }
          }
        });
  }

  @Test
  void shouldMoveBlocksOfPreparedSegments() throws Exception {
    together(
        (segments, arena) -> {
          int rank = segments.group().rank();
          int count = MANY / SIZE;
          MemorySegment all = filled(arena, SIZE * count, rank);
          MemorySegment mine = arena.allocate(4L * count, 64);
          run(segments.reduceScatter(all, mine, DataType.I32, ReduceOp.SUM, OPTIONS));
          for (int i = 0; i < count; i++) {
            assertEquals(sum(rank * count + i), mine.getAtIndex(JAVA_INT, i));
          }
          MemorySegment exchanged = arena.allocate(4L * SIZE * count, 64);
          run(segments.allToAll(all, exchanged, OPTIONS));
          for (int i = 0; i < SIZE * count; i++) {
            int expected = value(i / count, rank * count + i % count);
            assertEquals(expected, exchanged.getAtIndex(JAVA_INT, i));
          }
          // In place: this rank's block of all is what it sends.
          MemorySegment block = all.asSlice(4L * rank * count, 4L * count);
          fill(block, rank);
          run(segments.allGather(block, all, OPTIONS));
          for (int i = 0; i < SIZE * count; i++) {
            assertEquals(value(i / count, i % count), all.getAtIndex(JAVA_INT, i));
          }
        });
  }

  @Test
  void shouldKeepTheArenaOpenWhilePrepared() throws Exception {
    together(
        (segments, arena) -> {
          MemorySegment values = filled(arena, 3, segments.group().rank());
          Collective sum = segments.allReduce(values, DataType.I32, ReduceOp.SUM, OPTIONS);
          assertTrue(sum.plan().contains("all-reduce of 3 I32"), sum.plan());
          assertThrows(IllegalStateException.class, arena::close);
          sum.start(SOON.toNanos());
          assertTrue(sum.test() || sum.await(SOON));
          assertEquals(sum(2), values.getAtIndex(JAVA_INT, 2));
          sum.close();
          assertEquals(0, arena.registrations());
        });
  }

  @Test
  void shouldDoAnySegmentOnce() throws Exception {
    together(
        (segments, arena) -> {
          int rank = segments.group().rank();
          float[] floats = {rank, 0.5f};
          segments.allReduce(MemorySegment.ofArray(floats), DataType.F32, ReduceOp.MAX);
          assertArrayEquals(new float[] {2, 0.5f}, floats);
          byte[] bytes = {(byte) rank, 1};
          segments.reduce(MemorySegment.ofArray(bytes), DataType.I8, ReduceOp.SUM, 2);
          assertArrayEquals(rank == 2 ? new byte[] {3, 3} : new byte[] {(byte) rank, 1}, bytes);
          try (Arena confined = Arena.ofConfined()) {
            MemorySegment all = confined.allocate(JAVA_INT, SIZE);
            int[] mine = {rank + 10};
            segments.allGather(MemorySegment.ofArray(mine).asReadOnly(), all);
            assertArrayEquals(new int[] {10, 11, 12}, all.toArray(JAVA_INT));
            segments.reduceScatter(all, MemorySegment.ofArray(mine), DataType.I32, ReduceOp.SUM);
            assertEquals(3 * (10 + rank), mine[0]);
            int[] got = new int[SIZE];
            segments.allToAll(all, MemorySegment.ofArray(got));
            assertArrayEquals(new int[] {10 + rank, 10 + rank, 10 + rank}, got);
            segments.broadcast(rank == 1 ? all.asReadOnly() : all, 1);
            segments.sendReceive(MemorySegment.ofArray(mine), 2, 0);
            assertEquals(rank == 0 ? 36 : 3 * (10 + rank), mine[0]);
          }
        });
  }

  private static void assertRefused(String text, Executable step) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> step.run());
    assertTrue(refused.getMessage().contains(text), refused.getMessage());
  }

  private interface Executable {
    void run() throws Exception;
  }

  @Test
  void shouldRefuseSegmentsThatCannotBe() throws Exception {
    Group group = groups.get(0);
    try (MeshArena arena = MeshArena.ofShared();
        Arena other = Arena.ofShared()) {
      SegmentGroup segments = SegmentGroup.of(group, transports.get(0), arena);
      MemorySegment eight = arena.allocate(8);
      DataType type = DataType.I32;
      ReduceOp sum = ReduceOp.SUM;
      assertRefused(
          "another arena", () -> segments.allReduce(other.allocate(8), type, sum, OPTIONS));
      assertRefused("read-only", () -> segments.allReduce(eight.asReadOnly(), type, sum, OPTIONS));
      assertRefused(
          "heap", () -> segments.broadcast(MemorySegment.ofArray("a".getBytes()), 0, OPTIONS));
      assertRefused(
          "6 bytes are no whole number of I32",
          () -> segments.allReduce(eight.asSlice(0, 6), type, sum, OPTIONS));
      assertRefused(
          "the result has 4 bytes; it must have 8",
          () -> segments.reduce(eight, eight.asSlice(0, 4), type, sum, 0, OPTIONS));
      assertRefused("must have 24", () -> segments.allGather(eight, eight, OPTIONS));
      assertRefused("must divide them", () -> segments.allToAll(eight, eight, OPTIONS));
      MemorySegment twelve = arena.allocate(12);
      assertRefused(
          "overlap",
          () -> segments.allReduce(twelve.asSlice(0, 8), twelve.asSlice(4, 8), type, sum, OPTIONS));
      assertRefused("read-only", () -> segments.allReduce(eight.asReadOnly(), type, sum));
      assertEquals(0, arena.registrations());
    }
  }
}
