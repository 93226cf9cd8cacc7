// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.finding.CableView;
import io.meshtransport.neighbours.finding.Diagnosis;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.neighbours.finding.NeighbourView;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Findings about all cables of a mesh: those of this node as its agent has them, those of other
 * nodes as far as their records show them. What only the ends of a cable notice, a looped cable
 * say, is known of this node alone. A pure function.
 */
final class MapFindings {
  private static final String BETWEEN_ENDS = " - ";

  private MapFindings() {}

  static List<MapFinding> of(
      NodeId self, List<NodeRecord> records, List<MapNode> nodes, List<Finding> own) {
    List<MapFinding> findings = new ArrayList<>();
    Set<Object> known = new HashSet<>();
    Map<NodeId, NodeRecord> byId = new HashMap<>();
    records.forEach(each -> byId.put(each.origin(), each));
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).self()) {
        add(findings, known, nodes.get(i).label(), own);
      }
    }
    for (int i = 0; i < nodes.size(); i++) {
      if (!records.get(i).origin().equals(self) && !nodes.get(i).state().isGone()) {
        add(findings, known, nodes.get(i).label(), ofNode(records.get(i), byId));
      }
    }
    // The other end of a crossed cable sees no more than that the subnets differ.
    findings.removeIf(
        each ->
            each.kind() == FindingKind.PREFIX_MISMATCH
                && known.contains(
                    List.of(FindingKind.CROSSED_CABLES, key(each.node(), each.subject()))));
    return findings;
  }

  private static void add(
      List<MapFinding> to, Set<Object> known, String node, List<Finding> findings) {
    for (Finding each : findings) {
      if (known.add(List.of(each.kind(), key(each.kind(), node, each.subject())))) {
        to.add(new MapFinding(each.kind(), node, each.subject(), each.text(), each.remedy()));
      }
    }
  }

  /** What is the same for both ends of a cable. */
  private static Object key(FindingKind kind, String node, String subject) {
    return kind == FindingKind.DUPLICATE_NAME || kind == FindingKind.REUSED_NAME
        ? subject
        : key(node, subject);
  }

  private static Object key(String node, String subject) {
    int at = subject.indexOf(BETWEEN_ENDS);
    if (at < 0 || subject.indexOf('/', at) < 0) {
      return node + "/" + subject;
    }
    return Stream.of(
            node + "/" + subject.substring(0, at), subject.substring(at + BETWEEN_ENDS.length()))
        .sorted()
        .toList();
  }

  private static List<Finding> ofNode(NodeRecord record, Map<NodeId, NodeRecord> byId) {
    List<CableView> cables = new ArrayList<>();
    for (InterfaceEntry each : record.interfaces()) {
      List<NeighbourView> neighbours =
          record.links().stream()
              .filter(link -> link.interfaceIndex() == each.index())
              .filter(link -> link.condition() == LinkCondition.UP)
              .map(link -> neighbour(link, byId))
              .flatMap(Optional::stream)
              .toList();
      cables.add(
          new CableView(
              each.name(),
              each.mtu(),
              each.speedMbps(),
              each.addresses(),
              neighbours,
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              false));
    }
    return Diagnosis.of(cables, List.of(), List.of(), Set.of());
  }

  private static Optional<NeighbourView> neighbour(LinkEntry link, Map<NodeId, NodeRecord> byId) {
    NodeRecord peer = byId.get(link.peer());
    if (peer == null) {
      return Optional.empty();
    }
    return peer.interfaces().stream()
        .filter(each -> each.index() == link.peerInterfaceIndex())
        .findFirst()
        .map(
            each ->
                new NeighbourView(
                    peer.origin(),
                    peer.name(),
                    each.name(),
                    each.mtu(),
                    each.speedMbps(),
                    each.addresses(),
                    false));
  }
}
