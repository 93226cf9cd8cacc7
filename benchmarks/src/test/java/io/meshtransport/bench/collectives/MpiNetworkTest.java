// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.FabricException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Routes for {@link OpenMpi}, and what it prints. */
class MpiNetworkTest {
  private static List<String> routes(CollectiveGraph graph, String node) {
    return List.of(MpiNetwork.script(graph.unlimited(), node).split(" && ")).stream()
        .filter(each -> each.startsWith("ip route"))
        .toList();
  }

  @Test
  void shouldLeadToEachPeerOverTheCableToIt() {
    assertEquals(
        List.of(
            "ip route replace 10.79.0.2/32 via 10.77.1.2 src 10.79.0.1",
            "ip route replace 10.79.0.3/32 via 10.77.3.1 src 10.79.0.1"),
        routes(CollectiveGraph.TRIANGLE, "a"));
  }

  @Test
  void shouldLeadOverTheNodeBetween() {
    assertTrue(
        routes(CollectiveGraph.LINE, "a")
            .contains("ip route replace 10.79.0.3/32 via 10.77.1.2 src 10.79.0.1"));
    assertEquals(3, routes(CollectiveGraph.RING, "c").size());
  }

  @Test
  void shouldReadTheLinesOfOurProgramAlone() {
    String printed = "A warning.\n8 24.125\n1024 29.500\n";

    assertEquals(Map.of(8, 24.125, 1024, 29.5), OpenMpi.parse(printed, List.of(8, 1024)));
    FabricException failed =
        assertThrows(FabricException.class, () -> OpenMpi.parse(printed, List.of(8, 65536)));
    assertTrue(failed.getMessage().contains("A warning."), failed.getMessage());
  }
}
