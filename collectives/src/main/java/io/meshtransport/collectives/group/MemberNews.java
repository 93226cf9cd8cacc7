// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a mesh says of members that keep a group waiting, for the text of a failure: who is there,
 * and what this node has found wrong at any time since the join began. Two nodes of one name, for
 * example, fail and leave, and then are found no longer. Confined to the thread that joins.
 */
final class MemberNews {
  /** The kind of finding that is made here too: a mesh looks once a second only. */
  private static final String DUPLICATE_NAME = "DUPLICATE_NAME";

  /** Max findings that are kept, of a host whose cables come and go; the earliest is dropped. */
  private static final int MAX_FOUND = 32;

  private final Optional<MeshRendezvous> rendezvous;
  private final Set<String> came = new TreeSet<>();

  /** By kind and subject, which identify a finding, in the order of their first sight. */
  private final Map<List<String>, MeshFinding> found = new LinkedHashMap<>();

  /**
   * @param rendezvous empty without a mesh, of which there is nothing to say then
   */
  MemberNews(Optional<MeshRendezvous> rendezvous) {
    this.rendezvous = rendezvous;
  }

  /** Notes what is found now, and members that have come. */
  void note(Collection<String> present) {
    came.addAll(present);
    rendezvous.ifPresent(each -> keep(wrongNow(each.mesh())));
  }

  private void keep(Map<List<String>, MeshFinding> now) {
    found.putAll(now);
    while (found.size() > MAX_FOUND) {
      found.remove(found.keySet().iterator().next());
    }
  }

  /** The names of the members that have come at any time, in their order. */
  Set<String> came() {
    return Collections.unmodifiableSet(came);
  }

  /**
   * A sentence for each member of whom the mesh says something else than that one node of its name
   * lives and is in the group, then what this node has found wrong since the join began; each with
   * a blank before it. Empty if there is neither.
   *
   * @param members but this one
   */
  String of(Collection<String> members) {
    return rendezvous.map(each -> of(each, members)).orElse("");
  }

  private String of(MeshRendezvous there, Collection<String> members) {
    Map<List<String>, MeshFinding> now = wrongNow(there.mesh());
    keep(now);
    List<MeshNode> nodes = there.mesh().nodes();
    StringBuilder text = new StringBuilder();
    for (String each : members) {
      List<MeshNode> living = living(nodes, each);
      if (living.size() > 1) {
        MeshFinding doubled = doubled(each, living);
        text.append(" ").append(doubled.text()).append(" ").append(doubled.remedy());
        now.remove(key(doubled));
        found.remove(key(doubled));
      } else {
        text.append(living.isEmpty() ? absent(nodes, each) : present(there, living.get(0)));
      }
    }
    found.forEach(
        (key, each) ->
            text.append(" This node has found")
                .append(
                    now.containsKey(key)
                        ? ", and it is so still: "
                        : " while it waited, and it is so no longer: ")
                .append(each));
    return text.toString();
  }

  private static String absent(List<MeshNode> nodes, String name) {
    List<MeshNode> gone = nodes.stream().filter(each -> each.peer().name().equals(name)).toList();
    return gone.isEmpty()
        ? " The mesh knows no node '%s'.".formatted(name)
        : " " + verdict(MeshNode.latest(gone));
  }

  private String present(MeshRendezvous there, MeshNode node) {
    if (node.state() != MeshNodeState.ALIVE) {
      return " " + verdict(node);
    }
    if (there.has(node)) {
      return "";
    }
    String name = node.peer().name();
    List<String> groups = there.otherGroups(node);
    return " %s is in the mesh and has %s this group%s."
        .formatted(
            name,
            came.contains(name) ? "left" : "not joined",
            groups.isEmpty() ? "" : "; it is in " + String.join(", ", groups));
  }

  /** A sentence with the state of a node, and what that follows from. */
  static String verdict(MeshNode node) {
    return "The mesh says that %s is %s%s."
        .formatted(
            node.peer(), node.state(), node.evidence().isEmpty() ? "" : ": " + node.evidence());
  }

  /** What is wrong now, by kind and subject. */
  private static Map<List<String>, MeshFinding> wrongNow(Mesh mesh) {
    Map<List<String>, MeshFinding> now = new LinkedHashMap<>();
    List<MeshNode> alive =
        Stream.concat(Stream.of(mesh.self()), mesh.nodes().stream())
            .filter(each -> each.state() == MeshNodeState.ALIVE)
            .toList();
    alive.stream()
        .collect(Collectors.groupingBy(each -> each.peer().name()))
        .forEach(
            (name, named) -> {
              if (named.size() > 1) {
                MeshFinding doubled = doubled(name, named);
                now.put(key(doubled), doubled);
              }
            });
    mesh.findings().forEach(each -> now.putIfAbsent(key(each), each));
    return now;
  }

  private static List<String> key(MeshFinding of) {
    return List.of(of.kind(), of.subject());
  }

  private static List<MeshNode> living(List<MeshNode> nodes, String name) {
    return nodes.stream()
        .filter(each -> each.peer().name().equals(name) && !each.state().isGone())
        .toList();
  }

  private static MeshFinding doubled(String name, List<MeshNode> nodes) {
    return new MeshFinding(
        DUPLICATE_NAME,
        name,
        "%d nodes are named '%s': %s."
            .formatted(
                nodes.size(),
                name,
                nodes.stream().map(each -> each.peer().id()).collect(Collectors.joining(", "))),
        "Give each a name of its own with MESH_NODE.");
  }
}
