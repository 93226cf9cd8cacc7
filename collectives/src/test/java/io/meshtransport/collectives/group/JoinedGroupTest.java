// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.PlanFile;
import io.meshtransport.collectives.plan.Planner;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@link MeshGroup}s over transports in one process, made by {@link MeshGroupProvider}: {@link
 * GroupJoin} with its {@link Neighbourhood}, {@link Reception} and {@link Deadline}, then {@link
 * LinkProbe} and {@link PlanExchange}, and {@link Preparation} over {@link MemberLinks}. {@link
 * MeshRendezvous} needs nodes with cables, which CollectiveMeshTest has.
 */
@Tag("slow")
class JoinedGroupTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8})
  void shouldSumOnEveryRank(int size) throws Exception {
    try (LoopbackGroup loopback = LoopbackGroup.mesh(size)) {
      List<Float> sums =
          loopback.together(
              group -> {
                RegisteredMemory memory = group.allocate(1 << 20);
                try (memory;
                    Collective sum =
                        group.allReduce(
                            memory,
                            0,
                            1 << 18,
                            DataType.F32,
                            ReduceOp.SUM,
                            CollectiveOptions.DEFAULT)) {
                  for (int run = 0; run < 3; run++) {
                    for (int i = 0; i < 1 << 18; i++) {
                      memory
                          .segments()
                          .get(0)
                          .putInt(
                              4 * i, Integer.reverseBytes(Float.floatToIntBits(group.rank() + 1)));
                    }
                    sum.run(LoopbackGroup.SOON);
                  }
                  return Float.intBitsToFloat(
                      Integer.reverseBytes(memory.segments().get(0).getInt(12345 * 4)));
                }
              });
      for (float each : sums) {
        assertEquals(size * (size + 1) / 2f, each);
      }
    }
  }

  @Test
  void shouldUseThePlanThatItsTransportWasOpenedWith(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("plan");
    LinkGraph graph = new LinkGraph(List.of("node-a"), List.of());
    CollectivePlan plan = Planner.plan(graph, 12_345);
    PlanFile.write(file, plan);
    try (Transport transport = LoopbackGroup.transport(0, List.of(1), file.toString());
        Group alone =
            Group.join(
                transport,
                GroupSpec.named("pinned").size(1),
                Rendezvous.inProcess(),
                LoopbackGroup.SOON);
        Group again = alone.split(0, 0, LoopbackGroup.SOON)) {
      String hash = "%016x".formatted(plan.hash());
      assertTrue(plan(alone).contains(hash), plan(alone));
      assertFalse(plan(again).contains(hash), "it has members of its own");
    }
  }

  /** Under the words that it has while the members are not known yet. */
  @Test
  void shouldLogOnceWhoIsThere() throws Exception {
    try (JoinLines again = new JoinLines("group 'test' of 2 members [node-a, node-b]");
        JoinLines lines = new JoinLines("group 'test' of 2 members");
        LoopbackGroup pair = LoopbackGroup.mesh(2)) {
      assertEquals(2, pair.groups.size());
      assertTrue(
          lines.get().contains("INFO group 'test' of 2 members: 2 are there: [node-a, node-b]"),
          "" + lines.get());
      assertEquals(List.of(), again.get());
    }
  }

  private static String plan(Group group) throws CollectiveException {
    try (Collective barrier = group.barrier(CollectiveOptions.DEFAULT)) {
      return barrier.plan();
    }
  }

  @Test
  void shouldSumArrays() throws Exception {
    try (LoopbackGroup loopback = LoopbackGroup.mesh(3)) {
      loopback.together(
          group -> {
            double[] values = {group.rank(), 1, -2.5};
            group.timeout(Duration.ofSeconds(10));
            group.allReduce(values, ReduceOp.SUM);
            assertArrayEquals(new double[] {3, 3, -7.5}, values);
            group.barrier();
            assertTrue(group.describe().contains("[node-a, node-b, node-c]"), group.describe());
            return null;
          });
    }
  }
}
