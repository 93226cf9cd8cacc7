// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.ConnectionNonce;
import io.meshtransport.handshake.PeerHello;
import io.meshtransport.handshake.QueuePairAddress;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.transport.connect.ChannelAcceptor;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailId;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connector whose HELLO about a rail was heard, but not answered as far as it knows, says another
 * with the same ticket and the same queue pair.
 *
 * <p>Also tests {@link io.meshtransport.transport.connect.PendingChannel}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RailOfferedTwiceTest {
  private static final int RAILS = 2;
  private static final int CHUNK_BYTES = 1_000;
  private static final int MESSAGE_BYTES = 64 * CHUNK_BYTES;
  private static final long LOOK_NS = 10_000;
  private static final RailId TICKET = new RailId(SimulatedLine.BUNDLE, 1, RAILS, 1);
  private static final ConnectionNonce UNANSWERED = new ConnectionNonce(7, 1);
  private static final ConnectionNonce ANSWERED = new ConnectionNonce(7, 2);

  @Test
  void shouldGiveBackTheFirstAndKeepTheSecond() throws Exception {
    // Closing it fails if a queue pair is left.
    try (SimulatedLine line =
        SimulatedLine.railed(1, SimulatedCable.usual(), CHUNK_BYTES, 1, RAILS)) {
      ChannelAcceptor admission = new ChannelAcceptor(line.to.context());
      MeshEndpoint theirs = SimulatedLine.link(line.from, 0, QueueDepths.sender(RAILS, 1));
      QueuePairAddress unanswered = offer(line, admission, UNANSWERED, theirs);
      QueuePairAddress answered = offer(line, admission, ANSWERED, theirs);
      assertNotEquals(unanswered.qpNumber(), answered.qpNumber());
      line.from.context().endpoints().connect(theirs, answered);
      admission.established(ANSWERED);
      assertTrue(line.out.rails().join(new Rail(1, 1, theirs, 0)));

      // No reason: a rail that comes to nothing asks for none.
      admission.abandoned(UNANSWERED, null);
      assertEquals(2, SimulatedLine.rails(line.in).size());
      exchange(line);
      assertTrue(SimulatedLine.rails(line.in).get(1).isLive());
      assertTrue(SimulatedLine.rails(line.out).get(1).isLive());
    }
  }

  /** A rail costs a queue pair and its memory, so there are no more than were agreed on. */
  @Test
  void shouldRefuseARailWhosePlaceIsTaken() throws Exception {
    try (SimulatedLine line =
        SimulatedLine.railed(1, SimulatedCable.usual(), CHUNK_BYTES, 1, RAILS)) {
      line.joinRail();
      ChannelAcceptor admission = new ChannelAcceptor(line.to.context());
      try (MeshEndpoint theirs = SimulatedLine.link(line.from, 0, QueueDepths.sender(RAILS, 1))) {
        for (int number = 0; number < 100; number++) {
          RailId another = TICKET.numbered(Math.max(1, number));
          RefusedException refused =
              assertThrows(
                  RefusedException.class,
                  () -> offer(line, admission, UNANSWERED, theirs, another));
          assertTrue(refused.getMessage().contains("is still there"), refused.getMessage());
        }
      }
      assertEquals(RAILS, SimulatedLine.rails(line.in).size());
      assertEquals(RAILS, line.to.context().nics().now().get(0).liveChannels().get());
      exchange(line);
    }
  }

  private static QueuePairAddress offer(
      SimulatedLine line, ChannelAcceptor admission, ConnectionNonce nonce, MeshEndpoint theirs)
      throws Exception {
    return offer(line, admission, nonce, theirs, TICKET);
  }

  private static QueuePairAddress offer(
      SimulatedLine line,
      ChannelAcceptor admission,
      ConnectionNonce nonce,
      MeshEndpoint theirs,
      RailId ticket)
      throws Exception {
    return admission.offer(
        new PeerHello(
            nonce,
            line.from.node(),
            0,
            0,
            line.from.context().endpoints().address(theirs, 1, Optional.of(ticket))),
        address(line.to),
        address(line.from));
  }

  private static InetSocketAddress address(MeshTransport transport) {
    return new InetSocketAddress(
        transport.context().nics().now().get(0).nic().addresses().get(0).link().address(), 1);
  }

  /** A message that is cut into chunks, which both rails share. */
  private static void exchange(SimulatedLine line) throws Exception {
    RegisteredMemory source = line.from.register(ByteBuffer.allocateDirect(MESSAGE_BYTES));
    RegisteredMemory sink = line.to.register(ByteBuffer.allocateDirect(MESSAGE_BYTES));
    long receive = line.in.irecv(sink, 0, MESSAGE_BYTES, 1);
    long send = line.out.isend(source, 0, MESSAGE_BYTES, 1);
    assertEquals(MESSAGE_BYTES, finish(line, line.out, send));
    assertEquals(MESSAGE_BYTES, finish(line, line.in, receive));
  }

  private static long finish(SimulatedLine line, Channel channel, long request) {
    long outcome;
    while ((outcome = channel.test(request)) == Channel.PENDING) {
      line.fabric.runUntil(line.fabric.nowNs() + LOOK_NS);
    }
    return outcome;
  }
}
