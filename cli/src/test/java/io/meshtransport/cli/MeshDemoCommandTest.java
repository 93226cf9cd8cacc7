// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.topology.Fabric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link MeshDemoCommand}: {@link MeshDemo} in namespaces, and its {@link MeshDemoReport}. */
@Tag("slow")
class MeshDemoCommandTest {
  @TempDir private Path folder;

  @Test
  void shouldKnowWhatHappensToFiveNodes() throws IOException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    Path file = folder.resolve("demo.json");

    Cli run = Cli.run("demo", "mesh", "--json", file.toString());

    assertEquals(0, run.status(), run.out() + run.err());
    assertTrue(run.lastLine().startsWith("demo: PASS mesh of five"), run.out());
    JsonNode report = new ObjectMapper().readTree(file.toFile());
    assertEquals("PASS", report.path("result").asText());
    assertEquals(8, report.path("steps").size());
    for (JsonNode step : report.path("steps")) {
      assertEquals("mesh-map/1", step.path("map").path("format").asText());
    }
    assertTrue(run.out().contains("Plug this cable into"), "the remedy for the crossed cables");
  }
}
