// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import io.meshtransport.neighbours.map.CableState;
import io.meshtransport.neighbours.map.MapCable;
import io.meshtransport.neighbours.map.MapEnd;
import io.meshtransport.neighbours.map.MapFinding;
import io.meshtransport.neighbours.map.MapInterface;
import io.meshtransport.neighbours.map.MapNode;
import io.meshtransport.neighbours.map.MeshMap;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A map as lines of characters: a box per node with a row per interface, and every cable drawn from
 * the row of one end to that of the other. A cable that is cut is dotted and has an x. A pure
 * function of the map.
 */
public final class TerminalPicture {
  private static final int TRACK_COLUMNS = 3;
  private static final int MARGIN = 2;
  private static final int PATHS_SHOWN = 12;
  private static final String GAP = "  ";

  /** Instead of the number of a cable, in rows that are no end of one. */
  private static final int NO_CABLE = -1;

  private static final int HEADING = -2;
  private static final int FOOT = -3;

  /** The characters that lines are drawn with. */
  enum Glyphs {
    UNICODE("─│╌╎┐┘┼┌└├"),
    ASCII("-|.:+++++|");

    private final String all;

    Glyphs(String all) {
      this.all = all;
    }

    char across(boolean works) {
      return all.charAt(works ? 0 : 2);
    }

    char down(boolean works) {
      return all.charAt(works ? 1 : 3);
    }

    char lowerTurn() {
      return all.charAt(4);
    }

    char upperTurn() {
      return all.charAt(5);
    }

    char crossing() {
      return all.charAt(6);
    }

    char topLeft() {
      return all.charAt(7);
    }

    char bottomLeft() {
      return all.charAt(8);
    }

    char branch() {
      return all.charAt(9);
    }
  }

  /** A line of the boxes' column. */
  private static final class Row {
    final String text;

    /** Of which cable this is an end; or one of the constants. */
    final int cable;

    Row(String text, int cable) {
      this.text = text;
      this.cable = cable;
    }
  }

  private final MeshMap map;
  private final Glyphs glyphs;
  private final List<Row> rows = new ArrayList<>();
  private int[] upper;
  private int[] lower;
  private int[] tracks;

  private TerminalPicture(MeshMap map, Glyphs glyphs) {
    this.map = map;
    this.glyphs = glyphs;
  }

  /**
   * The picture, what is wrong below it, and the numbers above it.
   *
   * @param charset of the terminal: one without box-drawing characters gets ASCII
   */
  public static String of(MeshMap map, Charset charset) {
    boolean isRich = charset.newEncoder().canEncode(Glyphs.UNICODE.all);
    return new TerminalPicture(map, isRich ? Glyphs.UNICODE : Glyphs.ASCII).text();
  }

  private String text() {
    layRows();
    assignTracks();
    StringBuilder text = new StringBuilder(map.summary()).append("\n\n");
    String[] facts = facts();
    int width = rows.stream().mapToInt(each -> each.text.length()).max().orElse(0);
    int used = Arrays.stream(tracks).max().orElse(-1) + 1;
    for (int row = 0; row < rows.size(); row++) {
      text.append((box(row, width) + wires(row, used) + facts[row]).stripTrailing()).append('\n');
    }
    return text.append(remarks()).toString();
  }

  private void layRows() {
    upper = new int[map.cables().size()];
    lower = new int[map.cables().size()];
    Arrays.fill(upper, -1);
    for (MapNode node : map.nodes()) {
      rows.add(new Row(node.label() + " (" + node.description() + ")", HEADING));
      List<Integer> own = cablesOf(node);
      own.sort(Comparator.comparingInt(each -> end(each, node).interfaceIndex()));
      int nameWidth =
          Stream.concat(
                  node.interfaces().stream().map(MapInterface::name),
                  own.stream().map(each -> end(each, node).interfaceName()))
              .mapToInt(String::length)
              .max()
              .orElse(0);
      for (int cable : own) {
        MapEnd end = end(cable, node);
        connect(cable);
        rows.add(new Row(interfaceText(end.interfaceName(), end.addresses(), nameWidth), cable));
      }
      for (MapInterface each : node.interfaces()) {
        if (own.stream().noneMatch(one -> end(one, node).interfaceIndex() == each.index())) {
          rows.add(new Row(interfaceText(each.name(), each.addresses(), nameWidth), NO_CABLE));
        }
      }
      rows.add(new Row("", FOOT));
    }
  }

  private List<Integer> cablesOf(MapNode node) {
    List<Integer> own = new ArrayList<>();
    for (int i = 0; i < map.cables().size(); i++) {
      MapCable cable = map.cables().get(i);
      if (cable.one().node().equals(node.id()) || cable.other().node().equals(node.id())) {
        own.add(i);
      }
    }
    return own;
  }

  private MapEnd end(int cable, MapNode node) {
    MapEnd one = map.cables().get(cable).one();
    return one.node().equals(node.id()) ? one : map.cables().get(cable).other();
  }

  private void connect(int cable) {
    if (upper[cable] < 0) {
      upper[cable] = rows.size();
    } else {
      lower[cable] = rows.size();
    }
  }

  private static String interfaceText(String name, List<String> addresses, int nameWidth) {
    List<String> shown = MapEnd.shown(addresses);
    return name + " ".repeat(nameWidth - name.length()) + GAP + String.join(" ", shown);
  }

  /** Short cables lie inside, so that few lines cross. */
  private void assignTracks() {
    tracks = new int[upper.length];
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < upper.length; i++) {
      order.add(i);
    }
    order.sort(
        Comparator.<Integer>comparingInt(each -> lower[each] - upper[each])
            .thenComparingInt(each -> upper[each]));
    List<List<Integer>> taken = new ArrayList<>();
    for (int cable : order) {
      int track = 0;
      while (track < taken.size() && taken.get(track).stream().anyMatch(o -> overlap(o, cable))) {
        track++;
      }
      if (track == taken.size()) {
        taken.add(new ArrayList<>());
      }
      taken.get(track).add(cable);
      tracks[cable] = track;
    }
  }

  private boolean overlap(int one, int other) {
    return upper[one] <= lower[other] && upper[other] <= lower[one];
  }

  private String box(int row, int width) {
    Row it = rows.get(row);
    String line = String.valueOf(glyphs.across(true));
    int fill = width - it.text.length();
    return switch (it.cable) {
      case HEADING ->
          glyphs.topLeft()
              + line
              + " "
              + it.text
              + " "
              + line.repeat(fill + 1)
              + glyphs.lowerTurn();
      case FOOT -> glyphs.bottomLeft() + line.repeat(width + 4) + glyphs.upperTurn();
      default ->
          glyphs.down(true)
              + GAP
              + it.text
              + " ".repeat(fill + MARGIN)
              + (it.cable < 0 ? glyphs.down(true) : glyphs.branch());
    };
  }

  private String wires(int row, int used) {
    char[] line = new char[used * TRACK_COLUMNS + MARGIN];
    Arrays.fill(line, ' ');
    for (int cable = 0; cable < upper.length; cable++) {
      if (upper[cable] < row && row < lower[cable]) {
        line[column(cable)] = glyphs.down(works(cable));
      }
    }
    int own = rows.get(row).cable;
    if (own >= 0) {
      for (int column = 0; column < column(own); column++) {
        line[column] = line[column] == ' ' ? glyphs.across(works(own)) : glyphs.crossing();
      }
      line[column(own)] = row == upper[own] ? glyphs.lowerTurn() : glyphs.upperTurn();
      if (map.cables().get(own).state() == CableState.CUT) {
        line[0] = 'x';
      }
    }
    return new String(line);
  }

  private int column(int cable) {
    return tracks[cable] * TRACK_COLUMNS + MARGIN;
  }

  private boolean works(int cable) {
    return map.cables().get(cable).state() == CableState.UP;
  }

  /** What is known of a cable, beside its upper end; the place of the other end beside both. */
  private String[] facts() {
    String[] facts = new String[rows.size()];
    Arrays.fill(facts, "");
    int placeWidth =
        map.cables().stream()
            .flatMap(each -> Stream.of(each.one(), each.other()))
            .mapToInt(each -> each.place().length())
            .max()
            .orElse(0);
    int subnetWidth =
        map.cables().stream().mapToInt(each -> each.subnetText().length()).max().orElse(0);
    for (int i = 0; i < upper.length; i++) {
      MapCable cable = map.cables().get(i);
      facts[upper[i]] =
          GAP
              + padded(cable.other().place(), placeWidth)
              + GAP
              + padded(cable.subnetText(), subnetWidth)
              + GAP
              + padded(cable.state().description(), "down".length())
              + GAP
              + String.join(", ", cable.facts());
      facts[lower[i]] = GAP + cable.one().place();
    }
    return facts;
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(width - text.length());
  }

  private String remarks() {
    StringBuilder text = new StringBuilder();
    if (!map.paths().isEmpty()) {
      text.append("\nno cable joins ")
          .append(map.paths().size() == 1 ? "this pair" : "these pairs")
          .append(", relays do:");
      map.paths().stream()
          .limit(PATHS_SHOWN)
          .forEach(each -> text.append("\n    ").append(each.text()));
      if (map.paths().size() > PATHS_SHOWN) {
        text.append("\n    and ").append(map.paths().size() - PATHS_SHOWN).append(" more");
      }
    }
    for (MapNode each : map.nodes()) {
      if (!each.evidence().isEmpty()) {
        text.append("\n%s is %s: %s".formatted(each.label(), each.description(), each.evidence()));
      }
    }
    for (MapFinding each : map.findings()) {
      text.append(
          "\nat %s, %s: %s\n    remedy: %s"
              .formatted(each.node(), each.subject(), each.text(), each.remedy()));
    }
    return text.length() == 0 ? "" : text.append('\n').toString();
  }
}
