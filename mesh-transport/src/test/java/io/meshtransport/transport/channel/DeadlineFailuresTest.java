// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Route;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the failure of a request whose deadline has passed says of the peer's silence. */
class DeadlineFailuresTest {
  private static final Route ROUTE =
      new Route("12ab", "b", "eth0", "10.0.1.1/24", "10.0.1.2", "10.0.1.0/24", "gid", "why", 0);

  private static DeadlineFailures failures(long timeoutNs, long silenceNs) {
    return new DeadlineFailures(ROUTE, timeoutNs, silenceNs, TimeUnit.MILLISECONDS.toNanos(1250));
  }

  private static String text(long silenceMs, long timeoutMs) {
    return failures(
            TimeUnit.MILLISECONDS.toNanos(timeoutMs), TimeUnit.MILLISECONDS.toNanos(silenceMs))
        .silence();
  }

  @Test
  void shouldSayNothingOfADeviceThatDoesNotKnow() {
    DeadlineFailures unknown = failures(1, Channel.SILENCE_UNKNOWN);
    assertEquals("", unknown.silence());
    assertTrue(
        unknown
            .notBegun()
            .getMessage()
            .endsWith("under way. It was withdrawn; the channel goes on."));
  }

  @Test
  void shouldCallAPeerStoppedOnlyThatWouldHaveAnsweredAProbe() {
    String stopped = ": its program may be stopped, or its host or the cable down.";
    assertEquals(" Nothing has come from b (12ab) for 1.9 s" + stopped, text(1900, 1900));
    assertEquals(" Nothing has come from b (12ab) for 1.9 s" + stopped, text(1900, 5000));
    // No request was pending before, so that none was probed.
    assertEquals(
        " Nothing has come from b (12ab) for 60 s, as from a living peer that has had nothing to send.",
        text(60_000, 100));
  }

  @Test
  void shouldSayWhenSomethingCameMeanwhile() {
    assertEquals(" Something came from b (12ab) 3 ms ago.", text(3, 100));
    assertEquals(" Something came from b (12ab) 1.2 s ago.", text(1200, 5000));
  }

  @Test
  void shouldSayItBetweenWhatHappenedAndWhatFollows() {
    String text =
        failures(TimeUnit.MILLISECONDS.toNanos(100), TimeUnit.MILLISECONDS.toNanos(3))
            .receiveTimedOut(7, 64, 0)
            .getMessage();
    assertTrue(
        text.endsWith(
            ": no message with tag 7 came within 100 ms into the receive of up to 64 bytes."
                + " Something came from b (12ab) 3 ms ago."
                + " The receive was taken back, and the connection goes on."),
        text);
  }
}
