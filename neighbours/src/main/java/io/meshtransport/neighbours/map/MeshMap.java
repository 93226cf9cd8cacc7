// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes of a mesh, the cables between them and what is wrong with those, as one node knows it
 * at one moment. A value; equal meshes have equal maps.
 *
 * @param format {@value #FORMAT}; another number would follow if a field were removed or changed
 *     its meaning, not if one is added
 * @param nodes by name
 * @param cables in the order of their first ends
 * @param paths between nodes that have relays and no cable that works, in the order of the nodes
 */
public record MeshMap(
    String format,
    List<MapNode> nodes,
    List<MapCable> cables,
    List<MapPath> paths,
    List<MapFinding> findings) {
  /** Of the JSON form. */
  public static final String FORMAT = "mesh-map/1";

  public MeshMap {
    nodes = List.copyOf(nodes);
    cables = List.copyOf(cables);
    paths = paths == null ? List.of() : List.copyOf(paths);
    findings = List.copyOf(findings);
  }

  /** The documented form, indented; one version of this library reads that of another. */
  public String json() {
    return RecordJson.of(this);
  }

  /** The position of each node in the list, by id. */
  public Map<String, Integer> positions() {
    Map<String, Integer> positions = new HashMap<>();
    nodes.forEach(each -> positions.put(each.id(), positions.size()));
    return positions;
  }

  /** Nodes and cables in numbers, as in {@code 3 nodes, 3 cables: 2 up, 1 CUT}. */
  public String summary() {
    StringBuilder text = new StringBuilder(count(nodes.size(), "node"));
    text.append(", ").append(count(cables.size(), "cable"));
    String gap = ": ";
    for (CableState state : CableState.values()) {
      long count = cables.stream().filter(each -> each.state() == state).count();
      if (count > 0) {
        text.append(gap).append(count).append(' ').append(state.description());
        gap = ", ";
      }
    }
    return text.toString();
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
