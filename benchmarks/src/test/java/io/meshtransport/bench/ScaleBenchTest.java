// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A run too short for its figures to mean anything: they must be there.
 *
 * <p>Also tests {@link Footprint}, {@link Machine}, {@link ConcurrentSetUps}, {@link ScaleCommand},
 * {@link ScaleEvent}, {@link ScaleNode}, {@link ScaleNodes} and {@link ScaleProcess}.
 */
@Tag("namespaces")
class ScaleBenchTest {
  private static final double SHORT = 0.1;

  @TempDir private Path folder;

  @Test
  void shouldMeasureAndPlotAPair() throws Exception {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    Assumptions.assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle);
    List<String> steps = new ArrayList<>();
    ScalePlan plan = new ScalePlan(List.of(3), List.of(), 1, SHORT);

    ScaleReport report = new ScaleBench(plan, NodeJvm.withTimeout(20_000), steps::add).run();

    JsonNode pair = new ObjectMapper().valueToTree(report).path("pair").get(0);
    assertEquals(3, pair.path("channels").asInt());
    assertTrue(pair.path("setUp").path("connectionsPerSecond").asDouble() > 0, pair.toString());
    assertTrue(pair.path("setUp").path("p99Ms").asDouble() > 0, pair.toString());
    assertTrue(pair.path("megabytesPerSecond").asDouble() > 0, pair.toString());
    // All channels of a pair share one connection.
    assertTrue(pair.path("sender").path("descriptors").asDouble() < 1, pair.toString());
    assertEquals(1, steps.size(), steps.toString());
    List<Path> plots = ScalePlots.write(report, folder.resolve("scale.json"));
    assertEquals(4, plots.size(), plots.toString());
    assertTrue(Files.readString(plots.get(0)).startsWith("<svg"), plots.toString());
  }

  @Test
  void shouldPlotMeshes() {
    ScaleReport.SetUp setUp = new ScaleReport.SetUp(100, 2, 9);
    ScaleReport report =
        new ScaleReport(
            List.of(),
            List.of(new ScaleReport.Mesh(2, 2, setUp), new ScaleReport.Mesh(4, 12, setUp)),
            "a machine",
            1,
            java.util.Map.of());

    String plot = ScalePlots.of(report).get("mesh").toString();

    assertTrue(plot.contains(">99 % are faster<") && plot.contains(">half are faster<"), plot);
  }

  @Test
  void shouldRefuseAPlanOutOfBounds() {
    assertThrows(
        IllegalArgumentException.class, () -> new ScalePlan(List.of(1001), List.of(), 1, 1));
    assertThrows(
        IllegalArgumentException.class, () -> new ScalePlan(List.of(1), List.of(17), 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new ScalePlan(List.of(1), List.of(), 0, 1));
  }
}
