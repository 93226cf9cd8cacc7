// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.bench.SvgPlot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Plots of a {@link CollectivesReport}: one for each graph of several sizes. */
public final class CollectivesPlots {
  private CollectivesPlots() {}

  /**
   * Writes the plots beside the report.
   *
   * @param json where the report is written; plots are named after it
   * @return the files
   */
  public static List<Path> write(CollectivesReport report, Path json) throws IOException {
    String name = json.getFileName().toString().replaceFirst("\\.json$", "");
    List<Path> files = new ArrayList<>();
    for (CollectivesReport.Graph graph : report.graphs()) {
      if (graph.sizes().size() > 1) {
        String kind = graph.name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        Path file = json.resolveSibling(name + "-" + kind + ".svg");
        files.add(Files.writeString(file, of(graph).toString()));
      }
    }
    return files;
  }

  /** Time over size, ours and theirs. */
  static SvgPlot of(CollectivesReport.Graph graph) {
    return new SvgPlot(
            "All-reduce of floats on a "
                + graph.name().replace(", unlimited", "")
                + ", cables without a limit",
            "bytes of each rank",
            "microseconds of one operation",
            bytes -> Sizes.text((long) bytes))
        .line(OpenMpi.NAME, points(graph, CollectivesReport.Size::peer))
        .line("Mesh Transport", points(graph, CollectivesReport.Size::ours));
  }

  private static List<double[]> points(
      CollectivesReport.Graph graph, ToDoubleFunction<CollectivesReport.Size> value) {
    return graph.sizes().stream()
        .map(each -> new double[] {each.bytes(), value.applyAsDouble(each)})
        .toList();
  }
}
