// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.bench.Comparison;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A run too short for its figures to mean anything: they must be there, on both sides. 64 KiB, so
 * that both sides have fragments, and bundles that are full. MPerf alone: UPerf's calls wait for
 * their answers without a limit, and over stock TCP on a host 20 times too busy one of eight runs
 * had calls without an answer.
 *
 * <p>Also tests {@link GroupMetric}, {@link PerfCommand}, {@link PerfGroup}, {@link PerfMember},
 * {@link PerfProcess} and {@link Scores}.
 */
@Tag("namespaces")
class JGroupsBenchTest {
  private static final int SECOND = 1;

  @Test
  void shouldMeasureBothSides() {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    Assumptions.assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle);
    GroupBenchPlan plan =
        new GroupBenchPlan(
            1,
            SECOND,
            SECOND,
            1,
            new BenchCases(List.of(PerfKind.MPERF), List.of(65536), 2, 80),
            BenchTuning.NONE,
            Side.MESH);
    List<String> steps = new ArrayList<>();

    GroupBenchReport report;
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      report =
          new JGroupsBench(fabric, plan, NodeJvm.withTimeout(20_000), Optional.empty(), steps::add)
              .run();
    }

    assertEquals(
        List.of(
            "MPerf 64 KiB throughput",
            "MPerf 64 KiB delivery p50",
            "MPerf 64 KiB delivery p99",
            "MPerf 64 KiB processors"),
        report.cases().stream().map(Comparison::name).toList());
    for (Comparison each : report.cases()) {
      assertTrue(each.ours().get(0) > 0 && each.peer().get(0) > 0, each.toString());
      assertTrue(Double.isFinite(each.ratios().get(0)), each.toString());
    }
    assertEquals(
        2, steps.stream().filter(step -> step.contains("MPerf 64 KiB")).count(), steps.toString());
  }
}
