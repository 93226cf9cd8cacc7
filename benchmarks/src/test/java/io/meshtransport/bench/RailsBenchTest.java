// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run too short for its figures to mean anything: they must be there, on both sides. */
@Tag("namespaces")
class RailsBenchTest {
  private static final double SHORT = 0.2;
  private static final double COLD = 0;

  @Test
  void shouldMeasureTwoCablesBesideOne() {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    Assumptions.assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle);
    BenchPlan plan = new BenchPlan(1, SHORT, COLD, "two cables");

    BenchReport report = new RailsBench(plan, NodeJvm.withTimeout(20_000), step -> {}).run();

    assertEquals(
        List.of("two cables of 1 Gb/s"),
        report.cases().stream().map(BenchReport.Case::name).toList());
    BenchReport.Case only = report.cases().get(0);
    assertTrue(only.ours() > 0 && only.peer() > 0, only.toString());
    // A cable of 1 Gb/s carries 125 MB/s; tbf lets a bucket of 256 KiB through besides.
    assertTrue(only.peer() < 200, "the cables are limited: " + only);
  }
}
