// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import io.meshtransport.neighbours.map.CableState;
import io.meshtransport.neighbours.map.MapCable;
import io.meshtransport.neighbours.map.MapNode;
import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.verdict.NodeState;

/** A map in the language of Graphviz, for those who lay it out themselves. A pure function. */
public final class DotPicture {
  private DotPicture() {}

  /** The graph, undirected. */
  public static String of(MeshMap map) {
    StringBuilder text = new StringBuilder("graph mesh {\n  node [shape=box];\n");
    for (MapNode each : map.nodes()) {
      text.append(
          "  %s [label=%s%s];\n"
              .formatted(
                  quoted(each.id()),
                  quoted(each.label() + "\n" + each.description()),
                  each.state() == NodeState.ALIVE ? "" : ", style=dashed"));
    }
    for (MapCable each : map.cables()) {
      text.append(
          "  %s -- %s [taillabel=%s, headlabel=%s, label=%s%s];\n"
              .formatted(
                  quoted(each.one().node()),
                  quoted(each.other().node()),
                  quoted(each.one().interfaceName()),
                  quoted(each.other().interfaceName()),
                  quoted(
                      each.subnetText()
                          + "\n"
                          + (each.state() == CableState.UP
                              ? String.join(", ", each.facts())
                              : each.state().description())),
                  style(each.state())));
    }
    return text.append("}\n").toString();
  }

  private static String style(CableState state) {
    return switch (state) {
      case UP -> "";
      case CUT -> ", style=dashed, color=red";
      case DOWN -> ", style=dashed, color=grey";
    };
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}
