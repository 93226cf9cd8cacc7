// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which names several nodes within reach have at one time. One of them may be the earlier life of
 * another, on which there is a verdict soon; a clash is proved when none has come. Of this node's
 * own name it is proved as well when the other leaves in good order: it lived beside this one.
 * Confined to the thread that joins.
 */
final class Namesakes {
  /** A verdict takes up to 2 s: as long as {@link io.meshtransport.spi.Mesh#connect} waits. */
  static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(2_500);

  /** A record that was on its way when its node left is not followed by the last one so late. */
  private static final long ALIVE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Map<String, Clash> clashes = new TreeMap<>();

  /**
   * @param nodes all that have the name, as they were when all were there
   * @param sinceNs when the last of them came
   */
  private record Clash(List<MeshNode> nodes, long sinceNs, boolean isProved) {
    Set<String> ids() {
      return Namesakes.ids(nodes);
    }

    Clash proved() {
      return new Clash(nodes, sinceNs, true);
    }
  }

  /**
   * @param nodes the others that the mesh knows now
   */
  void note(MeshNode self, List<MeshNode> nodes, long nowNs) {
    Map<String, List<MeshNode>> doubled =
        Stream.concat(Stream.of(self), nodes.stream())
            .filter(Namesakes::isWithinReach)
            .collect(Collectors.groupingBy(each -> each.peer().name()));
    doubled.values().removeIf(each -> each.size() < 2);
    clashes.computeIfPresent(
        self.peer().name(),
        (name, was) -> hasTwinLeft(was, self, nodes, nowNs) ? was.proved() : was);
    clashes.entrySet().removeIf(each -> hasEnded(each.getValue(), doubled.get(each.getKey())));
    doubled.forEach(
        (name, now) -> {
          Clash was = clashes.get(name);
          if (was == null || !was.isProved) {
            boolean isSame = was != null && was.ids().containsAll(ids(now));
            clashes.put(name, new Clash(now, isSame ? was.sinceNs : nowNs, false));
          }
        });
  }

  private static boolean hasEnded(Clash was, List<MeshNode> now) {
    return now == null && !was.isProved;
  }

  /** A node out of reach may be an earlier life of one within reach. */
  private static boolean isWithinReach(MeshNode node) {
    return !node.state().isGone() && node.state() != MeshNodeState.UNREACHABLE;
  }

  private static Set<String> ids(List<MeshNode> nodes) {
    return nodes.stream().map(each -> each.peer().id()).collect(Collectors.toSet());
  }

  /** A process that has ended otherwise may have been this node's earlier life. */
  private static boolean hasTwinLeft(Clash was, MeshNode self, List<MeshNode> nodes, long nowNs) {
    Map<String, MeshNodeState> states =
        nodes.stream()
            .collect(
                Collectors.toMap(each -> each.peer().id(), MeshNode::state, (one, other) -> one));
    return was.nodes.stream()
        .filter(each -> !each.peer().id().equals(self.peer().id()))
        .filter(
            each -> states.getOrDefault(each.peer().id(), MeshNodeState.LEFT) == MeshNodeState.LEFT)
        .anyMatch(each -> nowNs - was.sinceNs >= ALIVE_NS || areApart(self, each));
  }

  /** Whether two nodes are on two hosts, as their addresses show. */
  private static boolean areApart(MeshNode one, MeshNode other) {
    return !one.interfaces().isEmpty()
        && !other.interfaces().isEmpty()
        && Collections.disjoint(addresses(one), addresses(other));
  }

  /** Without the names of the interfaces, which hosts have in common. */
  private static Set<String> addresses(MeshNode node) {
    Set<String> addresses = new HashSet<>();
    for (String each : node.interfaces()) {
      List<String> words = new ArrayList<>(List.of(each.split(" ")));
      words.remove(0);
      addresses.addAll(words);
    }
    return addresses;
  }

  /** The nodes that have a name at one time now, or have had it before one left; empty if none. */
  List<MeshNode> of(String name) {
    Clash clash = clashes.get(name);
    return clash == null ? List.of() : clash.nodes;
  }

  /** The names that several nodes within reach have, in their order. */
  Set<String> names() {
    return Collections.unmodifiableSet(clashes.keySet());
  }

  /** The first of some names that several nodes have, if no verdict can change that any more. */
  Optional<String> proved(Set<String> names, long nowNs) {
    return clashes.entrySet().stream()
        .filter(each -> names.contains(each.getKey()))
        .filter(each -> each.getValue().isProved || nowNs - each.getValue().sinceNs >= SETTLE_NS)
        .map(Map.Entry::getKey)
        .findFirst();
  }
}
