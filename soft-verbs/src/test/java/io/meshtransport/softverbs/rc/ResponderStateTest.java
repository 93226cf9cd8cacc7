// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every pair of states of a responder: exactly the arrows of its picture are allowed. */
class ResponderStateTest {
  private static final Set<String> ARROWS =
      Set.of(
          "CLOSED ACCEPTING",
          "ACCEPTING DISCARDING",
          "DISCARDING ACCEPTING",
          "CLOSED REFUSING",
          "ACCEPTING REFUSING",
          "DISCARDING REFUSING");

  @Test
  void shouldAllowExactlyItsArrows() {
    for (ResponderState from : ResponderState.values()) {
      for (ResponderState to : ResponderState.values()) {
        String arrow = from + " " + to;
        assertEquals(ARROWS.contains(arrow), from.mayBecome(to), arrow);
      }
    }
  }
}
