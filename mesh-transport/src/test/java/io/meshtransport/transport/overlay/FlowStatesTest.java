// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/**
 * Every pair of states of each life cycle over flows: exactly the arrows of its picture are
 * allowed.
 */
class FlowStatesTest {
  private static <S> void expect(Set<String> arrows, S[] states, BiPredicate<S, S> mayBecome) {
    for (S from : states) {
      for (S to : states) {
        String arrow = from + " " + to;
        assertEquals(arrows.contains(arrow), mayBecome.test(from, to), arrow);
      }
    }
  }

  @Test
  void shouldAllowExactlyTheArrowsOfAStream() {
    expect(
        Set.of(
            "CONNECTING UP",
            "CONNECTING CLOSED",
            "UP CONNECTING",
            "UP FINISHING",
            "UP CLOSED",
            "FINISHING CLOSED"),
        FlowStreamState.values(),
        FlowStreamState::mayBecome);
  }

  @Test
  void shouldAllowExactlyTheArrowsOfAConnection() {
    expect(
        Set.of(
            "ANSWER_DUE UP",
            "HELLO_DUE STREAM_DUE",
            "STREAM_DUE PROOF_DUE",
            "PROOF_DUE UP",
            "ANSWER_DUE OVER",
            "HELLO_DUE OVER",
            "STREAM_DUE OVER",
            "PROOF_DUE OVER",
            "UP OVER"),
        FlowConnectionState.values(),
        FlowConnectionState::mayBecome);
  }
}
