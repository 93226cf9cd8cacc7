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

/**
 * {@link CollectivesDemoCommand}: {@link io.meshtransport.cli.collectives.CollectivesDemo}, and its
 * {@link io.meshtransport.cli.collectives.CollectivesDemoReport}.
 */
@Tag("slow")
class CollectivesDemoCommandTest {
  @TempDir private Path folder;

  @Tag("namespaces")
  @Test
  void shouldShowThatAllIsRightOnALine() throws IOException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));

    JsonNode report = run("--graph", "line");

    assertEquals(125, report.path("boundMegabytesPerSecond").asDouble());
    double rate = report.path("megabytesPerSecond").asDouble();
    assertTrue(rate > 0 && rate < 1.1 * 125, report.toString());
  }

  @Test
  void shouldShowThatAllIsRightOnLoopback() throws IOException {
    JsonNode report = run("--loopback", "--graph", "ring");

    assertEquals(4, report.path("nodes").asInt());
  }

  private JsonNode run(String... options) throws IOException {
    Path file = folder.resolve("demo.json");
    String[] words = new String[options.length + 4];
    System.arraycopy(
        new String[] {"demo", "collectives", "--json", file.toString()}, 0, words, 0, 4);
    System.arraycopy(options, 0, words, 4, options.length);

    Cli run = Cli.run(words);

    assertEquals(0, run.status(), run.out() + run.err());
    assertTrue(run.lastLine().startsWith("demo: PASS "), run.out());
    assertTrue(run.out().contains(" └─ "), "the trees of its plan: " + run.out());
    JsonNode report = new ObjectMapper().readTree(file.toFile());
    assertEquals("PASS", report.path("result").asText());
    assertEquals(16, report.path("operations").size(), report.toString());
    report.path("operations").forEach(each -> assertEquals("", each.asText()));
    return report;
  }
}
