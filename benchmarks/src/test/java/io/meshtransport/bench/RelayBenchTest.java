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
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A run too short for its figures to mean anything: they must be there, on both sides.
 *
 * <p>Also tests {@link RelayedEnd}, {@link CopiedSocketEnd} and {@link KernelForwarding}.
 */
@Tag("namespaces")
class RelayBenchTest {
  private static final double SHORT = 0.2;
  private static final double COLD = 0;
  private static final NodeJvm JVM = NodeJvm.withTimeout(20_000);

  @Test
  void shouldMeasureARelayedChannelBesideADirectOne() {
    assertMeasured("unlimited", "over 1 node, unlimited MB/s");
  }

  /** Over the cable and over the node between at the same time. */
  @Test
  @EnabledIfSystemProperty(
      named = "mesh.test.long",
      matches = "true",
      disabledReason = "as long as the case above; -Dmesh.test.long=true makes it")
  void shouldMeasureAChannelOverBothPathsBesideOneOverACable() {
    assertMeasured("over a cable and a relay", "over a cable and a relay, 1 Gb/s MB/s");
  }

  private static void assertMeasured(String only, String measured) {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    Assumptions.assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle);
    BenchPlan plan = new BenchPlan(1, SHORT, COLD, only);

    BenchReport report =
        new RelayBench(plan, PeerPrograms.presentForRelay(), JVM, step -> {}).run();

    assertEquals(
        List.of(measured),
        report.cases().stream().map(each -> each.name() + " " + each.unit()).distinct().toList());
    report.cases().forEach(each -> assertTrue(each.ours() > 0 && each.peer() > 0, each.toString()));
  }
}
