package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.lab.LabPackages;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo over real verbs, whole, where this host has the lab. */
@Tag("lab")
class LabDemoCommandTest {
  private static final String MODE = System.getProperty("mesh.test.lab", "auto");

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
  void shouldPassOnATriangleOfGuests() throws IOException {
    Path json = folder.resolve("demo.json");
    Cli run = Cli.run("lab", "demo", "--topology", "triangle", "--json", json.toString());
    System.out.println(run.out());

    assertEquals(0, run.status(), run.out() + run.err());
    assertTrue(run.lastLine().startsWith("demo: PASS triangle over ibverbs: 3 nodes"), run.out());
    assertTrue(run.out().contains(" 0 times not ready (RNR)"), run.out());
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertEquals("PASS", report.path("result").asText());
    assertEquals("ibverbs", report.path("provider").asText());
    assertEquals(0, report.path("bytesOnWrongCable").asLong(-1));
    assertEquals(6, report.path("channels").size());
    for (JsonNode channel : report.path("channels")) {
      assertTrue(channel.path("localNic").asText().startsWith("rxe_to-"), channel.toString());
      assertEquals(DemoPlan.LAB.checkedMessages(), channel.path("messages").asLong());
      assertEquals(DemoPlan.LAB.checkedBytes(), channel.path("bytes").asLong());
    }
  }
}
