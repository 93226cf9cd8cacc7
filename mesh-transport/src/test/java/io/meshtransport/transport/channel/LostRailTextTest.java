// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.VerbsException;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;

/** What the log says of a rail that is lost: the channel goes on, so nobody is told to close it. */
class LostRailTextTest {
  private static final Route ROUTE =
      new Route("b", "", "eth0", "10.0.1.1/24", "10.0.1.2", "10.0.1.0/24", "gid", "why", 0);

  @Test
  void shouldNotSayThatTheChannelIsToBeClosed() {
    List<TransportException> all =
        List.of(
            ChannelFailures.completion(ROUTE, "a message", CompletionStatus.RETRY_EXC_ERR, 0, ""),
            ChannelFailures.post(ROUTE, "a message", 12),
            ChannelFailures.poll(ROUTE, 5),
            ChannelFailures.waiting(ROUTE, new VerbsException(5, "poll failed.")),
            ChannelFailures.deviceLost(ROUTE),
            ChannelFailures.stuck(ROUTE, 301_000_000, 4096));
    for (TransportException why : all) {
      String text = ChannelFailures.aboutRail(ROUTE, why);
      assertFalse(text.contains("Close"), text);
      assertFalse(text.startsWith(ROUTE.toString()), text);
      assertFalse(text.isBlank(), why.getMessage());
    }
  }

  /**
   * Silence, and a device that gives up, may be a cut cable, and the host that reset a connection
   * is within reach: only the evidence may say more than that the connection is lost.
   */
  @Test
  void shouldSayNoMoreThanTheEvidenceProves() {
    for (String evidence :
        List.of(
            "",
            "the peer's host was silent for 15000 ms",
            "the peer's host reset the connection: its process has ended or gave it up",
            "the own device was closed")) {
      String text =
          ChannelFailures.completion(
                  ROUTE, "a message", CompletionStatus.RETRY_EXC_ERR, 0, evidence)
              .getMessage();
      assertTrue(text.startsWith(ROUTE + ": the connection to the peer is lost: "), text);
      assertTrue(text.contains(evidence), text);
      assertFalse(text.contains("the peer is gone") || text.contains("out of reach"), text);
    }
    String verdict = ChannelFailures.nodeGone("to b", "no sign of life for 1.3 s").getMessage();
    assertTrue(
        verdict.startsWith("to b: the node counts as gone: no sign of life for 1.3 s."), verdict);
  }

  @Test
  void shouldWarnOfARailOnlyWhileItsChannelGoesOn() {
    assertEquals(Level.WARN, ChannelFailures.lostRailLevel(true, false));
    assertEquals(Level.INFO, ChannelFailures.lostRailLevel(true, true));
    assertEquals(Level.DEBUG, ChannelFailures.lostRailLevel(false, false));
    assertEquals(Level.DEBUG, ChannelFailures.lostRailLevel(false, true));
  }

  @Test
  void shouldSayHowLongARailWasStuck() {
    assertEquals(
        "4096 bytes were stuck on it for 301 ms while others had theirs across.",
        ChannelFailures.aboutRail(ROUTE, ChannelFailures.stuck(ROUTE, 301_999_999, 4096)));
  }
}
