// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * A line plot as SVG: both axes logarithmic, a name at the end of each line in the line's colour,
 * and each point with its value, so that it reads without a legend. One thread.
 */
public final class SvgPlot {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 420;
  private static final int LEFT = 80;
  private static final int RIGHT = 190;
  private static final int TOP = 50;
  private static final int BOTTOM = 60;
  private static final int LABEL_WIDTH = 36;
  private static final int LABEL_HEIGHT = 12;
  private static final List<String> COLOURS = List.of("#1f6feb", "#d1242f", "#1a7f37", "#8250df");

  private final String title;
  private final String across;
  private final String up;
  private final DoubleFunction<String> sizes;
  private final List<Line> lines = new ArrayList<>();

  /**
   * @param x above 0
   * @param y above 0
   */
  record Point(double x, double y) {
    Point {
      if (!(x > 0 && y > 0)) {
        throw new IllegalArgumentException("no logarithm of " + x + ", " + y);
      }
    }
  }

  private record Line(String name, List<Point> points) {}

  /** From the minimum to the maximum, whole decades where that is not much more. */
  private record Axis(double min, double max) {
    private static Axis of(List<Double> values) {
      double min = values.stream().min(Double::compare).orElseThrow();
      double max = values.stream().max(Double::compare).orElseThrow();
      return new Axis(min / 1.5, max * 1.5);
    }

    /** 0 to 1. */
    private double part(double value) {
      return Math.log(value / min) / Math.log(max / min);
    }

    private List<Double> marks() {
      List<Double> marks = new ArrayList<>();
      for (double decade = Math.pow(10, Math.floor(Math.log10(min))); decade <= max; decade *= 10) {
        for (int step : List.of(1, 2, 5)) {
          if (decade * step >= min && decade * step <= max) {
            marks.add(decade * step);
          }
        }
      }
      return marks;
    }
  }

  SvgPlot(String title, String across, String up) {
    this(title, across, up, SvgPlot::number);
  }

  /**
   * @param across what the lower axis has
   * @param up what the left axis has
   * @param sizes texts of values on the lower axis
   */
  public SvgPlot(String title, String across, String up, DoubleFunction<String> sizes) {
    this.title = title;
    this.across = across;
    this.up = up;
    this.sizes = sizes;
  }

  /** Adds a line; values of 0 or less cannot be drawn on it and are left out. */
  public SvgPlot line(String name, List<double[]> points) {
    lines.add(
        new Line(
            name,
            points.stream()
                .filter(point -> point[1] > 0)
                .map(point -> new Point(point[0], point[1]))
                .toList()));
    return this;
  }

  @Override
  public String toString() {
    List<Point> all = lines.stream().flatMap(line -> line.points().stream()).toList();
    StringBuilder svg = new StringBuilder();
    svg.append(
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                + " font-family=\"sans-serif\" font-size=\"13\">%n<rect width=\"100%%\""
                + " height=\"100%%\" fill=\"white\"/>%n")
            .formatted(WIDTH, HEIGHT));
    text(svg, LEFT, 28, "start", "#000000", "font-size=\"17\"", title);
    text(svg, LEFT, HEIGHT - 16, "start", "#444444", "", across);
    text(svg, LEFT - 60, TOP - 10, "start", "#444444", "", up);
    if (!all.isEmpty()) {
      Axis x = Axis.of(all.stream().map(Point::x).toList());
      Axis y = Axis.of(all.stream().map(Point::y).toList());
      marks(svg, x, y, all);
      List<Double> occupied = new ArrayList<>();
      List<Point> labels = new ArrayList<>();
      for (int i = 0; i < lines.size(); i++) {
        if (!lines.get(i).points().isEmpty()) {
          draw(svg, lines.get(i), COLOURS.get(i % COLOURS.size()), x, y, occupied, labels);
        }
      }
    }
    return svg.append("</svg>\n").toString();
  }

  private void marks(StringBuilder svg, Axis x, Axis y, List<Point> all) {
    for (double mark : y.marks()) {
      double at = down(y, mark);
      rule(svg, LEFT, at, WIDTH - RIGHT, at, "#dddddd", 1);
      text(svg, LEFT - 8, at + 4, "end", "#444444", "", number(mark));
    }
    for (double value : all.stream().map(Point::x).distinct().sorted().toList()) {
      double at = right(x, value);
      rule(svg, at, TOP, at, HEIGHT - BOTTOM, "#dddddd", 1);
      text(svg, at, HEIGHT - BOTTOM + 18, "middle", "#444444", "", sizes.apply(value));
    }
  }

  private static void draw(
      StringBuilder svg,
      Line line,
      String colour,
      Axis x,
      Axis y,
      List<Double> occupied,
      List<Point> labels) {
    Point before = null;
    for (Point point : line.points()) {
      double px = right(x, point.x());
      double py = down(y, point.y());
      if (before != null) {
        rule(svg, right(x, before.x()), down(y, before.y()), px, py, colour, 2.5);
      }
      svg.append(
          String.format(
              Locale.ROOT,
              "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>%n",
              px,
              py,
              colour));
      Point label = label(labels, px, py);
      labels.add(label);
      text(svg, label.x(), label.y(), "middle", colour, "font-size=\"11\"", number(point.y()));
      before = point;
    }
    double at = down(y, before.y()) + 4;
    // Names of lines that end close together go below each other.
    while (isOccupied(occupied, at)) {
      at += 15;
    }
    occupied.add(at);
    text(svg, right(x, before.x()) + 10, at, "start", colour, "font-weight=\"bold\"", line.name());
  }

  /** Where a point's value goes: above it, or below where another value is there. */
  private static Point label(List<Point> labels, double px, double py) {
    boolean isFree =
        labels.stream()
            .noneMatch(
                other ->
                    Math.abs(other.x() - px) < LABEL_WIDTH
                        && Math.abs(other.y() - (py - 9)) < LABEL_HEIGHT);
    return new Point(px, isFree ? py - 9 : py + 18);
  }

  private static boolean isOccupied(List<Double> occupied, double at) {
    return occupied.stream().anyMatch(other -> Math.abs(other - at) < 15);
  }

  private static double right(Axis x, double value) {
    return LEFT + x.part(value) * (WIDTH - LEFT - RIGHT);
  }

  private static double down(Axis y, double value) {
    return HEIGHT - BOTTOM - y.part(value) * (HEIGHT - TOP - BOTTOM);
  }

  private static void rule(
      StringBuilder svg, double x1, double y1, double x2, double y2, String colour, double width) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
                + " stroke-width=\"%.1f\"/>%n",
            x1,
            y1,
            x2,
            y2,
            colour,
            width));
  }

  private static void text(
      StringBuilder svg,
      double x,
      double y,
      String anchor,
      String colour,
      String more,
      String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\" %s>%s</text>%n",
            x,
            y,
            anchor,
            colour,
            more,
            text.replace("&", "&amp;").replace("<", "&lt;")));
  }

  /** Three digits, or all of a larger number. */
  static String number(double value) {
    String format = value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f";
    String text = String.format(Locale.ROOT, format, value);
    return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
  }
}
