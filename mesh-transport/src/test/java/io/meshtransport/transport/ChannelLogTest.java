// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.LogLevels;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;

/** What the log says of a channel's life, and how loudly. */
class ChannelLogTest {
  private static CapturedLog.Line lastOf(Reason reason) {
    try (CapturedLog log = new CapturedLog(ChannelLifeCycle.class)) {
      SimulatedLine.ready("to").broke(new TransportException(reason, "b via eth1: what and why."));
      return log.lines().get(log.lines().size() - 1);
    }
  }

  @Test
  void shouldWarnOfAChannelThatBreaksInWordsOfItsUser() {
    CapturedLog.Line line = lastOf(Reason.PEER_GONE);
    assertEquals(Level.WARN, line.level());
    assertEquals("channel to b via eth1: what and why. (PEER_GONE)", line.text());
  }

  @Test
  void shouldBeQuietAboutAGoodbye() {
    Level level = lastOf(Reason.PEER_CLOSED).level();
    assertTrue(level.isLessSpecificThan(Level.INFO), level.name());
  }

  @Test
  void shouldShowDecisionsAtInfoOnceADebuggingTransportWasOpened() {
    LogLevels.raise(1);
    LogLevels.raise(0);
    assertEquals(Level.INFO, LogLevels.decision());
    try (CapturedLog log = new CapturedLog(ChannelLifeCycle.class)) {
      new ChannelLifeCycle("to").become(ChannelState.ROUTING, () -> "b");
      assertEquals(new CapturedLog.Line(Level.INFO, "to b: ROUTING"), log.lines().get(0));
    }
    assertEquals(Level.INFO, lastOf(Reason.PEER_CLOSED).level());
    LogLevels.raise(2);
    assertEquals(Level.INFO, LogLevels.step());
  }
}
