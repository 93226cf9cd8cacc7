// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What MLX's {@code mlx.core.distributed} offers, by its names: a group of three has the
 * counterpart of each, as the table of COLLECTIVES.md says.
 */
@Tag("slow")
class DistributedModuleTest {
  private static final int SIZE = 3;

  private static LoopbackGroup members;

  @BeforeAll
  static void join() throws Exception {
    members = LoopbackGroup.line(SIZE);
  }

  @AfterAll
  static void close() throws Exception {
    members.close();
  }

  /** Rank r has r + 1, 10 (r + 1), 100 - r. */
  private static float[] of(Group group) {
    int rank = group.rank();
    return new float[] {rank + 1, 10 * (rank + 1), 100 - rank};
  }

  private static void assertOnEachRank(float[] expected, LoopbackGroup.Step<float[]> step)
      throws Exception {
    for (float[] result : members.together(step)) {
      assertArrayEquals(expected, result);
    }
  }

  private static LoopbackGroup.Step<float[]> reduced(ReduceOp op) {
    return group -> {
      float[] values = of(group);
      group.allReduce(values, op);
      return values;
    };
  }

  @Test
  void allSum() throws Exception {
    assertOnEachRank(new float[] {6, 60, 297}, reduced(ReduceOp.SUM));
  }

  @Test
  void allMax() throws Exception {
    assertOnEachRank(new float[] {3, 30, 100}, reduced(ReduceOp.MAX));
  }

  @Test
  void allMin() throws Exception {
    assertOnEachRank(new float[] {1, 10, 98}, reduced(ReduceOp.MIN));
  }

  @Test
  void sumScatter() throws Exception {
    List<float[]> blocks = members.together(group -> group.reduceScatter(of(group), ReduceOp.SUM));

    assertArrayEquals(new float[] {6}, blocks.get(0));
    assertArrayEquals(new float[] {60}, blocks.get(1));
    assertArrayEquals(new float[] {297}, blocks.get(2));
  }

  @Test
  void allGather() throws Exception {
    assertOnEachRank(
        new float[] {1, 10, 100, 2, 20, 99, 3, 30, 98}, group -> group.allGather(of(group)));
  }

  /** From rank 2 to rank 0, over rank 1, which has its own still. */
  @Test
  void sendAndRecv() throws Exception {
    List<Float> first =
        members.together(
            group -> {
              ByteBuffer bytes = ByteBuffer.allocate(12).order(ByteOrder.nativeOrder());
              bytes.asFloatBuffer().put(of(group));
              group.sendReceive(bytes, 2, 0);
              return bytes.getFloat(0);
            });

    assertEquals(List.of(3f, 2f, 3f), first);
  }

  /** As long as what the receiver has, which it keeps. */
  @Test
  void recvLike() throws Exception {
    List<Float> firstAndOwn =
        members.together(
            group -> {
              float[] own = of(group);
              ByteBuffer like =
                  ByteBuffer.allocate(own.length * Float.BYTES).order(ByteOrder.nativeOrder());
              like.asFloatBuffer().put(own);
              group.sendReceive(like, 0, 2);
              return like.getFloat(0) + 1000 * own[0];
            });

    assertEquals(List.of(1001f, 2002f, 3001f), firstAndOwn);
  }

  /** A group always is {@code strict}: no member goes on alone because others are missing. */
  @Test
  void init() throws Exception {
    try (Transport alone = LoopbackGroup.transport(7, List.of(1))) {
      GroupSpec pair = GroupSpec.named("pair").size(2);
      CollectiveException missing =
          assertThrows(
              CollectiveException.class,
              () -> Group.join(alone, pair, Rendezvous.inProcess(), Duration.ofMillis(300)));
      assertEquals(CollectiveException.Reason.TIMED_OUT, missing.reason());
    }
  }

  /** A backend is a provider of verbs; one that is missing is named, with those that there are. */
  @Test
  void isAvailable() {
    TransportException missing =
        assertThrows(
            TransportException.class,
            () -> Transport.open(Map.of("MESH_PROVIDER", "mpi", "MESH_LOOPBACK", "127.78.1.9/24")));
    assertTrue(missing.getMessage().contains("soft"), missing.getMessage());
  }

  @Test
  void rankAndSize() throws Exception {
    assertEquals(List.of(0, 1, 2), members.together(Group::rank));
    assertEquals(List.of(SIZE, SIZE, SIZE), members.together(Group::size));
  }

  /** The first two, ranked the other way round, and the last one alone. */
  @Test
  void split() throws Exception {
    List<String> parts =
        members.together(
            group -> {
              int color = group.rank() / 2;
              try (Group part = group.split(color, -group.rank(), LoopbackGroup.SOON)) {
                float[] values = of(group);
                part.allReduce(values, ReduceOp.SUM);
                return part.rank() + " of " + part.size() + ": " + values[0];
              }
            });

    assertEquals(List.of("1 of 2: 3.0", "0 of 2: 3.0", "0 of 1: 3.0"), parts);
  }
}
