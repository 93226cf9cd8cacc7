// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.linkstate.MeshEdge;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.RecordVersion;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The cables that have worked, each until one of its ends has another cable or its node is gone. A
 * cable whose interfaces lost their carrier is in no record any more. Immutable.
 */
final class WorkedCables {
  /** Before the first graph. */
  static final WorkedCables NONE = new WorkedCables(Map.of());

  /** Bound on cables that are remembered; further ones disappear when they are cut. */
  static final int MAX_REMEMBERED = 4096;

  /** An end of a cable: a node and the index of an interface of it. */
  record Port(NodeId node, int interfaceIndex) {}

  /** Both ends, in the order of the nodes' ids. */
  record Ends(Port low, Port high) {
    static Ends of(Port one, Port other) {
      return RecordVersion.ID_ORDER.compare(one.node(), other.node()) < 0
          ? new Ends(one, other)
          : new Ends(other, one);
    }

    static Ends of(MeshEdge edge) {
      return of(
          new Port(edge.one(), edge.oneInterface()), new Port(edge.other(), edge.otherInterface()));
    }

    boolean touches(Set<Port> ports) {
      return ports.contains(low) || ports.contains(high);
    }
  }

  /** A cable, and what its nodes said of themselves while it worked. */
  record Worked(MeshEdge edge, NodeRecord one, NodeRecord other) {}

  private final Map<Ends, Worked> cables;

  private WorkedCables(Map<Ends, Worked> cables) {
    this.cables = cables;
  }

  /** These, with the cables that work now. */
  WorkedCables with(MeshGraph graph) {
    Map<Ends, Worked> remembered = new LinkedHashMap<>(cables);
    Map<Ends, MeshEdge> working = new LinkedHashMap<>();
    Set<Port> ports = new HashSet<>();
    for (MeshEdge edge : graph.edges()) {
      Ends ends = Ends.of(edge);
      working.put(ends, edge);
      ports.add(ends.low());
      ports.add(ends.high());
    }
    remembered
        .keySet()
        .removeIf(
            each ->
                !working.containsKey(each) && each.touches(ports)
                    || !graph.nodes().containsKey(each.low().node())
                    || !graph.nodes().containsKey(each.high().node()));
    working.forEach(
        (ends, edge) -> {
          if (remembered.size() < MAX_REMEMBERED || remembered.containsKey(ends)) {
            remembered.put(
                ends,
                new Worked(edge, graph.nodes().get(edge.one()), graph.nodes().get(edge.other())));
          }
        });
    return new WorkedCables(Collections.unmodifiableMap(remembered));
  }

  /** In the order in which they worked first. */
  Map<Ends, Worked> all() {
    return cables;
  }
}
