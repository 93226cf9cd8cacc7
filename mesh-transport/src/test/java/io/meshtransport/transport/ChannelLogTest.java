// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.LogLevels;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;

/** What the log says of a channel's life, and how loudly. */
class ChannelLogTest {
  private static CapturedLog.Line lastOf(Reason reason) {
    return lastOf(reason, /* wasUsed= */ true);
  }

  private static CapturedLog.Line lastOf(Reason reason, boolean wasUsed) {
    try (CapturedLog log = new CapturedLog(ChannelLifeCycle.class)) {
      SimulatedLine.ready("to")
          .broke(new TransportException(reason, "b via eth1: what and why."), wasUsed);
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
  void shouldBeQuietAboutAChannelThatItsPeerGaveUpUnused() {
    Level level = lastOf(Reason.PEER_GONE, /* wasUsed= */ false).level();
    assertTrue(level.isLessSpecificThan(Level.INFO), level.name());
    assertEquals(Level.WARN, lastOf(Reason.DEVICE, /* wasUsed= */ false).level());
  }

  /** The receiving end has posted a receive, and its peer's device has the announcement. */
  private static Level whenThePeerIsLost(boolean hasReceived) throws Exception {
    try (CapturedLog log = new CapturedLog(ChannelLifeCycle.class);
        SimulatedLine line = new SimulatedLine(1, SimulatedCable.usual(), 1 << 20)) {
      long receive = line.in.irecv(ByteBuffer.allocateDirect(8), 1);
      run(line);
      if (hasReceived) {
        long send = line.out.isend(ByteBuffer.allocateDirect(8), 1);
        run(line);
        assertEquals(8, line.out.test(send));
        assertEquals(8, line.in.test(receive));
      }
      line.in.irecv(ByteBuffer.allocateDirect(8), 1);
      line.cut(0);
      line.in.irecv(ByteBuffer.allocateDirect(8), 1);
      line.letSilenceEnd();
      assertEquals(Reason.PEER_GONE, line.in.failure().reason());
      return log.lines().stream()
          .filter(each -> each.text().startsWith("channel from"))
          .findFirst()
          .orElseThrow()
          .level();
    }
  }

  private static void run(SimulatedLine line) {
    for (int i = 0; i < 100; i++) {
      line.fabric.runUntil(line.fabric.nowNs() + 100_000);
      line.out.awaitProgress(line.out.progressCount() - 1, Duration.ZERO);
      line.in.awaitProgress(line.in.progressCount() - 1, Duration.ZERO);
    }
  }

  @Test
  void shouldWarnOfALostPeerOnlyIfTheChannelWasUsed() throws Exception {
    Level level = whenThePeerIsLost(/* hasReceived= */ false);
    assertTrue(level.isLessSpecificThan(Level.INFO), level.name());
    assertEquals(Level.WARN, whenThePeerIsLost(/* hasReceived= */ true));
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
