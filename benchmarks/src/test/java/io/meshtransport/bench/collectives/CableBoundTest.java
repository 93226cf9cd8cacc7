// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Rates of cables of 1 Gb/s, 125 MB/s, of which each graph allows a known multiple. */
class CableBoundTest {
  private static final double EXACT = 1e-9;
  private static final double CABLE = 125;

  private static double bound(CollectiveGraph graph, int lastRateMbps) {
    return CableBound.megabytesPerSecond(graph.limited(1000, lastRateMbps)).orElseThrow();
  }

  @Test
  void shouldKnowWhatEachGraphAllows() {
    assertEquals(1.5 * CABLE, bound(CollectiveGraph.TRIANGLE, 1000), EXACT);
    assertEquals(CABLE, bound(CollectiveGraph.LINE, 1000), EXACT);
    assertEquals(4.0 / 3 * CABLE, bound(CollectiveGraph.RING, 1000), EXACT);
    assertEquals(2 * CABLE, bound(CollectiveGraph.MESH, 1000), EXACT);
  }

  @Test
  void shouldKnowWhatUnequalCablesAllow() {
    assertEquals(1.125 * CABLE, bound(CollectiveGraph.TRIANGLE, 250), EXACT);
    assertEquals(3.5 / 3 * CABLE, bound(CollectiveGraph.RING, 500), EXACT);
    assertEquals(0.25 * CABLE, bound(CollectiveGraph.LINE, 250), EXACT);
  }

  @Test
  void shouldHaveNoneWithoutALimit() {
    assertTrue(CableBound.megabytesPerSecond(CollectiveGraph.RING.unlimited()).isEmpty());
  }
}
