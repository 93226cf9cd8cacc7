// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PlacementsTest {
  private static final long ONE = 1L << 1;
  private static final long OTHER = 1L << 63;
  private static final int ROOM = 500;
  private static final int NEXT = 3;

  private final Placements placements = new Placements();

  @Test
  void shouldEndAMessageWhenEachOfItsRailsHasSpoken() {
    assertTrue(placements.placed(ROOM, OTHER));
    placements.notified(ROOM, 77, ONE | OTHER);
    assertEquals(ONE, placements.missing());
    assertEquals(Placements.NONE, placements.nextWhole());
    assertTrue(placements.isNotified(ROOM));

    assertTrue(placements.placed(ROOM, ONE));
    assertEquals(0, placements.missing());
    assertEquals(ROOM, placements.nextWhole());
    assertEquals(77, placements.lengthBytes(ROOM));
    assertFalse(placements.isNotified(ROOM));
    assertEquals(Placements.NONE, placements.nextWhole());
  }

  @Test
  void shouldKeepTheOrderInWhichMessagesWereToldOf() {
    placements.notified(ROOM, 1, ONE);
    placements.notified(NEXT, 2, 0);
    assertEquals(Placements.NONE, placements.nextWhole());

    placements.placed(ROOM, ONE);
    assertEquals(ROOM, placements.nextWhole());
    assertEquals(NEXT, placements.nextWhole());
  }

  @Test
  void shouldNotWaitForADestroyedRailNorTakeItsWordForThatOfTheNextAtItsPlace() {
    placements.placed(NEXT, ONE);
    placements.notified(ROOM, 1, ONE);
    placements.destroyed(ONE);
    assertEquals(ROOM, placements.nextWhole());

    placements.notified(NEXT, 1, ONE);
    assertEquals(Placements.NONE, placements.nextWhole());
    assertTrue(placements.placed(NEXT, ONE));
    assertEquals(NEXT, placements.nextWhole());
  }

  @Test
  void shouldTellAWordThatIsSaidTwice() {
    assertTrue(placements.placed(ROOM, ONE));
    assertFalse(placements.placed(ROOM, ONE));
    placements.notified(ROOM, 1, ONE);
    assertEquals(ROOM, placements.nextWhole());
    assertTrue(placements.placed(ROOM, ONE));
  }
}
