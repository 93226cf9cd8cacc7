// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.ServiceEntry;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.spi.RelayServices;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes maps from what an agent knows, and remembers cables that have worked: they are drawn as cut
 * until one of their ends has another cable or its node is gone. One thread observes; any thread
 * may call the rest, and a map never mixes two observations.
 */
public final class MapKeeper {
  /** What a map is made of: one observation, with the cables that have worked up to it. */
  private record Source(
      MeshGraph graph, WorkedCables worked, List<NodeVerdict> verdicts, List<Finding> findings) {
    boolean makesTheMapOf(Source other) {
      return graph == other.graph
          && worked == other.worked
          && verdicts.equals(other.verdicts)
          && findings.equals(other.findings);
    }
  }

  private final NodeId self;

  /** The last observation: all of it in one field, as readers would mix two otherwise. */
  private volatile Source observed =
      new Source(MeshGraph.of(List.of()), WorkedCables.NONE, List.of(), List.of());

  /** What the last map was made of; null before the first. */
  private Source source;

  private MeshMap map;

  /**
   * @param self the node that knows it
   */
  public MapKeeper(NodeId self) {
    this.self = self;
  }

  /**
   * What the agent knows now. Remembers the cables that work, which costs far less than a map. To
   * be called with each graph, so that a cable is known when it is cut, though there was no map
   * while it worked.
   *
   * @param verdicts not to be changed afterwards
   * @param findings about the cables of this node; not to be changed afterwards
   */
  public void observe(MeshGraph graph, List<NodeVerdict> verdicts, List<Finding> findings) {
    Source last = observed;
    WorkedCables worked = graph == last.graph() ? last.worked() : last.worked().with(graph);
    observed = new Source(graph, worked, verdicts, findings);
  }

  /** The graph observed last; one without nodes before. */
  public MeshGraph graph() {
    return observed.graph();
  }

  /** The verdicts observed last. */
  public List<NodeVerdict> verdicts() {
    return observed.verdicts();
  }

  /** The findings observed last. */
  public List<Finding> findings() {
    return observed.findings();
  }

  /** The map of what was observed last; the same object while nothing changes. */
  public synchronized MeshMap map() {
    Source now = observed;
    if (source == null || !source.makesTheMapOf(now)) {
      map = make(now);
      source = now;
    }
    return map;
  }

  private MeshMap make(Source from) {
    MeshGraph graph = from.graph();
    List<NodeRecord> records = new ArrayList<>();
    Map<NodeId, NodeVerdict> judged = new HashMap<>();
    from.verdicts().forEach(each -> judged.put(each.node(), each));
    Map<NodeId, NodeState> states = states(graph, judged);
    graph.nodes().values().stream()
        .filter(each -> isShown(each, graph, states))
        .forEach(records::add);
    records.sort(
        Comparator.comparing(NodeRecord::name).thenComparing(each -> each.origin().toString()));
    List<MapNode> nodes =
        records.stream().map(each -> node(each, records, states, judged)).toList();
    List<MapCable> cables = MapCables.of(records, nodes, from.worked().all());
    return new MeshMap(
        MeshMap.FORMAT,
        nodes,
        cables,
        MapPaths.of(nodes, cables),
        MapFindings.of(self, records, nodes, from.findings()));
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

  static List<String> texts(List<LinkAddress> addresses) {
    return addresses.stream().map(LinkAddress::toString).sorted().toList();
  }
}
