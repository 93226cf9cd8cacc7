// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import io.meshtransport.topology.lab.LabPackages;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The demo over real verbs, whole, where this host has the lab.
 *
 * <p>Also tests {@link LabEnvironment}.
 */
@Tag("lab")
class LabDemoCommandTest {
  private static final String MODE = System.getProperty("mesh.test.lab", "auto");

  /** Each additional guest takes half a minute; RoceGroupTest has three, with JGroups. */
  private static final Topology MESH =
      Boolean.getBoolean("mesh.test.long") ? Topologies.TRIANGLE : Topologies.PAIR;

  @TempDir private Path folder;

  @BeforeAll
  static void requireTheLab() throws IOException {
    assumeFalse(MODE.equals("off"), "no RoCE lab here: -Dmesh.test.lab=off");
    try {
      new LabPackages(line -> System.out.println("lab: " + line)).fetch();
    } catch (FabricException e) {
      assertNotEquals("required", MODE, e.getMessage());
      abort("no RoCE lab here: " + e.getMessage());
    }
  }

  @Test
  void shouldPassOnAMeshOfGuests() throws IOException {
    Path json = folder.resolve("demo.json");
    Cli run = Cli.run("lab", "demo", "--topology", MESH.name(), "--json", json.toString());
    System.out.println(run.out());

    assertEquals(0, run.status(), run.out() + run.err());
    int nodes = MESH.nodes().size();
    String verdict = "demo: PASS %s over ibverbs: %d nodes".formatted(MESH.name(), nodes);
    assertTrue(run.lastLine().startsWith(verdict), run.out());
    assertTrue(run.out().contains(" 0 times not ready (RNR)"), run.out());
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertEquals("PASS", report.path("result").asText());
    assertEquals("ibverbs", report.path("provider").asText());
    assertEquals(0, report.path("bytesOnWrongCable").asLong(-1));
    assertEquals(nodes * (nodes - 1), report.path("channels").size());
    for (JsonNode channel : report.path("channels")) {
      assertTrue(channel.path("localNic").asText().startsWith("rxe_to-"), channel.toString());
      assertEquals(DemoPlan.LAB.checkedMessages(), channel.path("messages").asLong());
      assertEquals(DemoPlan.LAB.checkedBytes(), channel.path("bytes").asLong());
    }
  }

  @Test
  @EnabledIfSystemProperty(
      named = "mesh.test.long",
      matches = "true",
      disabledReason =
          "the demo in namespaces and RoceGroupTest do for it, and this takes some minutes;"
              + " -Dmesh.test.long=true runs all")
  void shouldShowJGroupsOnATriangleOfGuests() throws IOException {
    Path json = folder.resolve("jgroups.json");
    Cli run = Cli.run("demo", "jgroups", "--lab", "--json", json.toString());
    System.out.println(run.out());

    assertEquals(0, run.status(), run.out() + run.err());
    assertTrue(
        run.lastLine().startsWith("demo: PASS JGroups on triangle over ibverbs: 3 nodes"),
        run.out());
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertEquals("PASS", report.path("result").asText());
    assertEquals("ibverbs", report.path("provider").asText());
    // MESH alone: stock TCP and the caches are not shown in guests.
    assertEquals(1, report.path("deliveries").size());
    JsonNode mesh = report.path("deliveries").path(0);
    assertEquals(6, mesh.path("pairs").size());
    for (JsonNode line : mesh.path("pairs")) {
      assertEquals(mesh.path("expected").asLong(), line.path("received").asLong(), line.toString());
    }
    assertEquals(3, report.path("cables").size());
    for (JsonNode cable : report.path("cables")) {
      assertTrue(cable.path("right").asBoolean(), cable.toString());
    }
    assertEquals(6, report.path("links").size());
    for (JsonNode link : report.path("links")) {
      assertTrue(link.asText().contains("rxe_to-"), link.toString());
    }
  }
}
