// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.CableEvidence;
import io.meshtransport.neighbours.adjacency.HelloInterface;
import io.meshtransport.neighbours.adjacency.Hellos;
import io.meshtransport.neighbours.finding.CableView;
import io.meshtransport.neighbours.finding.Diagnosis;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.neighbours.finding.NeighbourView;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Compares the findings of now with those of before, once a second: what is wrong with a cable for
 * less is its plugging in.
 */
final class FindingWatch {
  static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

  private final Hellos hellos;
  private final RecentNodes nodes;
  private final NeighbourListener listener;
  private List<Finding> findings = List.of();

  /** By name: when several nodes had it at one time last. */
  private final Map<String, Long> doubledNs = new HashMap<>();

  private long nextNs;

  FindingWatch(Hellos hellos, RecentNodes nodes, NeighbourListener listener) {
    this.hellos = hellos;
    this.nodes = nodes;
    this.listener = listener;
  }

  /** The findings of the last comparison. */
  List<Finding> findings() {
    return findings;
  }

  long nextDueNs() {
    return nextNs;
  }

  void tick(long nowNs) {
    if (nowNs < nextNs) {
      return;
    }
    nextNs = nowNs + PAUSE_NS;
    List<Finding> before = findings;
    MeshGraph reachable = nodes.reachable();
    doubledNs.values().removeIf(each -> nowNs - each >= RecentNodes.RECENT_NS);
    findings =
        Diagnosis.of(
            cables(nowNs),
            nodes.present(reachable),
            nodes.recent(reachable, nowNs),
            doubledNs.keySet());
    findings.stream()
        .filter(each -> each.kind() == FindingKind.DUPLICATE_NAME)
        .forEach(each -> doubledNs.put(each.subject(), nowNs));
    for (Finding each : before) {
      if (findings.stream().noneMatch(each::isSameAs)) {
        listener.cleared(each);
      }
    }
    // What is new comes first: a log that has new words already has them nowhere else.
    for (Finding each : findings) {
      if (before.stream().noneMatch(each::isSameAs)) {
        listener.found(each);
      }
    }
    for (Finding each : findings) {
      if (before.stream().anyMatch(each::isSameAs) && !before.contains(each)) {
        listener.reworded(each);
      }
    }
  }

  private List<CableView> cables(long nowNs) {
    List<CableView> cables = new ArrayList<>();
    for (HelloInterface each : hellos.all()) {
      CableEvidence evidence = each.evidence();
      String ownInterface =
          evidence.ownInterface(nowNs).stream()
              .mapToObj(
                  index ->
                      hellos.get(index).map(one -> one.local().name()).orElse("interface " + index))
              .findFirst()
              .orElse(null);
      cables.add(
          new CableView(
              each.local().name(),
              each.local().mtu(),
              each.local().speedMbps(),
              each.local().addresses(),
              each.adjacencies().stream().map(one -> neighbour(one, nowNs)).toList(),
              Optional.ofNullable(ownInterface),
              evidence.otherJob(nowNs),
              evidence.otherSecret(nowNs),
              evidence.hasRefused(nowNs)));
    }
    return cables;
  }

  private static NeighbourView neighbour(Adjacency each, long nowNs) {
    return new NeighbourView(
        each.id().peer(),
        each.hello().name(),
        each.hello().interfaceName(),
        each.hello().mtu(),
        each.hello().speedMbps(),
        each.hello().addresses(),
        each.isOneWay(nowNs));
  }
}
