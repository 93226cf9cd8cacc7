// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.ServiceEntry;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.relay.RelayServices;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Makes maps from what an agent knows, and remembers cables that have worked: a cable whose
 * interfaces lost their carrier is in no record any more, and is drawn as cut until one of its ends
 * has another cable or its node is gone. One thread.
 */
public final class MapKeeper {
  /** Bound on cables that are remembered; further ones disappear when they are cut. */
  static final int MAX_REMEMBERED = 4096;

  /** An end of a cable: a node and the index of an interface of it. */
  private record Port(String node, int interfaceIndex) {}

  /** Both ends, in the order of the nodes' ids. */
  private record Ends(Port low, Port high) {
    static Ends of(Port one, Port other) {
      return one.node().compareTo(other.node()) < 0 ? new Ends(one, other) : new Ends(other, one);
    }

    boolean touches(Port port) {
      return low.equals(port) || high.equals(port);
    }
  }

  private final NodeId self;
  private final Map<Ends, MapCable> remembered = new LinkedHashMap<>();

  /**
   * @param self the node that knows it
   */
  public MapKeeper(NodeId self) {
    this.self = self;
  }

  /**
   * The map of now.
   *
   * @param findings about the cables of this node
   */
  public MeshMap update(MeshGraph graph, List<NodeVerdict> verdicts, List<Finding> findings) {
    List<NodeRecord> records = new ArrayList<>();
    Map<NodeId, NodeVerdict> judged = new HashMap<>();
    verdicts.forEach(each -> judged.put(each.node(), each));
    Map<NodeId, NodeState> states = states(graph, judged);
    graph.nodes().values().stream()
        .filter(each -> isShown(each, graph, states))
        .forEach(records::add);
    records.sort(
        Comparator.comparing(NodeRecord::name).thenComparing(each -> each.origin().toString()));
    List<MapNode> nodes =
        records.stream().map(each -> node(each, records, states, judged)).toList();
    List<MapCable> cables = cables(records, nodes);
    return new MeshMap(
        MeshMap.FORMAT,
        nodes,
        cables,
        MapPaths.of(nodes, cables),
        MapFindings.of(self, records, nodes, findings));
  }

  private Map<NodeId, NodeState> states(MeshGraph graph, Map<NodeId, NodeVerdict> judged) {
    Map<NodeId, NodeState> states = new HashMap<>();
    graph.reachableFrom(self).nodes().keySet().forEach(each -> states.put(each, NodeState.ALIVE));
    judged.forEach((node, verdict) -> states.put(node, verdict.state()));
    states.put(self, NodeState.ALIVE);
    return states;
  }

  /** Neither old records of nodes that were never seen, nor earlier lives of nodes that live. */
  private static boolean isShown(
      NodeRecord record, MeshGraph graph, Map<NodeId, NodeState> states) {
    NodeState state = states.get(record.origin());
    if (state == null) {
      return false;
    }
    return !state.isGone()
        || graph.nodes().values().stream()
            .noneMatch(
                each ->
                    each.name().equals(record.name())
                        && states.get(each.origin()) == NodeState.ALIVE);
  }

  private MapNode node(
      NodeRecord record,
      List<NodeRecord> all,
      Map<NodeId, NodeState> states,
      Map<NodeId, NodeVerdict> judged) {
    boolean isDouble = all.stream().filter(each -> each.name().equals(record.name())).count() > 1;
    NodeState state = states.get(record.origin());
    return new MapNode(
        record.origin().toString(),
        record.name(),
        isDouble ? record.name() + " (" + record.origin().shortId() + ")" : record.name(),
        record.origin().equals(self),
        state,
        state == NodeState.ALIVE ? "" : judged.get(record.origin()).evidence(),
        record.interfaces().stream()
            .sorted(Comparator.comparingInt(InterfaceEntry::index))
            .map(MapKeeper::mapInterface)
            .toList(),
        record.services().stream().map(ServiceEntry::name).sorted().toList(),
        offers(record, RelayServices.RELAY),
        offers(record, RelayServices.RELAY) || offers(record, RelayServices.END),
        record.services().stream()
            .filter(each -> each.name().equals(RelayServices.LOAD))
            .mapToLong(each -> RelayServices.load(each.handle()))
            .findFirst()
            .orElse(0));
  }

  private static boolean offers(NodeRecord record, String service) {
    return record.services().stream().anyMatch(each -> each.name().equals(service));
  }

  private static MapInterface mapInterface(InterfaceEntry entry) {
    return new MapInterface(
        entry.index(), entry.name(), entry.mtu(), entry.speedMbps(), texts(entry.addresses()));
  }

  private static List<String> texts(List<LinkAddress> addresses) {
    return addresses.stream().map(LinkAddress::toString).sorted().toList();
  }

  private List<MapCable> cables(List<NodeRecord> records, List<MapNode> nodes) {
    Map<String, Integer> positions = new HashMap<>();
    nodes.forEach(each -> positions.put(each.id(), positions.size()));
    Map<Ends, MapCable> found = new LinkedHashMap<>();
    for (NodeRecord record : records) {
      for (LinkEntry link : record.links()) {
        Integer peer = positions.get(link.peer().toString());
        if (peer != null) {
          cable(record, link, records.get(peer), nodes, positions)
              .ifPresent(each -> found.putIfAbsent(ends(each), each));
        }
      }
    }
    remember(found, nodes, positions);
    return found.values().stream()
        .sorted(
            Comparator.<MapCable>comparingInt(each -> positions.get(each.one().node()))
                .thenComparingInt(each -> each.one().interfaceIndex())
                .thenComparingInt(each -> positions.get(each.other().node()))
                .thenComparingInt(each -> each.other().interfaceIndex()))
        .toList();
  }

  private static Ends ends(MapCable cable) {
    return Ends.of(
        new Port(cable.one().node(), cable.one().interfaceIndex()),
        new Port(cable.other().node(), cable.other().interfaceIndex()));
  }

  /** A link of one record; empty if it has never worked, as far as the two ends say. */
  private static Optional<MapCable> cable(
      NodeRecord record,
      LinkEntry link,
      NodeRecord peer,
      List<MapNode> nodes,
      Map<String, Integer> positions) {
    Optional<LinkEntry> back =
        peer.links().stream()
            .filter(
                each ->
                    each.peer().equals(record.origin())
                        && each.interfaceIndex() == link.peerInterfaceIndex()
                        && each.peerInterfaceIndex() == link.interfaceIndex())
            .findFirst();
    boolean isUpHere = link.condition() == LinkCondition.UP;
    if (isUpHere && back.isEmpty()) {
      return Optional.empty(); // The other end does not know it yet, or no longer.
    }
    boolean isUp = isUpHere && back.get().condition() == LinkCondition.UP;
    MapEnd here = end(record, link.interfaceIndex(), nodes, positions);
    MapEnd there = end(peer, link.peerInterfaceIndex(), nodes, positions);
    boolean isFirst = positions.get(here.node()) <= positions.get(there.node());
    return Optional.of(
        new MapCable(
            isFirst ? here : there,
            isFirst ? there : here,
            state(isUp, here, there, nodes, positions),
            subnets(record, link.interfaceIndex(), peer, link.peerInterfaceIndex()),
            link.rateMbps(),
            Math.max(link.latencyNs(), back.map(LinkEntry::latencyNs).orElse(0)),
            link.mtu()));
  }

  private static CableState state(
      boolean isUp, MapEnd one, MapEnd other, List<MapNode> nodes, Map<String, Integer> positions) {
    boolean bothLive =
        nodes.get(positions.get(one.node())).state() == NodeState.ALIVE
            && nodes.get(positions.get(other.node())).state() == NodeState.ALIVE;
    if (!bothLive) {
      return CableState.DOWN;
    }
    return isUp ? CableState.UP : CableState.CUT;
  }

  private static MapEnd end(
      NodeRecord record, int index, List<MapNode> nodes, Map<String, Integer> positions) {
    String id = record.origin().toString();
    Optional<InterfaceEntry> entry = entry(record, index);
    return new MapEnd(
        id,
        nodes.get(positions.get(id)).label(),
        index,
        entry.map(InterfaceEntry::name).orElse("#" + index),
        texts(entry.map(InterfaceEntry::addresses).orElse(List.of())));
  }

  private static Optional<InterfaceEntry> entry(NodeRecord record, int index) {
    return record.interfaces().stream().filter(each -> each.index() == index).findFirst();
  }

  private static List<String> subnets(NodeRecord one, int index, NodeRecord other, int otherIndex) {
    Set<String> subnets = new HashSet<>();
    for (LinkAddress here : entry(one, index).map(InterfaceEntry::addresses).orElse(List.of())) {
      for (LinkAddress there :
          entry(other, otherIndex).map(InterfaceEntry::addresses).orElse(List.of())) {
        if (!here.isLinkLocal() && here.subnet().equals(there.subnet())) {
          subnets.add(here.subnet());
        }
      }
    }
    return subnets.stream().sorted().toList();
  }

  /** Adds the cables that worked, are in no record, and whose ends are where they were. */
  private void remember(
      Map<Ends, MapCable> found, List<MapNode> nodes, Map<String, Integer> positions) {
    Set<Port> working = new HashSet<>();
    found.forEach(
        (ends, cable) -> {
          if (cable.state() == CableState.UP) {
            working.add(ends.low());
            working.add(ends.high());
            if (remembered.size() < MAX_REMEMBERED || remembered.containsKey(ends)) {
              remembered.put(ends, cable);
            }
          }
        });
    remembered
        .entrySet()
        .removeIf(
            each -> {
              MapCable cable = each.getValue();
              boolean isReplaced =
                  !(found.containsKey(each.getKey())
                          && found.get(each.getKey()).state() == CableState.UP)
                      && working.stream().anyMatch(each.getKey()::touches);
              return isReplaced
                  || !positions.containsKey(cable.one().node())
                  || !positions.containsKey(cable.other().node());
            });
    // One that a record still lists as down, though its ends are elsewhere, is old too.
    found
        .entrySet()
        .removeIf(
            each ->
                each.getValue().state() != CableState.UP
                    && working.stream().anyMatch(each.getKey()::touches));
    Map<Ends, MapCable> missing = new TreeMap<>(Comparator.comparing(Ends::toString));
    remembered.forEach(
        (ends, cable) -> {
          if (!found.containsKey(ends)) {
            missing.put(
                ends, cable.with(state(false, cable.one(), cable.other(), nodes, positions)));
          }
        });
    found.putAll(missing);
    found.replaceAll((ends, cable) -> known(cable, remembered.get(ends)));
  }

  /** A cable with the names of interfaces that their node lists no longer. */
  private static MapCable known(MapCable cable, MapCable before) {
    if (before == null || cable.state() == CableState.UP) {
      return cable;
    }
    return before.with(cable.state());
  }
}
