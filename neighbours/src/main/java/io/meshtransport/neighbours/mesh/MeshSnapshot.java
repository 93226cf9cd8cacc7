// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.linkstate.MeshEdge;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.ServiceEntry;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * All that is known of a mesh at one moment. Immutable: each change makes another one, and the
 * events are what is different between two.
 *
 * @param records of the other nodes
 * @param verdicts the last one on each node; it may come before the node's record
 * @param links all cables that both ends report
 * @param findings what is wrong with this node's cables
 */
record MeshSnapshot(
    Map<NodeId, NodeRecord> records,
    Map<NodeId, NodeVerdict> verdicts,
    Map<Cable, MeshLink> links,
    List<Finding> findings) {
  /** Nothing is known. */
  static final MeshSnapshot EMPTY = new MeshSnapshot(Map.of(), Map.of(), Map.of(), List.of());

  /** What a cable is the same by, whatever its rate. */
  record Cable(NodeId one, int oneInterface, NodeId other, int otherInterface) {}

  MeshSnapshot withRecord(NodeRecord record) {
    Map<NodeId, NodeRecord> next = new LinkedHashMap<>(records);
    next.put(record.origin(), record);
    return new MeshSnapshot(next, verdicts, links, findings);
  }

  MeshSnapshot without(NodeId node) {
    Map<NodeId, NodeRecord> nextRecords = new LinkedHashMap<>(records);
    nextRecords.remove(node);
    Map<NodeId, NodeVerdict> nextVerdicts = new LinkedHashMap<>(verdicts);
    nextVerdicts.remove(node);
    return new MeshSnapshot(nextRecords, nextVerdicts, links, findings);
  }

  MeshSnapshot withVerdict(NodeVerdict verdict) {
    Map<NodeId, NodeVerdict> next = new LinkedHashMap<>(verdicts);
    next.put(verdict.node(), verdict);
    return new MeshSnapshot(records, next, links, findings);
  }

  MeshSnapshot withCables(MeshGraph graph) {
    return new MeshSnapshot(records, verdicts, links(graph), findings);
  }

  MeshSnapshot withFinding(Finding finding) {
    List<Finding> next = new ArrayList<>(withoutFinding(finding).findings);
    next.add(finding);
    return new MeshSnapshot(records, verdicts, links, next);
  }

  MeshSnapshot withoutFinding(Finding finding) {
    return new MeshSnapshot(
        records,
        verdicts,
        links,
        findings.stream().filter(each -> !each.isSameAs(finding)).toList());
  }

  /** The cables of a graph. */
  static Map<Cable, MeshLink> links(MeshGraph graph) {
    Map<Cable, MeshLink> links = new LinkedHashMap<>();
    for (MeshEdge each : graph.edges()) {
      links.put(
          new Cable(each.one(), each.oneInterface(), each.other(), each.otherInterface()),
          new MeshLink(
              peer(graph, each.one()),
              peer(graph, each.other()),
              each.rateMbps(),
              each.latencyNs(),
              each.mtu()));
    }
    return links;
  }

  private static Peer peer(MeshGraph graph, NodeId id) {
    return new Peer(graph.nodes().get(id).name(), id.toString());
  }

  Collection<MeshNode> nodes() {
    return records.values().stream().map(this::node).toList();
  }

  /**
   * The records of living nodes of a name: of those within reach, if there are any. One that is out
   * of reach beside them may be an earlier life of one of them, of whose end there was no witness.
   */
  List<NodeRecord> living(String name) {
    List<NodeRecord> living =
        records.values().stream()
            .filter(each -> each.name().equals(name) && !state(each).isGone())
            .toList();
    List<NodeRecord> near = living.stream().filter(each -> isWithinReach(each.origin())).toList();
    return near.isEmpty() ? living : near;
  }

  /** A node with its name, if that is known. */
  Peer peer(NodeId node) {
    NodeRecord record = records.get(node);
    return new Peer(record == null ? "" : record.name(), node.toString());
  }

  /** Whether a node lives and a path leads to it, as far as is known. */
  boolean isWithinReach(NodeId node) {
    MeshNodeState state = state(node);
    return state != MeshNodeState.UNREACHABLE && !state.isGone();
  }

  /** Whether a cable joins two nodes, as both report. */
  boolean isCabled(NodeId one, NodeId other) {
    return links.keySet().stream()
        .anyMatch(
            each ->
                each.one.equals(one) && each.other.equals(other)
                    || each.one.equals(other) && each.other.equals(one));
  }

  /** What is known of a node's life; UNREACHABLE for one that is not known. */
  MeshNodeState state(NodeId node) {
    NodeRecord record = records.get(node);
    return record == null ? MeshNodeState.UNREACHABLE : state(record);
  }

  private MeshNodeState state(NodeRecord record) {
    return judged(record).map(MeshSnapshot::state).orElse(MeshNodeState.ALIVE);
  }

  /** The verdict on this life of a node. */
  private Optional<NodeVerdict> judged(NodeRecord record) {
    return Optional.ofNullable(verdicts.get(record.origin()))
        .filter(each -> each.incarnation() >= record.incarnation());
  }

  /** A node as it is known now. */
  MeshNode node(NodeRecord record) {
    return new MeshNode(
        new Peer(record.name(), record.origin().toString()),
        record.incarnation(),
        state(record),
        judged(record).map(NodeVerdict::evidence).orElse(""),
        services(record).keySet(),
        interfaces(record));
  }

  /** As {@link MeshNode#interfaces}. */
  static List<String> interfaces(NodeRecord record) {
    return record.interfaces().stream().map(InterfaceEntry::description).toList();
  }

  /** A transport that has joined again has left before, and its process lives. */
  private static MeshNodeState state(NodeVerdict verdict) {
    return verdict.isSucceeded()
        ? MeshNodeState.LEFT
        : MeshNodeState.valueOf(verdict.state().name());
  }

  static Map<String, ServiceEntry> services(NodeRecord record) {
    return record.services().stream().collect(Collectors.toMap(ServiceEntry::name, each -> each));
  }

  /** What leads from an earlier moment to this one, in an order that makes sense to a listener. */
  List<Consumer<MeshEventListener>> since(MeshSnapshot before) {
    List<Consumer<MeshEventListener>> events = new ArrayList<>();
    if (records != before.records || verdicts != before.verdicts) {
      nodesSince(before, events);
    }
    if (links != before.links) {
      linksSince(before, events);
    }
    if (findings != before.findings) {
      findingsSince(before, events);
    }
    return events;
  }

  private void nodesSince(MeshSnapshot before, List<Consumer<MeshEventListener>> events) {
    for (NodeRecord each : before.records.values()) {
      if (!records.containsKey(each.origin())) {
        MeshNode node = before.node(each);
        events.add(to -> to.nodeRemoved(node));
      }
    }
    for (NodeRecord each : records.values()) {
      NodeRecord was = before.records.get(each.origin());
      NodeVerdict verdict = verdicts.get(each.origin());
      boolean isJudged = verdict != null && verdict != before.verdicts.get(each.origin());
      if (was == each && !isJudged) {
        continue;
      }
      MeshNode node = node(each);
      if (was == null) {
        events.add(to -> to.nodeAppeared(node));
        each.services().forEach(one -> events.add(to -> to.servicePublished(node, one.name())));
        continue;
      }
      if (was != each) {
        servicesSince(was, each, node, events);
      }
      if (isJudged) {
        events.add(to -> to.verdict(node));
      }
    }
  }

  private static void servicesSince(
      NodeRecord before, NodeRecord now, MeshNode node, List<Consumer<MeshEventListener>> events) {
    Map<String, ServiceEntry> had = services(before);
    Map<String, ServiceEntry> has = services(now);
    had.keySet().stream()
        .filter(each -> !has.containsKey(each))
        .forEach(each -> events.add(to -> to.serviceWithdrawn(node, each)));
    has.values().stream()
        .filter(each -> !each.equals(had.get(each.name())))
        .forEach(each -> events.add(to -> to.servicePublished(node, each.name())));
  }

  private void linksSince(MeshSnapshot before, List<Consumer<MeshEventListener>> events) {
    before.links.forEach(
        (cable, link) -> {
          if (!links.containsKey(cable)) {
            events.add(to -> to.linkDown(link));
          }
        });
    links.forEach(
        (cable, link) -> {
          MeshLink was = before.links.get(cable);
          if (was == null) {
            events.add(to -> to.linkUp(link));
          } else if (!was.equals(link)) {
            events.add(to -> to.linkChanged(was, link));
          }
        });
  }

  private void findingsSince(MeshSnapshot before, List<Consumer<MeshEventListener>> events) {
    for (Finding each : before.findings) {
      if (findings.stream().noneMatch(each::isSameAs)) {
        events.add(to -> to.cleared(finding(each)));
      }
    }
    for (Finding each : findings) {
      if (before.findings.stream().noneMatch(each::isSameAs)) {
        events.add(to -> to.found(finding(each)));
      }
    }
  }

  static MeshFinding finding(Finding of) {
    return new MeshFinding(of.kind().name(), of.subject(), of.text(), of.remedy());
  }
}
