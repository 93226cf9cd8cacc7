// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static java.util.stream.Collectors.counting;

import io.meshtransport.config.HostName;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a mesh says of members that keep a group waiting, for the text of a failure: who is there,
 * and what this node has found wrong at any time since the join began. Two nodes of one name, for
 * example, fail and leave, and then are found no longer; a third may never have seen both at one
 * time. Confined to the thread that joins.
 */
final class MemberNews {
  /** The kind of finding that is made here too: a mesh looks once a second only. */
  private static final String DUPLICATE_NAME = "DUPLICATE_NAME";

  /** The kind of finding that {@link SeenNodes} knows for the time of the join. */
  private static final String REUSED_NAME = "REUSED_NAME";

  private static final String REMEDY = "Give each a name of its own with MESH_NODE.";

  /** Max findings that are kept, of a host whose cables come and go; the earliest is dropped. */
  private static final int MAX_FOUND = 32;

  private final Optional<MeshRendezvous> rendezvous;
  private final Set<String> came = new TreeSet<>();
  private final SeenNodes seen = new SeenNodes();
  private final String hostName = HostName.read();

  /** By kind and subject, which identify a finding, in the order of their first sight. */
  private final Map<List<String>, MeshFinding> found = new LinkedHashMap<>();

  /**
   * @param rendezvous empty without a mesh, of which there is nothing to say then
   */
  MemberNews(Optional<MeshRendezvous> rendezvous) {
    this.rendezvous = rendezvous;
  }

  /** Notes who is there and what is found now, and members that have come. */
  void note(Collection<String> present) {
    came.addAll(present);
    rendezvous.ifPresent(each -> observe(each.mesh(), each.mesh().nodes()));
  }

  /** What is wrong now, by kind and subject. */
  private Map<List<String>, MeshFinding> observe(Mesh mesh, List<MeshNode> nodes) {
    Map<List<String>, MeshFinding> now = wrongNow(mesh, nodes);
    keep(now);
    seen.note(nodes);
    return now;
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
   * Which nodes share a name, where they are, and what to do.
   *
   * @param present the names of members that have come, of which some are there twice
   */
  String doubled(Collection<String> present) {
    Map<String, Long> counts =
        present.stream().collect(Collectors.groupingBy(each -> each, TreeMap::new, counting()));
    counts.values().removeIf(each -> each < 2);
    return counts.entrySet().stream()
        .map(each -> doubled(each.getKey(), each.getValue()))
        .collect(Collectors.joining(" "));
  }

  private String doubled(String name, long count) {
    return rendezvous
        .map(each -> join(duplicateName(each.mesh(), name, namesakes(each.mesh(), name))))
        .orElse("%d members are named '%s'. %s".formatted(count, name, REMEDY));
  }

  private List<MeshNode> namesakes(Mesh mesh, String name) {
    List<MeshNode> others = living(mesh.nodes(), name);
    boolean isOwn = mesh.self().peer().name().equals(name);
    int needed = isOwn ? 1 : 2;
    List<MeshNode> nodes = new ArrayList<>(isOwn ? List.of(mesh.self()) : List.of());
    // One that fails for it as well may have left since it was counted.
    nodes.addAll(others.size() < needed ? seen.named(name) : others);
    return nodes;
  }

  private static String join(MeshFinding finding) {
    return finding.text() + " " + finding.remedy();
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
    List<MeshNode> nodes = there.mesh().nodes();
    Map<List<String>, MeshFinding> now = observe(there.mesh(), nodes);
    StringBuilder text = new StringBuilder();
    Set<List<String>> said = new HashSet<>();
    for (String each : members) {
      List<MeshNode> living = living(nodes, each);
      if (living.size() > 1) {
        MeshFinding doubled = duplicateName(there.mesh(), each, living);
        text.append(" ").append(join(doubled));
        said.add(key(doubled));
        said.add(List.of(REUSED_NAME, each));
      } else {
        text.append(living.isEmpty() ? absent(nodes, each) : present(there, living.get(0)));
      }
    }
    found.keySet().stream()
        .filter(key -> key.get(0).equals(DUPLICATE_NAME))
        .forEach(key -> said.add(List.of(REUSED_NAME, key.get(1))));
    seen.doubled()
        .forEach(
            (name, lives) -> {
              if (said.add(List.of(REUSED_NAME, name))) {
                text.append(reused(name, lives, nodes));
              }
            });
    found.forEach(
        (key, each) -> {
          if (!said.contains(key)) {
            text.append(" This node has found")
                .append(
                    now.containsKey(key)
                        ? ", and it is so still: "
                        : " while it waited, and it is so no longer: ")
                .append(each);
          }
        });
    return text.toString();
  }

  /** No reason to end the wait: a node that is started again has another id, and may come. */
  private static String reused(String name, List<MeshNode> lives, List<MeshNode> nodes) {
    return " %d nodes named '%s' have been seen since the join began: %s. If they are two hosts, give each a name of its own with MESH_NODE; if one node was started again, its name is right."
        .formatted(
            lives.size(),
            name,
            lives.stream()
                .map(
                    each ->
                        each.description()
                            + (isThere(nodes, each) ? ", which is there" : ", which is gone"))
                .collect(Collectors.joining("; ")));
  }

  private static boolean isThere(List<MeshNode> nodes, MeshNode node) {
    return nodes.stream()
        .anyMatch(each -> each.peer().equals(node.peer()) && !each.state().isGone());
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

  private Map<List<String>, MeshFinding> wrongNow(Mesh mesh, List<MeshNode> nodes) {
    Map<List<String>, MeshFinding> now = new LinkedHashMap<>();
    Stream.concat(Stream.of(mesh.self()), nodes.stream())
        .filter(each -> each.state() == MeshNodeState.ALIVE)
        .collect(Collectors.groupingBy(each -> each.peer().name()))
        .forEach(
            (name, named) -> {
              if (named.size() > 1) {
                MeshFinding doubled = duplicateName(mesh, name, named);
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

  private MeshFinding duplicateName(Mesh mesh, String name, List<MeshNode> nodes) {
    String self = mesh.self().peer().id();
    return new MeshFinding(
        DUPLICATE_NAME,
        name,
        "%d nodes are named '%s': %s."
            .formatted(
                nodes.size(),
                name,
                nodes.stream()
                    .map(
                        each ->
                            each.peer().id().equals(self)
                                ? "this node, %s, on host %s"
                                    .formatted(each.description(), hostName)
                                : each.description())
                    .collect(Collectors.joining("; "))),
        REMEDY);
  }
}
