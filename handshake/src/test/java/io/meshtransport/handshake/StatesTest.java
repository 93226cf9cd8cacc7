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
            "ACCEPTED>CHALLENGED",
            "ACCEPTED>QUEUED",
            "ACCEPTED>HANDLE_SENT",
            "CHALLENGED>HANDLE_SENT",
            "ACCEPTED>FAILED",
            "CHALLENGED>QUEUED",
            "CHALLENGED>FAILED",
            "QUEUED>PREPARING",
            "QUEUED>FAILED",
            "PREPARING>OFFERED",
            "PREPARING>CANCELLING",
            "PREPARING>FAILED",
            "OFFERED>ESTABLISHING",
            "OFFERED>ABANDONING",
            "ESTABLISHING>ESTABLISHED",
            "ESTABLISHING>FAILED",
            "CANCELLING>ABANDONING",
            "CANCELLING>FAILED",
            "ABANDONING>FAILED"),
        InboundState.values(),
        InboundState::mayBecome);
  }

  @Test
  void shouldAllowExactlyTheDrawnArrowsOfAnAttempt() {
    expect(
        Set.of(
            "CONNECTING>OPENING_SENT",
            "CONNECTING>FAILED",
            "OPENING_SENT>CHALLENGED",
            "OPENING_SENT>HANDLE_RECEIVED",
            "AWAITING_PROOF>HANDLE_RECEIVED",
            "OPENING_SENT>BRINGING_UP",
            "OPENING_SENT>FAILED",
            "CHALLENGED>AWAITING_PROOF",
            "CHALLENGED>FAILED",
            "AWAITING_PROOF>BRINGING_UP",
            "AWAITING_PROOF>FAILED",
            "BRINGING_UP>READY",
            "BRINGING_UP>CANCELLING",
            "BRINGING_UP>FAILED",
            "READY>ESTABLISHED",
            "READY>FAILED",
            "CANCELLING>FAILED"),
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
