// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.bench.collectives.CollectiveGraph;
import org.junit.jupiter.api.Test;

class GraphPictureTest {
  @Test
  void shouldDrawEachCableFromItsOneNodeToItsOther() {
    assertEquals(
        """
        a ──┬─────┐
        b ──┴──┐  │
        c ─────┴──┘
        a-b 1000 Mb/s, b-c 1000 Mb/s, c-a 250 Mb/s\
        """
            .indent(4)
            .stripTrailing(),
        new GraphPicture(CollectiveGraph.TRIANGLE.limited(1000, 250)).toString());
  }

  @Test
  void shouldCrossWhatPassesBy() {
    assertEquals(
        """
        a ──┬────────┐
        b ──┴──┐     │
        c ─────┴──┐  │
        d ────────┴──┘
        a-b, b-c, c-d, d-a\
        """
            .indent(4)
            .stripTrailing(),
        new GraphPicture(CollectiveGraph.RING.unlimited()).toString());
  }
}
