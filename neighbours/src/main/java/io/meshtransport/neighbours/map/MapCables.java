// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.linkstate.MeshEdge;
import io.meshtransport.neighbours.map.WorkedCables.Ends;
import io.meshtransport.neighbours.map.WorkedCables.Port;
import io.meshtransport.neighbours.map.WorkedCables.Worked;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.nic.LinkAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The cables of one map: those that records list, and those that are remembered. One thread. */
final class MapCables {
  private final List<NodeRecord> records;
  private final List<MapNode> nodes;
  private final Map<NodeId, Integer> positions = new HashMap<>();

  private MapCables(List<NodeRecord> records, List<MapNode> nodes) {
    this.records = records;
    this.nodes = nodes;
    records.forEach(each -> positions.put(each.origin(), positions.size()));
  }

  /**
   * All cables, in the order of their first ends.
   *
   * @param records of the nodes, in the same order
   */
  static List<MapCable> of(
      List<NodeRecord> records, List<MapNode> nodes, Map<Ends, Worked> remembered) {
    return new MapCables(records, nodes).all(remembered);
  }

  private List<MapCable> all(Map<Ends, Worked> remembered) {
    Map<Ends, MapCable> found = listed();
    dropOld(found);
    found.replaceAll((ends, cable) -> known(cable, remembered.get(ends)));
    remembered.forEach(
        (ends, worked) -> {
          if (isShown(worked)) {
            found.putIfAbsent(ends, cable(worked, false));
          }
        });
    Map<String, Integer> order = new HashMap<>();
    nodes.forEach(each -> order.put(each.id(), order.size()));
    return found.values().stream()
        .sorted(
            Comparator.<MapCable>comparingInt(each -> order.get(each.one().node()))
                .thenComparingInt(each -> each.one().interfaceIndex())
                .thenComparingInt(each -> order.get(each.other().node()))
                .thenComparingInt(each -> each.other().interfaceIndex()))
        .toList();
  }

  private Map<Ends, MapCable> listed() {
    Map<Ends, MapCable> found = new LinkedHashMap<>();
    for (NodeRecord record : records) {
      for (LinkEntry link : record.links()) {
        Integer peer = positions.get(link.peer());
        if (peer != null) {
          Ends ends =
              Ends.of(
                  new Port(record.origin(), link.interfaceIndex()),
                  new Port(link.peer(), link.peerInterfaceIndex()));
          cable(record, link, records.get(peer)).ifPresent(each -> found.putIfAbsent(ends, each));
        }
      }
    }
    return found;
  }

  /** One that a record still lists as down, though one of its ends has another cable, is old. */
  private static void dropOld(Map<Ends, MapCable> found) {
    Set<Port> working = new HashSet<>();
    found.forEach(
        (ends, cable) -> {
          if (cable.state() == CableState.UP) {
            working.add(ends.low());
            working.add(ends.high());
          }
        });
    found
        .entrySet()
        .removeIf(
            each -> each.getValue().state() != CableState.UP && each.getKey().touches(working));
  }

  private boolean isShown(Worked worked) {
    return positions.containsKey(worked.one().origin())
        && positions.containsKey(worked.other().origin());
  }

  /** A cable with the names of interfaces that their node lists no longer. */
  private MapCable known(MapCable cable, Worked before) {
    return before == null || cable.state() == CableState.UP
        ? cable
        : cable(before, false).with(cable.state());
  }

  /** A link of one record; empty if it has never worked, as far as the two ends say. */
  private Optional<MapCable> cable(NodeRecord record, LinkEntry link, NodeRecord peer) {
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
    MeshEdge edge =
        new MeshEdge(
            record.origin(),
            link.interfaceIndex(),
            peer.origin(),
            link.peerInterfaceIndex(),
            link.rateMbps(),
            Math.max(link.latencyNs(), back.map(LinkEntry::latencyNs).orElse(0)),
            link.mtu());
    return Optional.of(cable(new Worked(edge, record, peer), isUp));
  }

  private MapCable cable(Worked of, boolean isUp) {
    MeshEdge edge = of.edge();
    boolean isFirst = positions.get(of.one().origin()) <= positions.get(of.other().origin());
    MapEnd one = end(of.one(), edge.oneInterface());
    MapEnd other = end(of.other(), edge.otherInterface());
    return new MapCable(
        isFirst ? one : other,
        isFirst ? other : one,
        state(isUp, edge),
        subnets(of.one(), edge.oneInterface(), of.other(), edge.otherInterface()),
        edge.rateMbps(),
        edge.latencyNs(),
        edge.mtu());
  }

  private CableState state(boolean isUp, MeshEdge edge) {
    boolean bothLive = isAlive(edge.one()) && isAlive(edge.other());
    if (!bothLive) {
      return CableState.DOWN;
    }
    return isUp ? CableState.UP : CableState.CUT;
  }

  private boolean isAlive(NodeId node) {
    return nodes.get(positions.get(node)).state() == NodeState.ALIVE;
  }

  private MapEnd end(NodeRecord record, int index) {
    Optional<InterfaceEntry> entry = entry(record, index);
    MapNode node = nodes.get(positions.get(record.origin()));
    return new MapEnd(
        node.id(),
        node.label(),
        index,
        entry.map(InterfaceEntry::name).orElse("#" + index),
        MapKeeper.texts(entry.map(InterfaceEntry::addresses).orElse(List.of())));
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
}
