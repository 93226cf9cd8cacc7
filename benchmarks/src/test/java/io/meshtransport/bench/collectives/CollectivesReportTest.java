// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Also tests {@link CollectivesPlots} and {@link Sizes}. */
class CollectivesReportTest {
  private static final double EXACT = 1e-9;

  @TempDir private Path folder;

  @Test
  void shouldCompareTheRoundsOfOneSize() {
    CollectivesReport.Size size =
        CollectivesReport.Size.of(1 << 20, List.of(10.0, 20.0, 40.0), List.of(40.0, 20.0, 20.0), 0);

    assertEquals(20, size.ours(), EXACT);
    assertEquals(20, size.peer(), EXACT);
    assertEquals(List.of(4.0, 1.0, 0.5), size.ratios());
    assertEquals(1, size.ratio(), EXACT);
    assertEquals(0, size.boundShare(), EXACT);
  }

  @Test
  void shouldCompareWithTheBound() {
    CollectivesReport.Size size =
        CollectivesReport.Size.of(1_000_000, List.of(10_000.0), List.of(), 125);

    assertEquals(100, size.megabytesPerSecond(), EXACT);
    assertEquals(0.8, size.boundShare(), EXACT);
    assertEquals(0, size.ratio(), EXACT);
  }

  @Test
  void shouldDrawTimeOverSizeForGraphsOfSeveralSizes() throws IOException {
    CollectivesReport.Size small = CollectivesReport.Size.of(8, List.of(20.0), List.of(25.0), 0);
    CollectivesReport.Size large =
        CollectivesReport.Size.of(16 << 20, List.of(30_000.0), List.of(60_000.0), 0);
    CollectivesReport report =
        new CollectivesReport(
            List.of(
                new CollectivesReport.Graph("ring of 4, unlimited", 4, 0, List.of(small, large)),
                new CollectivesReport.Graph("ring of 4, 1 Gb/s", 4, 125, List.of(large))),
            "a machine",
            1,
            Map.of(),
            List.of());

    List<Path> files = CollectivesPlots.write(report, folder.resolve("all.json"));

    assertEquals(List.of(folder.resolve("all-ring-of-4-unlimited.svg")), files);
    String svg = Files.readString(files.get(0));
    for (String text :
        List.of(">16 MiB<", ">8 B<", ">Open MPI<", ">Mesh Transport<", "on a ring of 4, cables")) {
      assertTrue(svg.contains(text), svg);
    }
  }

  @Test
  void shouldWriteSizesInTheLargestUnit() {
    assertEquals("8 B", Sizes.text(8));
    assertEquals("64 KiB", Sizes.text(64 << 10));
    assertEquals("16 MiB", Sizes.text(16 << 20));
    assertEquals("1025 B", Sizes.text(1025));
  }
}
