// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.collectives.plan.PlanFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link PlanCommand} and {@link io.meshtransport.cli.plan.PlanReport}. */
class PlanCommandTest {
  private static final String TRIANGLE =
      """
      # three boxes, one old cable
      a b 100Gb/s 5us
      b c 100Gb/s 5us
      a c 25Gb/s 5us
      """;

  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("graph"), text);
  }

  @Test
  void shouldPrintTheBoundTheTreesAndWhatSizesTake() throws IOException {
    Cli run = Cli.run("plan", file(TRIANGLE).toString());
    assertEquals(0, run.status(), run.err());
    String[] lines = run.out().lines().toArray(String[]::new);
    assertTrue(lines[0].startsWith("3 ranks: a b c; 3 links; plan "), run.out());
    assertTrue(
        lines[2].startsWith(
            "all-reduce: two-shot over 3 stars, 1.13 x cable rate of 100 Gbit/s; one-shot up to "),
        run.out());
    assertTrue(lines[2].endsWith("; bound 113 Gbit/s, of which this is 100 %"), run.out());
    assertEquals("  11.1 %  a(b c)", lines[3]);
    assertEquals("  77.8 %  b(a c)", lines[4]);
    assertEquals("  11.1 %  c(a b)", lines[5]);
    assertTrue(lines[7].matches("operation +one-shot +8 B +1 KiB +64 KiB +2 MiB +16 MiB +1 GiB"));
    assertTrue(lines[lines.length - 1].startsWith("all-to-all "), run.out());
  }

  @Test
  void shouldWriteADrawingAReportAndAPlan() throws IOException {
    Path svg = folder.resolve("plan.svg");
    Path json = folder.resolve("plan.json");
    Path plan = folder.resolve("plan.mesh");
    Cli run =
        Cli.run(
            "plan",
            file(TRIANGLE).toString(),
            "--svg",
            svg.toString(),
            "--json",
            json.toString(),
            "--save",
            plan.toString());
    assertEquals(0, run.status(), run.err());
    assertTrue(Files.readString(svg).startsWith("<svg "));
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertEquals("mesh-plan/1", report.get("format").asText());
    assertEquals(3, report.get("allReduce").size());
    assertEquals(14_062_500_000L, report.get("boundBytesPerSecond").asLong());
    assertEquals(report.get("hash").asText(), "%016x".formatted(PlanFile.read(plan).hash()));
  }

  @Test
  void shouldSayWhatIsWrongWithAGraphOrAnOption() throws IOException {
    Cli parts = Cli.run("plan", file("a b 1Gb/s 1us\nc d 1Gb/s 1us").toString());
    assertEquals(1, parts.status());
    assertTrue(
        parts.err().contains("no link joins these parts of the group: a b, c d."), parts.err());
    Cli none = Cli.run("plan", folder.resolve("none").toString());
    assertEquals(1, none.status());
    assertTrue(none.err().contains("cannot read " + folder.resolve("none")), none.err());
    assertEquals(2, Cli.run("plan").status());
    assertEquals(2, Cli.run("plan", "--live", "--fold", "0").status());
    Cli nothing = Cli.run("plan");
    assertEquals(2, nothing.status());
    assertTrue(nothing.err().contains("a FILE with a graph is missing"), nothing.err());
    Cli both = Cli.run("plan", "graph", "--live");
    assertEquals(2, both.status());
    assertTrue(both.err().contains("mutually exclusive"), both.err());
    Cli unwritable =
        Cli.run("plan", file(TRIANGLE).toString(), "--svg", folder.resolve("no/x").toString());
    assertEquals(1, unwritable.status());
    assertTrue(unwritable.err().contains("cannot write " + folder), unwritable.err());
  }
}
