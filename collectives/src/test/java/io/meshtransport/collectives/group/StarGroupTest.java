// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.exec.Blueprint;
import io.meshtransport.collectives.exec.FloodProgram;
import io.meshtransport.collectives.exec.TreeProgram;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.PlanFile;
import io.meshtransport.collectives.plan.Planner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sums on full meshes of cables that are not quite equal: short and long ones have the same bits.
 */
class StarGroupTest {
  private static final int LONG = 300_001;
  private static final int[] COUNTS = {1, 16, 5_000, 40_000, LONG};
  private static final long GIGABIT = 125_000_000;

  /** Every third cable has a part of the rate. */
  private static CollectivePlan mesh(int size, double some) {
    List<String> names = new ArrayList<>();
    List<GraphLink> links = new ArrayList<>();
    for (int one = 0; one < size; one++) {
      names.add("node-" + (char) ('a' + one));
      for (int other = one + 1; other < size; other++) {
        double rate = links.size() % 3 == 2 ? some : 1;
        links.add(new GraphLink(one, other, (long) (rate * GIGABIT), 16_384));
      }
    }
    return Planner.plan(new LinkGraph(names, links), Planner.FOLD_BYTES_PER_SECOND);
  }

  private static Blueprint sum(CollectivePlan plan, int count) {
    return new Planning(plan, new JoinedGraph(plan.size(), List.of()))
        .blueprint(
            OperationSpec.of(
                OperationSpec.Kind.ALL_REDUCE,
                count,
                DataType.F32,
                ReduceOp.SUM,
                -1,
                CollectiveOptions.DEFAULT));
  }

  @ParameterizedTest
  @CsvSource({"4, 1", "4, 0.9375", "5, 1", "5, 0.9375", "8, 1", "8, 0.9375"})
  void shouldAddInTheOrderOfRanksAtAnySize(int size, double some) {
    CollectivePlan plan = mesh(size, some);
    assertInstanceOf(FloodProgram.class, sum(plan, 1).program());
    assertInstanceOf(TreeProgram.class, sum(plan, LONG).program());
    for (int count : COUNTS) {
      assertTrue(sum(plan, count).program().isInRankOrder(), count + " elements");
    }
  }

  @Test
  void shouldSayWhereItDoesNot() {
    CollectivePlan plan = mesh(4, 0.25);
    boolean isInOrder = sum(plan, LONG).program().isInRankOrder();
    assertEquals(!isInOrder, plan.explain().contains("may be rounded differently"));
    assertEquals(false, isInOrder, plan.explain());
  }

  private static float[] uneven(int rank, int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = Math.scalb((i & 1) - 0.5f, (i * 31 + rank * 17) % 29) / 3;
    }
    return values;
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(ints = {4, 5, 8})
  void shouldHaveTheBitsOfALoopAtAnySize(int size, @TempDir Path folder) throws Exception {
    Path file = folder.resolve("plan");
    PlanFile.write(file, mesh(size, 0.9375));
    float[] sums = uneven(0, LONG);
    for (int rank = 1; rank < size; rank++) {
      float[] values = uneven(rank, LONG);
      for (int i = 0; i < LONG; i++) {
        sums[i] += values[i];
      }
    }
    try (LoopbackGroup mesh =
        LoopbackGroup.planned(Collections.nCopies(size, List.of(1)), file.toString())) {
      mesh.together(
          group -> {
            for (int count : COUNTS) {
              float[] values = uneven(group.rank(), count);
              group.allReduce(values, ReduceOp.SUM);
              assertArrayEquals(Arrays.copyOf(sums, count), values, count + " elements");
            }
            return null;
          });
    }
  }
}
