// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.exec.DoublingProgram;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.PlanFile;
import io.meshtransport.collectives.plan.Planner;
import io.meshtransport.spi.RegisteredMemory;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link DoublingProgram} of a whole group: a ring of four, with the plan of hosts that have a
 * processor for each rank.
 */
@Tag("slow")
class DoublingGroupTest {
  private static final int COUNT = 2_000;
  private static final int RUNS = 20;

  /** Each rank is on the cable with its number and on that of the rank before. */
  private static final List<List<Integer>> CABLES =
      List.of(List.of(1, 4), List.of(1, 2), List.of(2, 3), List.of(3, 4));

  private static CollectivePlan plan() {
    List<GraphLink> links =
        List.of(
            new GraphLink(0, 1, 1_250_000_000, 16_384),
            new GraphLink(1, 2, 1_250_000_000, 16_384),
            new GraphLink(2, 3, 1_250_000_000, 16_384),
            new GraphLink(0, 3, 1_250_000_000, 16_384));
    List<String> names = List.of("node-a", "node-b", "node-c", "node-d");
    return Planner.plan(new LinkGraph(names, links), Planner.FOLD_BYTES_PER_SECOND);
  }

  private static float value(int rank, int run, int i) {
    return Math.scalb((i & 1) - 0.5f, (i * 31 + rank * 17 + run) % 29) / 3;
  }

  @Test
  void shouldAddPairsOfPairs(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("plan");
    PlanFile.write(file, plan());
    try (LoopbackGroup ring = LoopbackGroup.planned(CABLES, file.toString())) {
      ring.together(
          group -> {
            try (RegisteredMemory memory = group.allocate(4L * COUNT);
                Collective sum =
                    group.allReduce(
                        memory, 0, COUNT, DataType.F32, ReduceOp.SUM, CollectiveOptions.DEFAULT)) {
              assertTrue(sum.plan().contains("pairs exchange"), sum.plan());
              FloatBuffer floats =
                  memory.segments().get(0).order(ByteOrder.nativeOrder()).asFloatBuffer();
              for (int run = 0; run < RUNS; run++) {
                run(sum, floats, group.rank(), run);
              }
            }
            return null;
          });
    }
  }

  private static void run(Collective sum, FloatBuffer floats, int rank, int run) throws Exception {
    float[] expected = new float[COUNT];
    for (int i = 0; i < COUNT; i++) {
      floats.put(i, value(rank, run, i));
      float first = value(0, run, i) + value(1, run, i);
      expected[i] = first + (value(2, run, i) + value(3, run, i));
    }
    sum.run(LoopbackGroup.SOON);
    float[] got = new float[COUNT];
    floats.get(0, got);
    assertArrayEquals(expected, got, "run " + run);
  }
}
