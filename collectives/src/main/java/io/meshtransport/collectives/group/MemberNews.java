// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a mesh says of members that keep a group waiting, for the text of a failure. */
final class MemberNews {
  private MemberNews() {}

  /**
   * A sentence for each member of whom the mesh says something else than that one node of its name
   * lives, then what this node has found wrong but with those members' names, which is said
   * already; each with a blank before it. Empty if there is neither.
   *
   * @param nodes of the mesh
   * @param findings of this node
   * @param others names of the members but this one
   */
  static String of(List<MeshNode> nodes, List<MeshFinding> findings, Collection<String> others) {
    return Stream.concat(
            others.stream().map(each -> of(each, named(nodes, each))),
            findings.stream()
                .filter(each -> !others.contains(each.subject()))
                .map(each -> " This node has found: " + each))
        .collect(Collectors.joining());
  }

  private static List<MeshNode> named(List<MeshNode> nodes, String name) {
    return nodes.stream().filter(each -> each.peer().name().equals(name)).toList();
  }

  private static String of(String name, List<MeshNode> named) {
    List<MeshNode> living = named.stream().filter(each -> !each.state().isGone()).toList();
    if (named.isEmpty()) {
      return " The mesh knows no node '%s'.".formatted(name);
    }
    if (living.size() > 1) {
      return " %d nodes are named '%s': %s. Give each a name of its own with MESH_NODE."
          .formatted(
              living.size(),
              name,
              living.stream().map(each -> each.peer().id()).collect(Collectors.joining(", ")));
    }
    MeshNode last = MeshNode.latest(living.isEmpty() ? named : living);
    return last.state() == MeshNodeState.ALIVE ? "" : " " + verdict(last);
  }

  /** A sentence with the state of a node, and what that follows from. */
  static String verdict(MeshNode node) {
    return "The mesh says that %s is %s%s."
        .formatted(
            node.peer(), node.state(), node.evidence().isEmpty() ? "" : ": " + node.evidence());
  }
}
