// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.LocalTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WaitNoticeTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final StringWriter output = new StringWriter();
  private final WaitNotice wait = new WaitNotice(new PrintWriter(output));

  /** So many milliseconds after noon. */
  private void check(long ms) {
    long nowNs = TimeUnit.MILLISECONDS.toNanos(ms);
    wait.check(nowNs, LocalTime.NOON.plusNanos(nowNs));
  }

  @Test
  void shouldSayOnceWhatIsWaitedForAndUntilWhen() {
    wait.begins("the peer", LIMIT);
    check(0);
    check(2_999);
    assertEquals("", output.toString());
    check(3_000);
    check(29_000);
    assertEquals(String.format("waiting    for the peer, until 12:00:30%n"), output.toString());
  }

  @Test
  void shouldSayNothingOfShortWaitsAndEachLongOne() {
    wait.begins("the peer", LIMIT);
    check(0);
    check(2_000);
    wait.beginsAgain();
    check(2_500);
    check(5_000);
    assertEquals("", output.toString());
    check(5_500);
    wait.begins("a message", LIMIT);
    check(6_000);
    check(9_000);
    assertEquals(
        String.format(
            "waiting    for the peer, until 12:00:32%nwaiting    for a message, until 12:00:36%n"),
        output.toString());
  }

  @Test
  void shouldSayNothingBeforeTheFirstWaitAndWhenItIsClosed() {
    check(0);
    check(60_000);
    wait.begins("the peer", LIMIT);
    check(61_000);
    wait.close();
    check(65_000);
    assertEquals("", output.toString());
  }
}
