// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The demo of JGroups: the options it accepts, and a whole run with little traffic.
 *
 * <p>Also tests {@link io.meshtransport.jgroups.demo.CachePart}, {@link
 * io.meshtransport.jgroups.demo.CutPart}, {@link io.meshtransport.jgroups.demo.GroupDemo}, {@link
 * io.meshtransport.jgroups.demo.MulticastStreams}, {@link GroupDemoRun} and {@link
 * io.meshtransport.jgroups.demo.MeshPart}.
 */
@Tag("slow")
class JGroupsDemoCommandTest {
  @TempDir private Path folder;

  @Test
  void shouldPassWithLittle() throws IOException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    Path file = folder.resolve("demo.json");

    Cli run = Cli.run("demo", "jgroups", "--quick", "--json", file.toString());

    assertEquals(0, run.status(), run.out() + run.err());
    assertTrue(run.lastLine().startsWith("demo: PASS JGroups on triangle over soft"), run.out());
    JsonNode report = new ObjectMapper().readTree(file.toFile());
    assertEquals("PASS", report.path("result").asText());
    assertEquals(10, report.path("checks").size(), report.toString());
    assertEquals("stock TCP", report.path("deliveries").path(0).path("stack").asText());
    JsonNode mesh = report.path("deliveries").path(1);
    assertEquals(6, mesh.path("pairs").size());
    for (JsonNode line : mesh.path("pairs")) {
      assertEquals(mesh.path("expected").asLong(), line.path("received").asLong(), line.toString());
    }
    assertEquals(3, report.path("cables").size());
    for (JsonNode cable : report.path("cables")) {
      assertTrue(
          cable.path("ownBytes").asLong() >= cable.path("payloadBytes").asLong(), cable.toString());
    }
    assertEquals(6, report.path("links").size());
  }

  @Test
  void shouldRefuseToBeQuickInTheLab() {
    Cli run = Cli.run("demo", "jgroups", "--quick", "--lab");

    assertEquals(2, run.status());
    assertTrue(run.err().contains("mutually exclusive"), run.err());
  }

  @Test
  void shouldRefuseOptionsInFrontOfItsName() {
    Cli run = Cli.run("demo", "--json", "x.json", "jgroups");

    assertEquals(2, run.status());
    assertTrue(run.err().contains("--json goes behind jgroups"), run.err());
  }

  @Test
  void shouldRefuseAFileThatCannotBeWrittenBeforeAnyWork() {
    Path file = folder.resolve("missing").resolve("x.json");

    Cli run = Cli.run("demo", "jgroups", "--json", file.toString());

    assertEquals(1, run.status());
    assertEquals("", run.out());
    assertTrue(run.err().contains("no such directory"), run.err());
  }

  @Test
  void shouldNotRunWhereAllMembersReachAll() {
    DemoProgress progress = new DemoProgress(new PrintWriter(new StringWriter()));

    FabricException failure =
        assertThrows(
            FabricException.class,
            () -> JGroupsDemoCommand.create(() -> Optional.of("unshare is forbidden"), progress));

    assertTrue(failure.getMessage().contains("unshare is forbidden"), failure.getMessage());
    assertTrue(failure.getMessage().contains("as root"), failure.getMessage());
  }

  @Test
  void shouldDescribeInTheHelpWhatItShowsAndNeeds() {
    String help = Cli.run("demo", "jgroups", "--help").out();

    for (String word : new String[] {"--quick", "--lab", "--json", "MESH", "minutes"}) {
      assertTrue(help.contains(word), help);
    }
    assertTrue(Cli.run("demo", "--help").out().contains("jgroups"));
  }
}
