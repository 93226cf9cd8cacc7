// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * One number out of what a group has measured.
 *
 * @param name behind the case's
 * @param isTime whether less is better; else more is
 */
record GroupMetric(String name, String unit, boolean isTime, ToDoubleFunction<Figures> of) {
  private static final double MEGA = 1e6;

  /** Those of a program under a load of messages this long. */
  static List<GroupMetric> of(PerfKind program, int messageBytes) {
    List<GroupMetric> metrics = new ArrayList<>();
    if (program == PerfKind.UPERF) {
      metrics.add(new GroupMetric("throughput", "calls/s per node", false, Figures::rate));
      metrics.addAll(percentiles("read"));
      metrics.addAll(percentiles("write"));
    } else {
      metrics.add(
          new GroupMetric(
              "throughput", "MB/s per node", false, all -> all.rate() * messageBytes / MEGA));
      metrics.addAll(percentiles("delivery"));
    }
    metrics.add(
        new GroupMetric(
            "processors", "us per " + program.operation(), true, Figures::processorMicros));
    return metrics;
  }

  private static List<GroupMetric> percentiles(String kind) {
    return List.of(
        new GroupMetric(kind + " p50", "us", true, all -> all.latencies().get(kind).micros(50)),
        new GroupMetric(kind + " p99", "us", true, all -> all.latencies().get(kind).micros(99)));
  }

  /** All of them, for people who wait. */
  static String line(Scores.Case which, Figures figures) {
    return of(which.program(), which.messageBytes()).stream()
        .map(
            each ->
                "%s %.0f %s".formatted(each.name(), each.of().applyAsDouble(figures), each.unit()))
        .collect(
            Collectors.joining(
                ", ",
                "",
                ", compilers %.0f %%".formatted(100 * figures.processors().compilerShare())));
  }
}
