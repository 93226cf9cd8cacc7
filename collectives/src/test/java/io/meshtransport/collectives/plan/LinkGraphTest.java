// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests {@link LinkGraph} and {@link GraphLink}. */
class LinkGraphTest {
  private static final List<String> NAMES = List.of("a", "b", "c", "d");

  private static String refusal(List<String> names, GraphLink... links) {
    return assertThrows(IllegalArgumentException.class, () -> new LinkGraph(names, List.of(links)))
        .getMessage();
  }

  @Test
  void shouldAddUpParallelLinks() {
    LinkGraph graph =
        new LinkGraph(
            List.of("a", "b"), List.of(new GraphLink(1, 0, 5, 70), new GraphLink(0, 1, 3, 90)));
    assertEquals(8, graph.bytesPerSecond(0, 1));
    assertEquals(8, graph.bytesPerSecond(1, 0));
    assertEquals(90, graph.latencyNs(1, 0));
    assertEquals(90, graph.maxLatencyNs());
    assertTrue(graph.hasLink(1, 0));
    assertFalse(graph.hasLink(0, 0));
  }

  @Test
  void shouldBeEqualWhateverTheOrderOfLinks() {
    GraphLink one = new GraphLink(0, 1, 5, 70);
    GraphLink other = new GraphLink(2, 1, 3, 90);
    List<String> names = List.of("a", "b", "c");
    assertEquals(
        new LinkGraph(names, List.of(one, other)), new LinkGraph(names, List.of(other, one)));
    assertEquals(new GraphLink(1, 2, 3, 90), other);
  }

  @Test
  void shouldNameThePartsThatNoLinkJoins() {
    assertEquals(
        "no link joins these parts of the group: a c, b, d. Cable them, or make the group of one part",
        refusal(NAMES, new GraphLink(0, 2, 1, 1)));
  }

  @Test
  void shouldRefuseWhatIsNoGraph() {
    assertTrue(refusal(List.of()).contains("0 ranks: a group has 1 to 64"));
    assertTrue(refusal(Collections.nCopies(65, "a")).contains("65 ranks"));
    assertTrue(refusal(List.of("a", "a"), new GraphLink(0, 1, 1, 1)).contains("[a, a]"));
    assertTrue(refusal(List.of("a", ""), new GraphLink(0, 1, 1, 1)).contains("name of its own"));
    assertTrue(
        refusal(List.of("a", "\u00e9".repeat(128)), new GraphLink(0, 1, 1, 1)).contains("255"));
    assertTrue(refusal(List.of("a"), new GraphLink(0, 1, 1, 1)).contains("only ranks 0 to 0"));
    List<String> pair = List.of("a", "b");
    List<GraphLink> link = List.of(new GraphLink(0, 1, 1, 1));
    for (List<Long> limits : List.of(List.of(1L), List.of(1L, -1L))) {
      assertThrows(IllegalArgumentException.class, () -> new LinkGraph(pair, link, limits));
    }
    List<GraphLink> many = Collections.nCopies(LinkGraph.MAX_LINKS + 1, link.get(0));
    assertThrows(IllegalArgumentException.class, () -> new LinkGraph(pair, many));
  }

  @Test
  void shouldRefuseWhatIsNoLink() {
    assertThrows(IllegalArgumentException.class, () -> new GraphLink(1, 1, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new GraphLink(-1, 1, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new GraphLink(0, 1, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new GraphLink(0, 1, 1, -1));
    long tooMuch = GraphLink.MAX_BYTES_PER_SECOND + 1;
    assertThrows(IllegalArgumentException.class, () -> new GraphLink(0, 1, tooMuch, 1));
    long tooLong = GraphLink.MAX_LATENCY_NS + 1;
    assertThrows(IllegalArgumentException.class, () -> new GraphLink(0, 1, 1, tooLong));
  }
}
