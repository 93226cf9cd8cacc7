// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.cli.plan.MapGraph;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.neighbours.map.SampleMesh;
import io.meshtransport.neighbours.verdict.NodeState;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MapGraphTest {
  @Test
  void shouldTakeLivingNodesAndCablesThatAreUp() throws IOException {
    LinkGraph graph = MapGraph.of(SampleMesh.triangle().cut("a", "b").map());
    assertEquals(List.of("a", "b", "c"), graph.names());
    assertEquals(2, graph.links().size());
    assertEquals(25_000_000_000L / 8, graph.bytesPerSecond(0, 2));
    assertEquals(2, MapGraph.of(SampleMesh.triangle().map()).links().size() - 1);
    LinkGraph pair =
        MapGraph.of(SampleMesh.triangle().verdict("c", NodeState.STUCK, "stopped").map());
    assertEquals(List.of("a", "b"), pair.names());
  }
}
