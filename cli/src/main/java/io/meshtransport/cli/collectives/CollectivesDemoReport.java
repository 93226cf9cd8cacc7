// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.collectives;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a demo of collective operations has shown.
 *
 * @param result {@value #PASS}, or {@code FAIL: } and why
 * @param graph that it ran on
 * @param nodes how many
 * @param operations by name: empty if all results were right at all ranks, else what was wrong
 * @param bytes that each rank reduced while it was timed
 * @param milliseconds that one such all-reduce took, the mean of many
 * @param megabytesPerSecond that each rank reduced
 * @param boundMegabytesPerSecond the best rate that the cables allow; 0 where they have no limit
 */
public record CollectivesDemoReport(
    String result,
    String graph,
    int nodes,
    Map<String, String> operations,
    long bytes,
    double milliseconds,
    double megabytesPerSecond,
    double boundMegabytesPerSecond) {
  /** Of a demo that has shown what it should. */
  public static final String PASS = "PASS";

  private static final double PERCENT = 100;

  public CollectivesDemoReport {
    operations = Map.copyOf(operations);
  }

  /** Of a demo that ended early. */
  public static CollectivesDemoReport failed(String graph, String why) {
    return new CollectivesDemoReport("FAIL: " + why, graph, 0, Map.of(), 0, 0, 0, 0);
  }

  /** The verdict on operations that have run. */
  static String verdict(Map<String, String> operations) {
    Map<String, String> wrong = new TreeMap<>(operations);
    wrong.values().removeIf(String::isEmpty);
    return wrong.isEmpty() ? PASS : "FAIL: " + wrong;
  }

  public boolean passed() {
    return result.equals(PASS);
  }

  /** In a line. */
  public String summary() {
    return "%s: %d nodes, %d operations right at every rank, sums equal to the bit, %s"
        .formatted(graph, nodes, operations.size() - 1, speed());
  }

  private String speed() {
    return boundMegabytesPerSecond > 0
        ? "%.0f MB/s, %.0f %% of what the cables allow"
            .formatted(megabytesPerSecond, PERCENT * megabytesPerSecond / boundMegabytesPerSecond)
        : "%.0f MB/s".formatted(megabytesPerSecond);
  }
}
