// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The nodes that were alive at any time since a join began, also those that the mesh has removed.
 * Confined to the thread that joins.
 */
final class SeenNodes {
  /** Max nodes: twice those of the largest mesh. The first that was seen is dropped. */
  static final int MAX = 512;

  /** By id, as each was when it was alive last. */
  private final Map<String, MeshNode> nodes = new LinkedHashMap<>();

  /**
   * @param now the nodes of the mesh
   */
  void note(Collection<MeshNode> now) {
    for (MeshNode each : now) {
      if (each.state() == MeshNodeState.ALIVE) {
        nodes.put(each.peer().id(), each);
      }
    }
    while (nodes.size() > MAX) {
      nodes.remove(nodes.keySet().iterator().next());
    }
  }

  /** Those of a name, in the order of their first sight. */
  List<MeshNode> named(String name) {
    return nodes.values().stream().filter(each -> each.peer().name().equals(name)).toList();
  }

  /** The names that several have had, at one time or one after the other, and who. */
  Map<String, List<MeshNode>> doubled() {
    Map<String, List<MeshNode>> byName =
        nodes.values().stream()
            .collect(
                Collectors.groupingBy(
                    each -> each.peer().name(), TreeMap::new, Collectors.toList()));
    byName.values().removeIf(each -> each.size() < 2);
    return byName;
  }
}
