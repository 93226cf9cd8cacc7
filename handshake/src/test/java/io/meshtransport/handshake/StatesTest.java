// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** Walks every pair of states and expects exactly the arrows that are drawn. */
class StatesTest {
  private static <S> void expect(Set<String> arrows, S[] states, BiPredicate<S, S> mayBecome) {
    for (S from : states) {
      for (S to : states) {
        String arrow = from + ">" + to;
        assertEquals(arrows.contains(arrow), mayBecome.test(from, to), arrow);
      }
    }
  }

  @Test
  void shouldAllowExactlyTheDrawnArrowsOfAnAcceptedHandshake() {
    expect(
        Set.of(
            "SILENT>CHALLENGED",
            "SILENT>WAITING",
            "SILENT>TOLD",
            "CHALLENGED>TOLD",
            "SILENT>FAILED",
            "CHALLENGED>WAITING",
            "CHALLENGED>FAILED",
            "WAITING>OFFERING",
            "WAITING>FAILED",
            "OFFERING>OFFERED",
            "OFFERING>DOOMED",
            "OFFERING>FAILED",
            "OFFERED>ESTABLISHING",
            "OFFERED>ABANDONING",
            "ESTABLISHING>ESTABLISHED",
            "ESTABLISHING>FAILED",
            "DOOMED>ABANDONING",
            "DOOMED>FAILED",
            "ABANDONING>FAILED"),
        InboundState.values(),
        InboundState::mayBecome);
  }

  @Test
  void shouldAllowExactlyTheDrawnArrowsOfAnAttempt() {
    expect(
        Set.of(
            "CONNECTING>GREETED",
            "CONNECTING>FAILED",
            "GREETED>CHALLENGED",
            "GREETED>TOLD",
            "ANSWERED>TOLD",
            "GREETED>BRINGING_UP",
            "GREETED>FAILED",
            "CHALLENGED>ANSWERED",
            "CHALLENGED>FAILED",
            "ANSWERED>BRINGING_UP",
            "ANSWERED>FAILED",
            "BRINGING_UP>READY",
            "BRINGING_UP>DOOMED",
            "BRINGING_UP>FAILED",
            "READY>ESTABLISHED",
            "READY>FAILED",
            "DOOMED>FAILED"),
        OutboundState.values(),
        OutboundState::mayBecome);
  }

  @Test
  void shouldAllowExactlyTheDrawnArrowsOfADial() {
    expect(
        Set.of(
            "QUEUED>DIALING",
            "QUEUED>COMPLETING",
            "DIALING>BACKING_OFF",
            "DIALING>COMPLETING",
            "BACKING_OFF>QUEUED",
            "BACKING_OFF>COMPLETING",
            "COMPLETING>DONE"),
        DialState.values(),
        DialState::mayBecome);
  }
}
