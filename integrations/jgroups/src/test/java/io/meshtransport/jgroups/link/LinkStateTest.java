// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static io.meshtransport.jgroups.link.LinkState.BACKING_OFF;
import static io.meshtransport.jgroups.link.LinkState.CLOSED;
import static io.meshtransport.jgroups.link.LinkState.FAILED;
import static io.meshtransport.jgroups.link.LinkState.IDLE;
import static io.meshtransport.jgroups.link.LinkState.OPEN;
import static io.meshtransport.jgroups.link.LinkState.OPENING;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LinkStateTest {
  /** The picture in the Javadoc, read off by hand. */
  private static final Map<LinkState, Set<LinkState>> ARROWS =
      Map.of(
          IDLE, Set.of(OPENING, CLOSED),
          OPENING, Set.of(OPEN, FAILED, CLOSED),
          OPEN, Set.of(FAILED, CLOSED),
          FAILED, Set.of(BACKING_OFF, CLOSED),
          BACKING_OFF, Set.of(OPENING, CLOSED),
          CLOSED, Set.of());

  @ParameterizedTest
  @MethodSource("everyPair")
  void shouldHaveExactlyTheArrowsDrawn(LinkState from, LinkState to) {
    assertEquals(ARROWS.get(from).contains(to), from.mayBecome(to));
  }

  static Stream<Arguments> everyPair() {
    return Stream.of(LinkState.values())
        .flatMap(from -> Stream.of(LinkState.values()).map(to -> Arguments.of(from, to)));
  }
}
