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
 * <p>Also tests {@link RequestWaits}.
 */
@Tag("namespaces")
class CallsBenchTest {
  private static final double COLD = 0;

  /** More work than the snapshots of processor time are apart on a busy host. */
  private static final double SHORT = 0.5;

  private static final NodeJvm JVM = NodeJvm.withTimeout(20_000);

  @Test
  void shouldMeasureOursBesideASocketAndNetty() {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    Assumptions.assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle);
    BenchPlan plan = new BenchPlan(1, SHORT, COLD, "1 KiB");

    BenchReport report = new CallsBench(List.of(2), plan, JVM, step -> {}).run();

    assertEquals(
        List.of(
            "blocking SocketChannel calls/s",
            "blocking SocketChannel us p99",
            "blocking SocketChannel CPU us/message",
            "Netty native epoll calls/s",
            "Netty native epoll us p99",
            "Netty native epoll CPU us/message"),
        report.cases().stream().map(each -> each.peerName() + " " + each.unit()).toList());
    assertEquals("calls 1 KiB, 2 threads", report.cases().get(0).name());
    report.cases().forEach(each -> assertTrue(each.ours() > 0 && each.peer() > 0, each.toString()));
  }

  @Test
  void shouldRefuseANumberOutOfBounds() {
    BenchPlan plan = new BenchPlan(1, 1, 1, "");

    assertThrows(
        IllegalArgumentException.class, () -> new CallsBench(List.of(65), plan, JVM, step -> {}));
  }
}
