// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Route;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the failure of a request whose deadline has passed says of the peer's silence. */
class PeerSilenceTextTest {
  private static final Route ROUTE =
      new Route("12ab", "b", "eth0", "10.0.1.1/24", "10.0.1.2", "10.0.1.0/24", "gid", "why", 0);

  private static String text(long silenceMs, long timeoutMs) {
    return ChannelFailures.silence(
        ROUTE,
        TimeUnit.MILLISECONDS.toNanos(silenceMs),
        TimeUnit.MILLISECONDS.toNanos(timeoutMs),
        TimeUnit.MILLISECONDS.toNanos(1250));
  }

  @Test
  void shouldSayNothingOfADeviceThatDoesNotKnow() {
    assertEquals("", ChannelFailures.silence(ROUTE, Channel.SILENCE_UNKNOWN, 1, 1));
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
}
