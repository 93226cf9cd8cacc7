// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import io.meshtransport.neighbours.map.CableState;
import io.meshtransport.neighbours.map.MapCable;
import io.meshtransport.neighbours.map.MapFinding;
import io.meshtransport.neighbours.map.MapNode;
import io.meshtransport.neighbours.map.MapPath;
import io.meshtransport.neighbours.map.MeshMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A map as a drawing: nodes that say what state they are in, cables with their interfaces at both
 * ends and subnet, rate, latency and MTU in the middle. A cut cable is dashed, red and crossed out,
 * and says so; what is wrong is below. A pure function of the map.
 */
public final class SvgPicture {
  private static final int MAX_TEXT = 110;
  private static final int PATHS_SHOWN = 12;

  /** Of spaces that a renderer does not remove. */
  private static final String INDENT = "\u00a0\u00a0";

  private static final double TEXT_LEFT = 24;
  private static final double CROSS = 9;
  private static final int FAST_MBPS = 25_000;
  private static final int MIN_WIDTH = 560;

  private final StringBuilder svg = new StringBuilder();
  private final MeshMap map;
  private final Drawing drawing;

  private SvgPicture(MeshMap map) {
    this.map = map;
    this.drawing = Drawing.of(map);
  }

  /** A whole SVG document. */
  public static String of(MeshMap map) {
    return new SvgPicture(map).document();
  }

  private String document() {
    List<String> remarks = remarks();
    int longest = remarks.stream().mapToInt(String::length).max().orElse(0);
    double width =
        Math.max(Math.max(drawing.width(), MIN_WIDTH), longest * Drawing.CHARACTER + 2 * TEXT_LEFT);
    double height = drawing.height() + (remarks.size() + 1) * Drawing.LINE_HEIGHT;
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$.0f\" height=\"%2$.0f\""
            + " viewBox=\"0 0 %1$.0f %2$.0f\" font-family=\"monospace\" font-size=\"12\">",
        width, height);
    add("<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>", width, height);
    for (int i = 0; i < map.cables().size(); i++) {
      line(drawing.wires.get(i).line(), map.cables().get(i));
    }
    for (int i = 0; i < map.cables().size(); i++) {
      labels(drawing.wires.get(i), map.cables().get(i));
    }
    for (int i = 0; i < map.nodes().size(); i++) {
      node(drawing.nodes.get(i), map.nodes().get(i));
    }
    for (int i = 0; i < remarks.size(); i++) {
      text(TEXT_LEFT, drawing.height() + i * Drawing.LINE_HEIGHT, "start", "", remarks.get(i));
    }
    return svg.append("</svg>\n").toString();
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String color(CableState state) {
    return switch (state) {
      case UP -> "#2f6f4f";
      case CUT -> "#c62828";
      case DOWN -> "#9e9e9e";
    };
  }

  private void line(Segment line, MapCable cable) {
    add(
        "<line class=\"cable %s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
            + " stroke-width=\"%d\"%s/>",
        cable.state().name().toLowerCase(Locale.ROOT),
        line.x1(),
        line.y1(),
        line.x2(),
        line.y2(),
        color(cable.state()),
        cable.rateMbps() >= FAST_MBPS ? 4 : 2,
        cable.state() == CableState.UP ? "" : " stroke-dasharray=\"7 6\"");
  }

  private void labels(Drawing.Wire wire, MapCable cable) {
    for (int i = 0; i < wire.labels().size(); i++) {
      boolean isMiddle = i == 2;
      Drawing.Label label = wire.labels().get(i);
      Box box = label.box();
      add(
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" fill=\"%s\""
              + " stroke=\"%s\" stroke-width=\"%s\"/>",
          box.left(),
          box.top(),
          box.width(),
          box.height(),
          "#ffffff",
          color(cable.state()),
          isMiddle ? "0" : "1");
      for (int row = 0; row < label.lines().size(); row++) {
        boolean isAlarm = isMiddle && row == 0 && cable.state() != CableState.UP;
        text(
            box.x(),
            box.top() + (row + 1) * Drawing.LINE_HEIGHT - 2,
            "middle",
            isAlarm ? " font-weight=\"bold\" fill=\"" + color(cable.state()) + "\"" : "",
            label.lines().get(row));
      }
      if (isMiddle && cable.state() == CableState.CUT) {
        cross(box.left() - CROSS - 2, box.y());
        cross(box.left() + box.width() + CROSS + 2, box.y());
      }
    }
  }

  private void cross(double x, double y) {
    add(
        "<path d=\"M%.1f %.1fl%.0f %.0fm0 -%.0fl-%.0f %.0f\" stroke=\"%s\" stroke-width=\"3\""
            + " fill=\"none\"/>",
        x - CROSS / 2, y - CROSS / 2, CROSS, CROSS, CROSS, CROSS, CROSS, color(CableState.CUT));
  }

  private void node(Box box, MapNode node) {
    String color =
        switch (node.state()) {
          case ALIVE -> "#2f6f4f";
          case STUCK -> "#b26a00";
          default -> "#c62828";
        };
    add(
        "<rect class=\"node\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"8\""
            + " fill=\"%s\" stroke=\"%s\" stroke-width=\"%d\"%s/>",
        box.left(),
        box.top(),
        box.width(),
        box.height(),
        node.state().isGone() ? "#eeeeee" : "#ffffff",
        color,
        node.self() ? 4 : 2,
        node.state().isGone() ? " stroke-dasharray=\"4 4\"" : "");
    text(box.x(), box.y() - 4, "middle", " font-weight=\"bold\" font-size=\"15\"", node.label());
    text(box.x(), box.y() + 15, "middle", " fill=\"" + color + "\"", node.description());
  }

  private void text(double x, double y, String anchor, String style, String text) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>",
        x, y, anchor, style, escaped(text));
  }

  /** For the text of an element or an attribute. */
  public static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  private List<String> remarks() {
    List<String> lines = new ArrayList<>(List.of(map.summary()));
    if (!map.paths().isEmpty()) {
      List<String> shown = map.paths().stream().limit(PATHS_SHOWN).map(MapPath::text).toList();
      int more = map.paths().size() - shown.size();
      String rest = more > 0 ? ", and " + more + " more" : "";
      wrap("no cable joins, relays do: " + String.join(", ", shown) + rest, lines);
    }
    for (MapNode each : map.nodes()) {
      if (!each.evidence().isEmpty()) {
        wrap("%s is %s: %s".formatted(each.label(), each.description(), each.evidence()), lines);
      }
    }
    for (MapFinding each : map.findings()) {
      wrap("at %s, %s: %s".formatted(each.node(), each.subject(), each.text()), lines);
      wrap(INDENT + "remedy: " + each.remedy(), lines);
    }
    return lines;
  }

  private static void wrap(String text, List<String> to) {
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (line.length() + word.length() > MAX_TEXT) {
        to.add(line.toString());
        line.setLength(0);
        line.append(INDENT);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    to.add(line.toString());
  }
}
