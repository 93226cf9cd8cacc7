// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.plan;

import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A graph as text: a line {@code a b 100Gb/s 5us} for each cable, {@code a limit 150Gb/s} for what
 * a node sends and receives over all of them, # begins a comment. Ranks are in the order of their
 * names.
 */
public final class GraphFile {
  private static final Pattern QUANTITY = Pattern.compile("(\\d+(?:\\.\\d+)?)([A-Za-z/]+)");
  private static final Map<String, Double> RATES =
      Map.of("kb/s", 1e3, "Mb/s", 1e6, "Gb/s", 1e9, "Tb/s", 1e12);
  private static final Map<String, Double> TIMES = Map.of("ns", 1.0, "us", 1e3, "ms", 1e6);
  private static final String LIMIT = "limit";
  private static final double BITS = 8;
  private static final int CABLE_WORDS = 4;

  /** One cable or limit of the file. */
  private record Line(String one, String other, long bytesPerSecond, long latencyNs) {}

  private final List<Line> cables = new ArrayList<>();
  private final Map<String, Long> limits = new TreeMap<>();

  private GraphFile() {}

  /**
   * Reads a graph.
   *
   * @param name of the file, for messages
   * @throws IOException if it is no graph, with the line
   */
  public static LinkGraph read(String name, String text) throws IOException {
    GraphFile file = new GraphFile();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      try {
        file.add(line.replaceFirst("#.*", "").strip());
      } catch (IllegalArgumentException e) {
        throw new IOException(name + ", line " + number + ": " + e.getMessage(), e);
      }
    }
    try {
      return file.graph();
    } catch (IllegalArgumentException e) {
      throw new IOException(name + ": " + e.getMessage(), e);
    }
  }

  private void add(String line) {
    String[] words = line.split("\\s+");
    if (line.isEmpty()) {
      return;
    }
    if (words.length == CABLE_WORDS - 1 && words[1].equals(LIMIT)) {
      limits.put(words[0], rate(words[2]));
    } else if (words.length == CABLE_WORDS) {
      cables.add(new Line(words[0], words[1], rate(words[2]), (long) quantity(words[3], TIMES)));
    } else {
      throw new IllegalArgumentException(
          "'%s' is neither a cable, as in `a b 100Gb/s 5us`, nor a limit, as in `a limit 150Gb/s`"
              .formatted(line));
    }
  }

  private static long rate(String word) {
    return Math.max(1, Math.round(quantity(word, RATES) / BITS));
  }

  private static double quantity(String word, Map<String, Double> units) {
    Matcher matcher = QUANTITY.matcher(word);
    if (!matcher.matches() || !units.containsKey(matcher.group(2))) {
      throw new IllegalArgumentException(
          "'%s' is no number with one of the units %s"
              .formatted(word, new TreeSet<>(units.keySet())));
    }
    return Double.parseDouble(matcher.group(1)) * units.get(matcher.group(2));
  }

  private LinkGraph graph() {
    TreeSet<String> names = new TreeSet<>(limits.keySet());
    cables.forEach(each -> names.addAll(List.of(each.one(), each.other())));
    List<String> ranks = List.copyOf(names);
    List<GraphLink> links = new ArrayList<>();
    for (Line each : cables) {
      links.add(
          new GraphLink(
              ranks.indexOf(each.one()),
              ranks.indexOf(each.other()),
              each.bytesPerSecond(),
              each.latencyNs()));
    }
    return new LinkGraph(
        ranks, links, ranks.stream().map(each -> limits.getOrDefault(each, 0L)).toList());
  }
}
