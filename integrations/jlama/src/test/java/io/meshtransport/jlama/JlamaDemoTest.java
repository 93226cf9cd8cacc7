// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The demo with a tiny model on three nodes, a JVM each: the tokens of all ways are the same.
 *
 * <p>Also tests {@link MeshMembership}, {@link ShardNode}, {@link ShardProgram}, {@link
 * ShardProcess}, {@link ShardCommand}, {@link ShardEvent} and {@link Generation}.
 */
@Tag("slow")
@Tag("namespaces")
class JlamaDemoTest {
  private static final JlamaDemoPlan TINY =
      new JlamaDemoPlan(new RandomLlama(new LlamaShape(2, 96, 6, 192, 64), 5), "wire", 8, 0, 2);

  @Test
  void shouldGiveTheSameTokensByEveryWay() {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    NodeJvm jvm =
        JlamaDemo.jvm(
            1, Map.of("MESH_TIMEOUT_MS", "15000"), List.of("-XX:TieredStopAtLevel=1"), false);
    List<String> steps = new ArrayList<>();

    JlamaDemoReport report;
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      report = new JlamaDemo(fabric, TINY, steps::add).run(jvm);
    }

    assertTrue(report.passed(), report.toString());
    assertEquals(8, report.tokens().size());
    assertEquals(List.of(1, 3, 3), report.ways().stream().map(JlamaDemoReport.Way::nodes).toList());
    for (JlamaDemoReport.Way way : report.ways()) {
      assertTrue(way.sameTokens() && way.tokensPerSecond() > 0, way.toString());
    }
    assertEquals(1 + 3 * 2, steps.size(), steps.toString());
  }
}
