// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.LocalTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LongWaitTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final StringWriter said = new StringWriter();
  private final LongWait wait = new LongWait(new PrintWriter(said));

  /** So many milliseconds after noon. */
  private void look(long ms) {
    long nowNs = TimeUnit.MILLISECONDS.toNanos(ms);
    wait.look(nowNs, LocalTime.NOON.plusNanos(nowNs));
  }

  @Test
  void shouldSayOnceWhatIsWaitedForAndUntilWhen() {
    wait.begins("the peer", LIMIT);
    look(0);
    look(2_999);
    assertEquals("", said.toString());
    look(3_000);
    look(29_000);
    assertEquals(String.format("waiting    for the peer, until 12:00:30%n"), said.toString());
  }

  @Test
  void shouldSayNothingOfShortWaitsAndEachLongOne() {
    wait.begins("the peer", LIMIT);
    look(0);
    look(2_000);
    wait.beginsAgain();
    look(2_500);
    look(5_000);
    assertEquals("", said.toString());
    look(5_500);
    wait.begins("a message", LIMIT);
    look(6_000);
    look(9_000);
    assertEquals(
        String.format(
            "waiting    for the peer, until 12:00:32%nwaiting    for a message, until 12:00:36%n"),
        said.toString());
  }

  @Test
  void shouldSayNothingBeforeTheFirstWaitAndWhenItIsClosed() {
    look(0);
    look(60_000);
    wait.begins("the peer", LIMIT);
    look(61_000);
    wait.close();
    look(65_000);
    assertEquals("", said.toString());
  }
}
