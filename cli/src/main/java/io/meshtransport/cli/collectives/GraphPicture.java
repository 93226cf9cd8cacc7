// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.collectives;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Topology;

/**
 * Nodes below each other, and a column for each cable from its one node to its other; as text.
 *
 * @param topology its nodes and cables, in their order
 */
record GraphPicture(Topology topology) {
  private static final String GAP = "──";
  private static final String SPACE = "  ";

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int node = 0; node < topology.nodes().size(); node++) {
      text.append("    ").append(topology.nodes().get(node)).append(' ');
      int last = lastEnd(node);
      for (int cable = 0; cable < topology.cables().size(); cable++) {
        text.append(cell(node, cable, cable <= last));
      }
      text.append(System.lineSeparator());
    }
    return text.append("    ").append(legend()).toString();
  }

  /** The last column in which a node has an end: a line leads to it. */
  private int lastEnd(int node) {
    int last = -1;
    for (int cable = 0; cable < topology.cables().size(); cable++) {
      last = topology.cables().get(cable).touches(topology.nodes().get(node)) ? cable : last;
    }
    return last;
  }

  private String cell(int node, int cable, boolean isLine) {
    int a = topology.nodes().indexOf(topology.cables().get(cable).a().node());
    int b = topology.nodes().indexOf(topology.cables().get(cable).b().node());
    String before = isLine ? GAP : SPACE;
    if (node == Math.min(a, b)) {
      return before + (lastEnd(node) == cable ? '┐' : '┬');
    }
    if (node == Math.max(a, b)) {
      return before + (lastEnd(node) == cable ? '┘' : '┴');
    }
    boolean passes = node > Math.min(a, b) && node < Math.max(a, b);
    if (passes) {
      return before + (isLine ? '┼' : '│');
    }
    return before + (isLine ? '─' : ' ');
  }

  private String legend() {
    StringBuilder text = new StringBuilder();
    for (Cable cable : topology.cables()) {
      text.append(text.isEmpty() ? "" : ", ")
          .append(cable.a().node())
          .append('-')
          .append(cable.b().node());
      cable.rateMbps().ifPresent(rate -> text.append(' ').append(rate).append(" Mb/s"));
    }
    return text.toString();
  }
}
