// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static io.meshtransport.relay.FlowPhase.ABORTED;
import static io.meshtransport.relay.FlowPhase.ANSWERING;
import static io.meshtransport.relay.FlowPhase.ENDED;
import static io.meshtransport.relay.FlowPhase.OPEN;
import static io.meshtransport.relay.FlowPhase.ORPHANED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FlowPhaseTest {
  private static final Map<FlowPhase, Set<FlowPhase>> ARROWS =
      Map.of(
          OPEN, EnumSet.of(ANSWERING, ORPHANED, ABORTED, ENDED),
          ORPHANED, EnumSet.of(ABORTED, ENDED),
          ANSWERING, EnumSet.of(ENDED),
          ABORTED, EnumSet.of(ENDED),
          ENDED, EnumSet.noneOf(FlowPhase.class));

  @ParameterizedTest
  @EnumSource
  void shouldBecomeWhatTheArrowsLeadToAlone(FlowPhase from) {
    for (FlowPhase to : FlowPhase.values()) {
      assertEquals(ARROWS.get(from).contains(to), from.mayBecome(to), from + " to " + to);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldBeHeardWhileTheListenerDoesNotKnowTheEnd(FlowPhase phase) {
    assertEquals(phase == OPEN || phase == ORPHANED, phase.isHeard());
  }
}
