// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.config.VerdictDelay;
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
 * another, on which there is a verdict soon; a clash is proved when none has come in {@link
 * VerdictDelay#MAX_NS}.
 *
 * <p>Of this node's own name it is proved as well when the other leaves in good order, since it
 * lived beside this one, if the two are on two hosts: they have no address in common. Nodes that
 * share one are on one host, where the next process may start before the one before it has left,
 * and that proves nothing. Where no address of one of them is known it is proved if they were both
 * there for {@value #DELAYED_MS} ms.
 *
 * <p>Confined to the thread that joins.
 */
final class Namesakes {
  /** The record that says LEFT follows a delayed one within this time. */
  private static final long DELAYED_MS = 500;

  private static final long DELAYED_NS = TimeUnit.MILLISECONDS.toNanos(DELAYED_MS);

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
  static boolean isWithinReach(MeshNode node) {
    return !node.state().isGone() && node.state() != MeshNodeState.UNREACHABLE;
  }

  /** The nodes of a name that may live: those within reach, or where none is, the others. */
  static List<MeshNode> living(List<MeshNode> nodes, String name) {
    List<MeshNode> living =
        nodes.stream()
            .filter(each -> each.peer().name().equals(name) && !each.state().isGone())
            .toList();
    List<MeshNode> near = living.stream().filter(Namesakes::isWithinReach).toList();
    return near.isEmpty() ? living : near;
  }

  /** Whether {@link #living} nodes are several; of those out of reach one may be left. */
  static boolean areSeveral(List<MeshNode> living) {
    return living.size() > 1 && isWithinReach(living.get(0));
  }

  private static Set<String> ids(List<MeshNode> nodes) {
    return nodes.stream().map(each -> each.peer().id()).collect(Collectors.toSet());
  }

  /** Only LEFT counts: a process that was killed may be this node's earlier life. */
  private static boolean hasTwinLeft(Clash was, MeshNode self, List<MeshNode> nodes, long nowNs) {
    Map<String, MeshNodeState> states =
        nodes.stream()
            .collect(
                Collectors.toMap(each -> each.peer().id(), MeshNode::state, (one, other) -> one));
    return was.nodes.stream()
        .filter(each -> !each.peer().id().equals(self.peer().id()))
        .filter(
            each -> states.getOrDefault(each.peer().id(), MeshNodeState.LEFT) == MeshNodeState.LEFT)
        .anyMatch(each -> livedBeside(self, each, nowNs - was.sinceNs));
  }

  /** Whether this node is no next life of one that has left, which it has seen for so long. */
  private static boolean livedBeside(MeshNode self, MeshNode twin, long seenNs) {
    Set<String> own = addresses(self);
    Set<String> theirs = addresses(twin);
    return own.isEmpty() || theirs.isEmpty()
        ? seenNs >= DELAYED_NS
        : Collections.disjoint(own, theirs);
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
        .filter(
            each ->
                each.getValue().isProved || nowNs - each.getValue().sinceNs >= VerdictDelay.MAX_NS)
        .map(Map.Entry::getKey)
        .findFirst();
  }
}
