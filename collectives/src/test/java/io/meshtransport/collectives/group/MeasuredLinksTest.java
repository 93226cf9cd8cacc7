// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link MeasuredLinks} of what {@link LinkProbe} measured. */
class MeasuredLinksTest {
  private static JoinedGraph.Link link(int one, int other, long rate, long latencyNs) {
    return new JoinedGraph.Link(one, other, rate, latencyNs, false);
  }

  private static final List<JoinedGraph.Link> OPENED =
      List.of(link(0, 1, 0, 0), link(0, 2, 0, 0), link(1, 2, 0, 0));

  @Test
  void shouldTakeTheSlowerDirectionAndTheLongerWay() {
    assertEquals(
        List.of(link(0, 1, 300, 30), link(0, 2, 250, 11), link(1, 2, 200, 20)),
        MeasuredLinks.of(
            OPENED,
            List.of(
                List.of(link(0, 1, 300, 10), link(0, 2, 250, 11)),
                List.of(link(0, 1, 320, 30), link(1, 2, 270, 20)),
                List.of(link(0, 2, 250, 10), link(1, 2, 200, 10)))));
  }

  @Test
  void shouldTakeTheWorseDirectionOfOneThatIsSlow() {
    List<JoinedGraph.Link> links =
        MeasuredLinks.of(
            OPENED,
            List.of(
                List.of(link(0, 1, 1024, 9), link(0, 2, 1024, 9)),
                List.of(link(0, 1, 1024, 9), link(1, 2, 1024, 9)),
                List.of(link(0, 2, 1024, 9), link(1, 2, 256, 9))));
    assertEquals(List.of(link(0, 1, 1024, 9), link(0, 2, 1024, 9), link(1, 2, 256, 9)), links);
  }

  @Test
  void shouldTakeWhatWasNotMeasuredForFast() {
    List<JoinedGraph.Link> links =
        MeasuredLinks.of(OPENED, List.of(List.of(link(0, 1, 64, 0)), List.of(), List.of()));
    assertEquals(List.of(link(0, 1, 64, 0), link(0, 2, 64, 0), link(1, 2, 64, 0)), links);
  }
}
