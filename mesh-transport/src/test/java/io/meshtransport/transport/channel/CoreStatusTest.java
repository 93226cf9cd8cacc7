// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class CoreStatusTest {
  static final Route ROUTE =
      new Route("b", "", "eth0", "10.0.1.1/24", "10.0.1.2", "10.0.1.0/24", "gid", "why", 0);

  private static final TransportException LATE =
      new TransportException(Reason.TIMED_OUT, "a deadline has passed");

  private static final TransportException GONE =
      new TransportException(Reason.PEER_GONE, "the peer is out of reach");

  private final ChannelLifeCycle life = ready();
  private final CoreStatus status = new CoreStatus(life, new WaitingThreads(new ReentrantLock()));

  /** The life cycle of a channel that is READY. */
  static ChannelLifeCycle ready() {
    ChannelLifeCycle life = new ChannelLifeCycle("to");
    life.become(ChannelState.ROUTING, () -> "b");
    life.become(ChannelState.HANDSHAKING, () -> "b");
    life.become(ChannelState.READY, () -> "b");
    return life;
  }

  @Test
  void shouldBeginRequestsWhileReady() {
    assertTrue(status.mayBegin());
    assertTrue(status.isReady());
    assertTrue(status.isLive());
    assertNull(status.failure());
  }

  @Test
  void shouldBeginNothingOnceItFails() {
    status.fails(LATE);
    assertTrue(status.isFailing());
    assertFalse(status.mayBegin());
    assertTrue(status.isReady(), "what is pending goes on");
    assertSame(LATE, status.failure());
  }

  @Test
  void shouldSayWhyItBrokeRatherThanWhyItWasToBreak() {
    status.fails(LATE);
    status.breaks(GONE);
    life.broke(GONE, true);
    assertFalse(status.mayBegin());
    assertFalse(status.isLive());
    assertSame(GONE, status.failure());
  }

  @Test
  void shouldPollWhatIsClosingAndRefuseRequestsThere() {
    life.become(ChannelState.DRAINING, () -> "b");
    assertTrue(status.isLive());
    assertFalse(status.isReady());
    assertFalse(status.mayBegin());

    life.become(ChannelState.CLOSED, () -> "b");
    assertFalse(status.isLive());
    assertFalse(status.mayBegin());
  }

  @Test
  void shouldCountWhatHasHappened() {
    status.progressed(1);
    status.progressed(16);
    assertEquals(17, status.progressCount());
  }
}
