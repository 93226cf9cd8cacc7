// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeparturesTest {
  private final Departures departures = new Departures(3);

  @Test
  void shouldMissARankInRunsBeyondThoseThatItStarted() {
    assertTrue(departures.add(Departures.goodbye(1, 5)));
    assertFalse(departures.isMissingIn(1, 5));
    assertTrue(departures.isMissingIn(1, 6));
    assertFalse(departures.isMissingIn(2, 6));
  }

  @Test
  void shouldPassOnAGoodbyeOnce() {
    RankMessage goodbye = Departures.goodbye(2, 7);
    assertTrue(departures.add(goodbye));
    assertFalse(departures.add(Departures.goodbye(2, 8)));
    assertEquals(1, departures.known().size());
    assertEquals(2, departures.known().get(0).origin());
    assertArrayEquals(goodbye.body(), departures.known().get(0).body());
  }

  @Test
  void shouldIgnoreAGoodbyeThatCountsNoRuns() {
    RankMessage shorter = new RankMessage(RankMessage.Kind.GOODBYE, 1, 0, new byte[3]);
    assertFalse(Departures.isGoodbye(shorter));
    assertFalse(departures.add(shorter));
    assertFalse(departures.hasLeft(1));
  }

  /** A rank that recorded none of it would pass it on each time it came round a circle. */
  @ParameterizedTest
  @ValueSource(longs = {-1, -2, Long.MIN_VALUE})
  void shouldIgnoreAGoodbyeAfterFewerThanNoRuns(long starts) {
    RankMessage goodbye = Departures.goodbye(1, starts);
    assertFalse(Departures.isGoodbye(goodbye));
    assertFalse(departures.add(goodbye));
    assertFalse(departures.hasLeft(1));
    assertTrue(departures.add(Departures.goodbye(1, 0)));
  }
}
