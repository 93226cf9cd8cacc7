// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MeshGraphTest {
  private static final NodeId A = new NodeId(0, 1);
  private static final NodeId B = new NodeId(0, 2);
  private static final NodeId C = new NodeId(-1, 3);

  private static NodeRecord record(NodeId node, boolean left, LinkEntry... links) {
    List<InterfaceEntry> interfaces =
        Arrays.stream(links)
            .mapToInt(LinkEntry::interfaceIndex)
            .distinct()
            .mapToObj(index -> new InterfaceEntry(index, "eth" + index, 0, 0, List.of()))
            .toList();
    return new NodeRecord(node, 1, 1, left, "n", interfaces, List.of(links), List.of());
  }

  private static LinkEntry link(NodeId peer, int mine, int theirs) {
    return new LinkEntry(peer, mine, theirs, 10 * mine, 100 * mine, 0, LinkCondition.UP);
  }

  @Test
  void shouldCountACableThatBothEndsList() {
    MeshGraph graph =
        MeshGraph.of(
            List.of(
                record(A, false, link(B, 1, 2), link(B, 3, 4)),
                record(B, false, link(A, 2, 1), link(C, 5, 5)),
                record(C, false)));
    assertEquals(List.of(new MeshEdge(A, 1, B, 2, 10, 200, 0)), graph.edges());
    assertEquals(Set.of(A, B), graph.reachableFrom(A).nodes().keySet());
    assertEquals(Set.of(C), graph.reachableFrom(C).nodes().keySet());
    assertEquals(List.of(), graph.reachableFrom(C).edges());
    assertEquals(Set.of(), graph.reachableFrom(new NodeId(7, 7)).nodes().keySet());
  }

  @Test
  void shouldReachNodesOverNeighboursWithoutOneNode() {
    MeshGraph graph =
        MeshGraph.of(
            List.of(
                record(A, false, link(B, 1, 1)),
                record(B, false, link(A, 1, 1), link(C, 2, 1)),
                record(C, false, link(B, 1, 2))));
    assertEquals(Set.of(B, C), graph.reachableOver(Set.of(B), A).keySet());
    assertEquals(Set.of(C), graph.reachableOver(Set.of(C), B).keySet());
    assertEquals(Set.of(), graph.reachableOver(Set.of(), A).keySet());
  }

  @Test
  void shouldCountTwoCablesBetweenTwoNodes() {
    MeshGraph graph =
        MeshGraph.of(
            List.of(
                record(A, false, link(B, 1, 2), link(B, 3, 4)),
                record(B, false, link(A, 4, 3), link(A, 2, 1))));
    assertEquals(2, graph.edges().size());
  }

  @Test
  void shouldLeaveOutNodesThatHaveLeft() {
    MeshGraph graph = MeshGraph.of(List.of(record(A, false, link(B, 1, 2)), record(B, true)));
    assertEquals(Set.of(A), graph.nodes().keySet());
    assertEquals(List.of(), graph.edges());
  }
}
