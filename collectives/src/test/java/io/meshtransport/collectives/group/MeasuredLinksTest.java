// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
  void shouldTakeTheSlowerDirectionAndTheLongerWayOfTheNearestPair() {
    assertEquals(
        List.of(link(0, 1, 300, 11), link(0, 2, 250, 11), link(1, 2, 200, 11)),
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

  /** Compilers and other programs make round trips long; where relays are, they are. */
  @Test
  void shouldTakeNoLatencyOfACableForLongerThanSoftwareTakes() {
    List<JoinedGraph.Link> cold = List.of(link(0, 1, 64, 4_000_000), link(0, 2, 64, 2_000_000));
    for (JoinedGraph.Link each : MeasuredLinks.of(OPENED, List.of(cold, List.of(), List.of()))) {
      assertEquals(16_384, each.latencyNs());
    }
    JoinedGraph.Link relayed = new JoinedGraph.Link(0, 1, 64, 4_000_000, true);
    assertEquals(
        List.of(relayed), MeasuredLinks.of(List.of(relayed), List.of(List.of(relayed), List.of())));
  }

  /** Of a busy host: one and the same cable found 232, 121 and 73 MB/s. */
  @Test
  void shouldTakeForEqualWhatMayBe() {
    assertEquals(
        List.of(link(0, 1, 1000, 9), link(0, 2, 1000, 9), link(1, 2, 390, 9)),
        MeasuredLinks.equalised(
            List.of(link(0, 1, 1000, 9), link(0, 2, 400, 9), link(1, 2, 390, 9))));
  }

  /** What a cable is limited to, its passes find again and again. */
  @Test
  void shouldTakeTheRateOfALinkWhosePassesAgreeInBothDirections() {
    JoinedGraph.Link slow = link(0, 2, 500, 9).steady(true);
    JoinedGraph.Link nearly = link(1, 2, 910, 9).steady(true);
    List<JoinedGraph.Link> measured =
        MeasuredLinks.of(
            OPENED,
            List.of(List.of(link(0, 1, 1000, 9), slow), List.of(nearly), List.of(nearly, slow)));
    assertEquals(List.of(link(0, 1, 1000, 9), slow, nearly), measured);
    assertEquals(
        List.of(link(0, 1, 1000, 9), slow, nearly.measured(1000, 9)),
        MeasuredLinks.equalised(measured));
    List<JoinedGraph.Link> oneWay =
        MeasuredLinks.of(
            OPENED,
            List.of(
                List.of(link(0, 1, 1000, 9), slow),
                List.of(),
                List.of(link(0, 2, 900, 9), nearly)));
    assertEquals(1000, MeasuredLinks.equalised(oneWay).get(1).bytesPerSecond());
  }

  /** Streams share the cables of two ranks evenly. */
  @Test
  void shouldUseCablesBesideEachOtherAtTheRateOfTheSlowerOne() {
    JoinedGraph.Link second = new JoinedGraph.Link(0, 1, 0, 0, false, 1);
    JoinedGraph.Link third = new JoinedGraph.Link(0, 1, 0, 0, false, 2);
    List<JoinedGraph.Link> links =
        MeasuredLinks.of(
            List.of(link(0, 1, 0, 0), link(0, 2, 0, 0), second, third),
            List.of(
                List.of(
                    link(0, 1, 200, 9),
                    link(0, 2, 1024, 9),
                    second.measured(150, 9),
                    third.measured(50, 9)),
                List.of(),
                List.of()));
    assertEquals(List.of(link(0, 1, 150, 9), link(0, 2, 1024, 9), second.measured(150, 9)), links);
    assertArrayEquals(new int[] {0, 1}, new JoinedGraph(3, links).cables(1, 0));
  }
}
