// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static io.meshtransport.spi.ChannelState.CLOSED;
import static io.meshtransport.spi.ChannelState.DRAINING;
import static io.meshtransport.spi.ChannelState.FAILED;
import static io.meshtransport.spi.ChannelState.HANDSHAKING;
import static io.meshtransport.spi.ChannelState.NEW;
import static io.meshtransport.spi.ChannelState.READY;
import static io.meshtransport.spi.ChannelState.ROUTING;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ChannelStateTest {
  /** The picture in the Javadoc, read off by hand. */
  private static final Map<ChannelState, Set<ChannelState>> ARROWS =
      Map.of(
          NEW, Set.of(ROUTING, FAILED),
          ROUTING, Set.of(HANDSHAKING, FAILED),
          HANDSHAKING, Set.of(READY, FAILED),
          READY, Set.of(DRAINING, FAILED),
          DRAINING, Set.of(CLOSED, FAILED),
          FAILED, Set.of(CLOSED),
          CLOSED, Set.of());

  @ParameterizedTest
  @MethodSource("everyPair")
  void shouldHaveExactlyTheArrowsDrawn(ChannelState from, ChannelState to) {
    assertEquals(ARROWS.get(from).contains(to), from.mayBecome(to));
  }

  static Stream<Arguments> everyPair() {
    return Stream.of(ChannelState.values())
        .flatMap(from -> Stream.of(ChannelState.values()).map(to -> Arguments.of(from, to)));
  }
}
