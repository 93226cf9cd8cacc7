// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Plots of a {@link ScaleReport}. */
public final class ScalePlots {
  private static final String CHANNELS = "channels from one node to the other";

  private static final int MANY = 10;

  private ScalePlots() {}

  /**
   * Writes the plots beside the report.
   *
   * @param json where the report is written; plots are named after it
   * @return the files
   */
  public static List<Path> write(ScaleReport report, Path json) throws IOException {
    String name = json.getFileName().toString().replaceFirst("\\.json$", "");
    List<Path> files = new ArrayList<>();
    for (Map.Entry<String, SvgPlot> plot : of(report).entrySet()) {
      Path file = json.resolveSibling(name + "-" + plot.getKey() + ".svg");
      files.add(Files.writeString(file, plot.getValue().toString()));
    }
    return files;
  }

  /** By what they show. */
  static Map<String, SvgPlot> of(ScaleReport report) {
    Map<String, SvgPlot> plots = new LinkedHashMap<>();
    if (!report.pair().isEmpty()) {
      plots.put(
          "rate",
          new SvgPlot("Setting up channels, up to 100 at once", CHANNELS, "channels per second")
              .line("set up", pair(report, each -> each.setUp().connectionsPerSecond())));
      plots.put(
          "set-up",
          new SvgPlot("How long one channel takes to set up", CHANNELS, "milliseconds")
              .line("99 % are faster", pair(report, each -> each.setUp().p99Ms()))
              .line("half are faster", pair(report, each -> each.setUp().p50Ms())));
      plots.put(
          "idle",
          new SvgPlot("What an idle channel takes", CHANNELS, "bytes per channel")
              .line("sender's heap", manyOf(report, each -> each.sender().heapBytes()))
              .line("receiver's heap", manyOf(report, each -> each.receiver().heapBytes()))
              .line("sender's buffers", manyOf(report, each -> each.sender().directBytes()))
              .line("receiver's buffers", manyOf(report, each -> each.receiver().directBytes())));
      plots.put(
          "throughput",
          new SvgPlot("Messages of 16 KiB on all channels in turn", CHANNELS, "MB/s together")
              .line("throughput", pair(report, ScaleReport.Pair::megabytesPerSecond)));
    }
    if (!report.meshes().isEmpty()) {
      plots.put(
          "mesh",
          new SvgPlot("Each connects to all at the same instant", "nodes", "milliseconds")
              .line("99 % are faster", mesh(report, each -> each.setUp().p99Ms()))
              .line("half are faster", mesh(report, each -> each.setUp().p50Ms())));
    }
    return plots;
  }

  /**
   * Drawn for many channels only: of the difference between two snapshots of a JVM not all is due
   * to channels.
   */
  private static List<double[]> manyOf(
      ScaleReport report, ToDoubleFunction<ScaleReport.Pair> value) {
    return pair(report, value).stream().filter(point -> point[0] >= MANY).toList();
  }

  private static List<double[]> pair(ScaleReport report, ToDoubleFunction<ScaleReport.Pair> value) {
    return report.pair().stream()
        .map(each -> new double[] {each.channels(), value.applyAsDouble(each)})
        .toList();
  }

  private static List<double[]> mesh(ScaleReport report, ToDoubleFunction<ScaleReport.Mesh> value) {
    return report.meshes().stream()
        .map(each -> new double[] {each.nodes(), value.applyAsDouble(each)})
        .toList();
  }
}
