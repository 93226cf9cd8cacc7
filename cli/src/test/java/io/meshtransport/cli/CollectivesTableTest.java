// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.bench.collectives.CollectivesReport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CollectivesTableTest {
  private static String table(CollectivesReport.Size size, double bound, String... skipped) {
    return CollectivesTable.of(
        new CollectivesReport(
            List.of(new CollectivesReport.Graph("ring", 4, bound, List.of(size))),
            "a machine",
            1,
            Map.of(),
            List.of(skipped)));
  }

  private static List<String> cells(String table) {
    return List.of(table.lines().toList().get(1).split("\\s{2,}"));
  }

  @Test
  void shouldShowBothSidesAndTheirRatio() {
    CollectivesReport.Size size =
        new CollectivesReport.Size(
            1 << 20, 1000, 2500, 2.5, 0, List.of(1000.0), List.of(2500.0), List.of(2.5));

    assertEquals(
        List.of("ring", "1 MiB", "1000", "0%", "2500", "0%", "2.50", "2.50", "2.50", "1049", "-"),
        cells(table(size, 0)));
  }

  @Test
  void shouldShowTheBoundAndWhyAPeerIsMissing() {
    CollectivesReport.Size size =
        new CollectivesReport.Size(
            1 << 20, 1000, 0, 0, 0.93, List.of(1000.0), List.of(), List.of());

    String table = table(size, 125, "mpicc is not here");

    assertEquals(
        List.of("ring", "1 MiB", "1000", "0%", "-", "-", "-", "-", "-", "1049", "0.93"),
        cells(table));
    assertTrue(table.contains("Skipped: mpicc is not here"), table);
  }
}
