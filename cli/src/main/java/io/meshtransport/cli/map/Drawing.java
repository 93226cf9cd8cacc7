// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import io.meshtransport.neighbours.map.CableState;
import io.meshtransport.neighbours.map.MapCable;
import io.meshtransport.neighbours.map.MapEnd;
import io.meshtransport.neighbours.map.MapNode;
import io.meshtransport.neighbours.map.MeshMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where everything of a map is in a drawing: boxes of nodes, lines of cables, labels on them. The
 * labels of a cable lie on its own line, and cover neither nodes nor other labels, nor other lines
 * as long as that is possible: where there is no such place the whole drawing grows.
 */
final class Drawing {
  static final double CHARACTER = 7.3;
  static final double LINE_HEIGHT = 15;
  static final double NODE_HEIGHT = 60;

  private static final double MIN_NODE_WIDTH = 120;
  private static final double MARGIN = 40;
  private static final double EDGE = 440;
  private static final double GROWTH = 1.15;
  private static final int MAX_ATTEMPTS = 22;

  /** Up to this attempt labels keep off the lines of other cables, later only off labels. */
  private static final int STRICT_ATTEMPTS = 8;

  private static final double GAP = 4;
  private static final double STEPS = 60;

  /** Distance of two cables between the same nodes. */
  private static final double PARALLEL = 56;

  /** Text on a cable. */
  record Label(Box box, List<String> lines) {}

  /** A cable: its line, and its labels at the first end, the second end and in the middle. */
  record Wire(Segment line, List<Label> labels) {}

  private final MeshMap map;
  final List<Box> nodes = new ArrayList<>();
  final List<Wire> wires = new ArrayList<>();
  private boolean fits = true;

  private Drawing(MeshMap map) {
    this.map = map;
  }

  static Drawing of(MeshMap map) {
    Map<String, Integer> numbers = map.positions();
    List<int[]> edges = new ArrayList<>();
    for (MapCable each : map.cables()) {
      edges.add(new int[] {numbers.get(each.one().node()), numbers.get(each.other().node())});
    }
    double[][] layout = GraphLayout.of(map.nodes().size(), edges);
    double scale = EDGE;
    for (int attempt = 1; ; attempt++) {
      Drawing drawing = new Drawing(map);
      drawing.placeNodes(layout, scale);
      drawing.placeWires(edges, attempt <= STRICT_ATTEMPTS);
      if (drawing.fits || attempt == MAX_ATTEMPTS) {
        return drawing;
      }
      // The first of the less strict attempts begins small again.
      scale = attempt == STRICT_ATTEMPTS ? EDGE : scale * GROWTH;
    }
  }

  /** Whether no label covers a node or another label. */
  boolean fits() {
    return fits;
  }

  double width() {
    return nodes.stream().mapToDouble(each -> each.x() + each.width() / 2).max().orElse(0) + MARGIN;
  }

  double height() {
    return nodes.stream().mapToDouble(each -> each.y() + each.height() / 2).max().orElse(0)
        + MARGIN;
  }

  private void placeNodes(double[][] layout, double scale) {
    double left = 0;
    double top = 0;
    for (double[] each : layout) {
      left = Math.min(left, each[0]);
      top = Math.min(top, each[1]);
    }
    double widest = map.nodes().stream().mapToDouble(Drawing::nodeWidth).max().orElse(0);
    for (int i = 0; i < layout.length; i++) {
      Box box =
          new Box(
              Math.rint(MARGIN + widest / 2 + (layout[i][0] - left) * scale),
              Math.rint(MARGIN + NODE_HEIGHT / 2 + (layout[i][1] - top) * scale),
              nodeWidth(map.nodes().get(i)),
              NODE_HEIGHT);
      fits &= !box.overlapsAny(nodes, GAP);
      nodes.add(box);
    }
  }

  private static double nodeWidth(MapNode node) {
    int characters = Math.max(node.label().length() + 2, node.description().length());
    return Math.max(MIN_NODE_WIDTH, Math.rint(characters * CHARACTER + 24));
  }

  private void placeWires(List<int[]> edges, boolean strict) {
    Map<List<Integer>, Integer> ofPair = new HashMap<>();
    edges.forEach(each -> ofPair.merge(List.of(each[0], each[1]), 1, Integer::sum));
    Map<List<Integer>, Integer> drawn = new HashMap<>();
    List<Segment> lines = new ArrayList<>();
    for (int[] each : edges) {
      List<Integer> pair = List.of(each[0], each[1]);
      int nth = drawn.merge(pair, 1, Integer::sum) - 1;
      lines.add(line(nodes.get(each[0]), nodes.get(each[1]), nth - (ofPair.get(pair) - 1) / 2.0));
    }
    List<Box> taken = new ArrayList<>(nodes);
    List<List<Label>> labels = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      List<Label> own = new ArrayList<>();
      MapCable cable = map.cables().get(i);
      own.add(place(endText(cable.one()), lines, i, 0, taken, strict));
      own.add(place(endText(cable.other()), lines, i, 1, taken, strict));
      labels.add(own);
    }
    for (int i = 0; i < lines.size(); i++) {
      labels.get(i).add(place(middleText(map.cables().get(i)), lines, i, 0.5, taken, strict));
      wires.add(new Wire(lines.get(i), labels.get(i)));
    }
  }

  /** From node to node; the second of two cables runs beside the first. */
  private static Segment line(Box one, Box other, double nth) {
    Segment middle = new Segment(one.x(), one.y(), other.x(), other.y());
    double length = Math.max(1, middle.length());
    double dx = -(other.y() - one.y()) / length * nth * PARALLEL;
    double dy = (other.x() - one.x()) / length * nth * PARALLEL;
    return new Segment(one.x() + dx, one.y() + dy, other.x() + dx, other.y() + dy);
  }

  private static List<String> endText(MapEnd end) {
    List<String> lines = new ArrayList<>(List.of(end.interfaceName()));
    lines.addAll(end.shownAddresses());
    return lines;
  }

  private static List<String> middleText(MapCable cable) {
    List<String> lines = new ArrayList<>();
    if (cable.state() != CableState.UP) {
      lines.add(cable.state().description());
    }
    lines.add(cable.subnetText());
    List<String> facts = cable.facts();
    if (!facts.isEmpty()) {
      lines.add(String.join(", ", facts.subList(0, Math.min(2, facts.size()))));
    }
    if (facts.size() > 2) {
      lines.add(facts.get(2));
    }
    return lines;
  }

  /** The free place on a line that is nearest to a point of it. */
  private Label place(
      List<String> text,
      List<Segment> lines,
      int own,
      double share,
      List<Box> taken,
      boolean strict) {
    double width = text.stream().mapToInt(String::length).max().orElse(0) * CHARACTER + 2 * GAP;
    double height = text.size() * LINE_HEIGHT + GAP;
    Segment line = lines.get(own);
    Optional<Box> found = Optional.empty();
    for (int step = 0; step <= STEPS && found.isEmpty(); step++) {
      double away = step / STEPS / 2;
      for (double at :
          share == 0.5
              ? new double[] {share - away, share + away}
              : new double[] {Math.abs(share - away)}) {
        Box box = new Box(line.x(at), line.y(at), width, height);
        if (found.isEmpty()
            && !box.overlapsAny(taken, GAP)
            && !(strict && covers(box, lines, own))) {
          found = Optional.of(box);
        }
      }
    }
    fits &= found.isPresent();
    Box box = found.orElse(new Box(line.x(share), line.y(share), width, height));
    taken.add(box);
    return new Label(box, text);
  }

  private static boolean covers(Box box, List<Segment> lines, int own) {
    for (int i = 0; i < lines.size(); i++) {
      if (i != own && box.isCrossedBy(lines.get(i))) {
        return true;
      }
    }
    return false;
  }
}
