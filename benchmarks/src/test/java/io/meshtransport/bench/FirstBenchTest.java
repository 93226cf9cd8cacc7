// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs too short for their figures to mean anything: they must be there, on both sides.
 *
 * <p>Also tests {@link FreshNodePairs}.
 */
@Tag("namespaces")
class FirstBenchTest {
  private static final NodeJvm JVM = NodeJvm.withTimeout(20_000);
  private static final BenchPlan PLAN = new BenchPlan(1, 1, 1, "");

  @Test
  void shouldMeasureOursBesideASocket() {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    Assumptions.assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle);

    BenchReport report = new FirstBench(64, PLAN, JVM, step -> {}).run();

    assertEquals(
        List.of("first 64 MiB s", "first 64 MiB CPU us/message"),
        report.cases().stream().map(each -> each.name() + " " + each.unit()).toList());
    report.cases().forEach(each -> assertTrue(each.ours() > 0 && each.peer() > 0, each.toString()));
  }

  @Test
  void shouldRefuseWhatIsNoWholeNumberOfLaps() {
    assertThrows(IllegalArgumentException.class, () -> new FirstBench(0, PLAN, JVM, step -> {}));
    assertThrows(IllegalArgumentException.class, () -> new FirstBench(65, PLAN, JVM, step -> {}));
  }
}
