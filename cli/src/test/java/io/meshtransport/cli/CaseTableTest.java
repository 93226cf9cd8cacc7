// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.bench.BenchReport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests also {@link Numbers}. */
class CaseTableTest {
  @Test
  void shouldShowMediansSpreadsAndRatios() {
    BenchReport report =
        new BenchReport(
            List.of(
                new BenchReport.Case(
                    "stream 1 MiB",
                    2000,
                    1000,
                    "iperf3",
                    "MB/s",
                    2,
                    List.of(1900.0, 2000.0, 2100.0),
                    List.of(1000.0, 1000.0, 1000.0),
                    List.of(1.9, 2.0, 2.1))),
            "a machine",
            3,
            Map.of(),
            List.of("ucx_perftest is not here: `apt-get install ucx-utils`"));

    List<String> lines = CaseTable.of(report).lines().toList();

    assertEquals(
        List.of("stream", "1", "MiB", "2000", "10%", "1000", "0%", "MB/s", "2.00", "1.90", "2.10"),
        List.of(lines.get(1).split("\\s+")).subList(0, 11));
    assertTrue(lines.get(2).startsWith("Medians of 3 rounds"), lines.toString());
    assertTrue(lines.get(3).contains("a machine"), lines.toString());
    assertTrue(lines.get(4).contains("apt-get install ucx-utils"), lines.toString());
  }
}
