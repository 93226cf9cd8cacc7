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
 * <p>Also tests {@link PollerConnections}.
 */
@Tag("namespaces")
class ConnectionsBenchTest {
  private static final double COLD = 0;

  /** An end whose clock starts late measures something all the same. */
  private static final double SHORT = 0.5;

  private static final NodeJvm JVM = NodeJvm.withTimeout(20_000);

  @Test
  void shouldMeasureOursBesideNetty() {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    Assumptions.assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle);
    BenchPlan plan = new BenchPlan(1, SHORT, COLD, "");

    BenchReport report = new ConnectionsBench(List.of(1, 30), plan, JVM, step -> {}).run();

    assertEquals(
        List.of(
            "1 connection MB/s",
            "1 connection CPU us/message",
            "30 connections MB/s",
            "30 connections CPU us/message"),
        report.cases().stream().map(each -> each.name() + " " + each.unit()).distinct().toList());
    // Beside Netty, and beside a socket that acknowledges.
    assertEquals(8, report.cases().size());
    report.cases().forEach(each -> assertTrue(each.ours() > 0 && each.peer() > 0, each.toString()));
  }

  @Test
  void shouldRefuseANumberOutOfBounds() {
    BenchPlan plan = new BenchPlan(1, 1, 1, "");

    assertThrows(
        IllegalArgumentException.class,
        () -> new ConnectionsBench(List.of(0), plan, JVM, step -> {}));
    assertThrows(
        IllegalArgumentException.class,
        () -> new ConnectionsBench(List.of(5000), plan, JVM, step -> {}));
  }
}
