// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.plan;

import io.meshtransport.cli.map.GraphLayout;
import io.meshtransport.cli.map.SvgPicture;
import io.meshtransport.collectives.plan.CollectiveKind;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.PlanText;
import io.meshtransport.collectives.plan.SpanningTree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * A plan as a drawing: the graph with its rates, and beside it each tree of the all-reduce with its
 * share, its root filled and its links thick. A pure function of the plan.
 */
public final class PlanPicture {
  private static final int MAX_TREES = 15;
  private static final int PER_ROW = 4;
  private static final double MIN_PANEL = 230;
  private static final double PER_RANK = 16;
  private static final double MARGIN = 46;
  private static final double CAPTION = 26;
  private static final double LINE_HEIGHT = 17;
  private static final double CHARACTER = 7.3;
  private static final double NODE = 13;
  private static final double PARALLEL = 9;
  private static final String[] COLORS = {
    "#1f77b4", "#d95f02", "#2ca02c", "#9467bd", "#c62828", "#8c564b", "#e377c2", "#17becf"
  };

  private final StringBuilder svg = new StringBuilder();
  private final CollectivePlan plan;
  private final LinkGraph graph;
  private final double panel;
  private final double[][] places;

  private PlanPicture(CollectivePlan plan) {
    this.plan = plan;
    this.graph = plan.graph();
    this.panel = Math.max(MIN_PANEL, PER_RANK * graph.size());
    this.places = places();
  }

  /** A whole SVG document. */
  public static String of(CollectivePlan plan) {
    return new PlanPicture(plan).document();
  }

  /** Of ranks within a panel. */
  private double[][] places() {
    List<int[]> edges =
        graph.links().stream().map(each -> new int[] {each.one(), each.other()}).toList();
    double[][] layout = GraphLayout.of(graph.size(), edges);
    double[][] within = new double[graph.size()][2];
    double scale = Math.min(scale(layout, 0), scale(layout, 1));
    for (int axis = 0; axis < 2; axis++) {
      double middle = (least(layout, axis) - least(negative(layout), axis)) / 2;
      for (int rank = 0; rank < layout.length; rank++) {
        within[rank][axis] = panel / 2 + (layout[rank][axis] - middle) * scale;
      }
    }
    return within;
  }

  private double scale(double[][] layout, int axis) {
    double extent = -least(negative(layout), axis) - least(layout, axis);
    return (panel - 2 * MARGIN) / Math.max(0.5, extent);
  }

  private static double least(double[][] layout, int axis) {
    double least = Double.POSITIVE_INFINITY;
    for (double[] each : layout) {
      least = Math.min(least, each[axis]);
    }
    return least;
  }

  private static double[][] negative(double[][] layout) {
    double[][] negative = new double[layout.length][];
    for (int i = 0; i < layout.length; i++) {
      negative[i] = new double[] {-layout[i][0], -layout[i][1]};
    }
    return negative;
  }

  private String document() {
    List<SpanningTree> trees = new ArrayList<>(plan.allReduce());
    trees.sort(
        Comparator.comparingLong(SpanningTree::weight)
            .reversed()
            .thenComparing(plan.allReduce()::indexOf));
    List<SpanningTree> shown = trees.subList(0, Math.min(MAX_TREES, trees.size()));
    List<String> remarks = remarks(trees.size() - shown.size());
    int columns = Math.min(PER_ROW, shown.size() + 1);
    int rows = (shown.size() + columns) / columns;
    int longest = remarks.stream().mapToInt(String::length).max().orElse(0);
    double width = Math.max(columns * panel, longest * CHARACTER + 2 * CAPTION);
    double top = remarks.size() * LINE_HEIGHT + CAPTION;
    double height = top + rows * (panel + CAPTION);
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$.0f\" height=\"%2$.0f\""
            + " viewBox=\"0 0 %1$.0f %2$.0f\" font-family=\"monospace\" font-size=\"12\">",
        width, height);
    add("<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>", width, height);
    for (int i = 0; i < remarks.size(); i++) {
      text(
          CAPTION,
          (i + 1) * LINE_HEIGHT + 4,
          "start",
          i == 0 ? " font-weight=\"bold\"" : "",
          remarks.get(i));
    }
    for (int i = 0; i <= shown.size(); i++) {
      add(
          "<g transform=\"translate(%.1f %.1f)\">",
          i % columns * panel, top + i / columns * (panel + CAPTION));
      if (i == 0) {
        graphPanel();
      } else {
        treePanel(shown.get(i - 1), COLORS[(i - 1) % COLORS.length]);
      }
      add("</g>");
    }
    return svg.append("</svg>\n").toString();
  }

  private List<String> remarks(int left) {
    List<String> lines = new ArrayList<>();
    for (String each : PlanText.summary(plan).split("; ")) {
      lines.add(each);
    }
    lines.add(
        "16 MiB expected in "
            + PlanText.time(plan.choose(CollectiveKind.ALL_REDUCE, 0, 16 << 20).expectedNs())
            + (left > 0 ? "; " + left + " lighter trees are not drawn" : ""));
    return lines;
  }

  private void graphPanel() {
    text(panel / 2, 0, "middle", " font-weight=\"bold\"", "cables");
    for (int i = 0; i < graph.links().size(); i++) {
      GraphLink each = graph.links().get(i);
      int nth = 0;
      while (nth < i && joinsSame(graph.links().get(i - nth - 1), each)) {
        nth++;
      }
      line(each.one(), each.other(), nth * PARALLEL, "cable", "#555555", 2);
    }
    if (graph.links().stream().map(GraphLink::bytesPerSecond).distinct().count() > 1) {
      graph.links().forEach(this::rate);
    }
    for (int rank = 0; rank < graph.size(); rank++) {
      node(rank, "#ffffff", "#222222", "#222222");
    }
  }

  private static boolean joinsSame(GraphLink one, GraphLink other) {
    return one.one() == other.one() && one.other() == other.other();
  }

  private void rate(GraphLink link) {
    double x = (places[link.one()][0] + places[link.other()][0]) / 2;
    double y = (places[link.one()][1] + places[link.other()][1]) / 2;
    String label = PlanText.rate(link.bytesPerSecond()).replace("bit/s", "");
    add(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"14\" fill=\"#ffffff\"/>",
        x - label.length() * CHARACTER / 2, y - 8, label.length() * CHARACTER);
    text(x, y + 3, "middle", " font-size=\"11\"", label);
  }

  private void treePanel(SpanningTree tree, String color) {
    String share = PlanText.share(tree, plan.allReduce()).strip();
    text(
        panel / 2,
        0,
        "middle",
        " fill=\"" + color + "\" font-weight=\"bold\"",
        share + ", root " + graph.names().get(tree.root()));
    for (GraphLink each : graph.links()) {
      line(each.one(), each.other(), 0, "unused", "#dddddd", 1);
    }
    for (int rank = 0; rank < tree.size(); rank++) {
      if (rank != tree.root()) {
        line(rank, tree.parents().get(rank), 0, "tree", color, 4);
      }
    }
    for (int rank = 0; rank < graph.size(); rank++) {
      boolean isRoot = rank == tree.root();
      node(rank, isRoot ? color : "#ffffff", color, isRoot ? "#ffffff" : "#222222");
    }
  }

  /** From rank to rank, moved aside by some pixels. */
  private void line(int one, int other, double aside, String kind, String color, int width) {
    double dx = places[other][0] - places[one][0];
    double dy = places[other][1] - places[one][1];
    double length = Math.max(1, Math.sqrt(dx * dx + dy * dy));
    add(
        "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
            + " stroke-width=\"%d\"/>",
        kind,
        places[one][0] - dy / length * aside,
        places[one][1] + dx / length * aside,
        places[other][0] - dy / length * aside,
        places[other][1] + dx / length * aside,
        color,
        width);
  }

  private void node(int rank, String fill, String stroke, String letters) {
    String name = graph.names().get(rank);
    double half = Math.max(NODE, name.length() * CHARACTER / 2 + 5);
    add(
        "<rect class=\"node\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"8\""
            + " fill=\"%s\" stroke=\"%s\" stroke-width=\"2\"/>",
        places[rank][0] - half, places[rank][1] - NODE, 2 * half, 2 * NODE, fill, stroke);
    text(places[rank][0], places[rank][1] + 4, "middle", " fill=\"" + letters + "\"", name);
  }

  private void text(double x, double y, String anchor, String style, String text) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>",
        x, y, anchor, style, SvgPicture.escaped(text));
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
