// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class IdleTurnsTest {
  private final IdleTurns turns = new IdleTurns();

  private void serveOthers(int times) {
    for (int i = 0; i < times; i++) {
      turns.servedOthers();
    }
  }

  @Test
  void shouldCountTurnsInARowThatBroughtNothing() {
    serveOthers(IdleTurns.MAX - 1);
    assertFalse(turns.areMany());
    turns.gotEvent();
    serveOthers(IdleTurns.MAX - 1);
    assertFalse(turns.areMany(), "an event of its own was between them");
    turns.servedOthers();
    assertTrue(turns.areMany());
    serveOthers(1000);
    turns.restedInVain();
    assertFalse(turns.areMany(), "the next turn is its own");
    turns.servedOthers();
    assertTrue(turns.areMany(), "as others still are all that it serves");
    turns.gotEvent();
    turns.restedInVain();
    assertFalse(turns.areMany(), "however long it has been idle");
  }
}
