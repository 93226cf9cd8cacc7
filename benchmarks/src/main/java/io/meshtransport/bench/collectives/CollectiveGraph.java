// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** The graphs that collective operations are measured and shown on. */
public enum CollectiveGraph {
  /** Three nodes, a cable between each two. */
  TRIANGLE("triangle", "ab", "bc", "ca"),
  /** Three nodes, of which one has a cable to each other. */
  LINE("line of 3", "ab", "bc"),
  /** Four nodes, each with a cable to the next. */
  RING("ring of 4", "ab", "bc", "cd", "da"),
  /** Four nodes, a cable between each two. */
  MESH("full mesh of 4", "ab", "ac", "ad", "bc", "bd", "cd");

  private static final int MTU_BYTES = 9000;

  private final String label;
  private final List<String> pairs;

  CollectiveGraph(String label, String... pairs) {
    this.label = label;
    this.pairs = List.of(pairs);
  }

  /** What people call it. */
  public String label() {
    return label;
  }

  /** Cables without a limit to their rate. */
  public Topology unlimited() {
    List<String> nodes = new ArrayList<>(new TreeSet<>(List.of(String.join("", pairs).split(""))));
    List<Cable> cables = new ArrayList<>();
    for (String pair : pairs) {
      String subnet = "10.77.%d.".formatted(cables.size() + 1);
      cables.add(
          Cable.between(pair.substring(0, 1), subnet + "1/24", pair.substring(1), subnet + "2/24")
              .withMtu(MTU_BYTES, MTU_BYTES));
    }
    return new Topology(label, nodes, cables);
  }

  /**
   * Cables of a rate each.
   *
   * @param rateMbps of all cables, in 10^6 bits per second
   * @param lastRateMbps of the last one
   */
  public Topology limited(int rateMbps, int lastRateMbps) {
    Topology unlimited = unlimited();
    List<Cable> cables = new ArrayList<>();
    for (Cable cable : unlimited.cables()) {
      boolean isLast = cables.size() == pairs.size() - 1;
      cables.add(cable.withRate(isLast ? lastRateMbps : rateMbps));
    }
    return new Topology(label, unlimited.nodes(), cables);
  }
}
