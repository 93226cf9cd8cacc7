// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.CloseState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the other end learns of an end that goes by its own decision.
 *
 * <p>Also tests {@link CloseState}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GoodbyeTest {
  private static final SimulatedCable CABLE = new SimulatedCable(5_000, 0, 1_000_000_000L);
  private static final int PART_BYTES = 4_096;
  private static final int BYTES = 64;
  private static final int LONG_BYTES = 4 << 20;
  private static final long OVER_AT_ONCE_NS = 1;
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final List<SimulatedLine> lines = new ArrayList<>();

  private SimulatedLine line() throws Exception {
    return kept(new SimulatedLine(1, CABLE, PART_BYTES));
  }

  private SimulatedLine kept(SimulatedLine line) {
    lines.add(line);
    return line;
  }

  @AfterEach
  void close() {
    lines.forEach(SimulatedLine::close);
  }

  /** Tests at both ends in turn until one request is over. */
  private static long finish(SimulatedLine line, Channel end, long request) {
    long startNs = System.nanoTime();
    long outcome = end.test(request);
    while (outcome == Channel.PENDING) {
      assertTrue(System.nanoTime() - startNs < LIMIT.toNanos(), "never over");
      line.out.awaitProgress(-1, Duration.ZERO);
      line.in.awaitProgress(-1, Duration.ZERO);
      outcome = end.test(request);
    }
    return outcome;
  }

  private static void assertTellsThatItTimedOut(SimulatedLine line) throws Exception {
    RegisteredMemory from = line.from.allocate(BYTES);
    RegisteredMemory to = line.to.allocate(BYTES);
    long send = line.out.isend(from, 0, BYTES, 9);
    long late = line.in.irecv(to, 0, BYTES, 7, OVER_AT_ONCE_NS);

    assertEquals(Channel.FAILED, finish(line, line.in, late));
    TransportException here = line.in.failure();
    assertEquals(Reason.TIMED_OUT, here.reason(), here.toString());
    assertTrue(here.getMessage().contains("tag 7"), here.getMessage());
    assertEquals(ChannelState.FAILED, line.in.state());

    assertEquals(Channel.FAILED, finish(line, line.out, send));
    TransportException there = line.out.failure();
    assertEquals(Reason.PEER_CLOSED, there.reason(), there.toString());
    assertTrue(
        there.getMessage().contains("its receive with tag 7 timed out after "), there.getMessage());
    assertTrue(there.getMessage().contains("the first with tag 9"), there.getMessage());
  }

  @Test
  void shouldTellTheSenderThatAReceiveTimedOut() throws Exception {
    assertTellsThatItTimedOut(line());
  }

  @Test
  void shouldTellItOverTheLeadOfSeveralRails() throws Exception {
    SimulatedLine line = kept(SimulatedLine.railed(2, CABLE, PART_BYTES, 2, 2));
    line.joinRail();
    assertTellsThatItTimedOut(line);
  }

  @Test
  void shouldTellItOverTcp() throws Exception {
    try (Transport a = open("127.77.42.1/24");
        Transport b = open("127.77.42.2/24");
        Listener listener = b.listen()) {
      SendChannel out = a.connect(listener.handle(), LIMIT);
      ReceiveChannel in = listener.accept(LIMIT);
      long send = out.isend(a.allocate(BYTES), 0, BYTES, 9);
      RegisteredMemory to = b.allocate(BYTES);
      TransportException here =
          assertThrows(
              TransportException.class, () -> in.receive(to, 0, BYTES, 7, Duration.ofMillis(50)));
      assertEquals(Reason.TIMED_OUT, here.reason(), here.toString());
      assertEquals(Channel.FAILED, out.await(send, LIMIT));
      TransportException there = out.failure();
      assertEquals(Reason.PEER_CLOSED, there.reason(), there.toString());
      assertTrue(
          there.getMessage().contains("its receive with tag 7 timed out after 50 ms"),
          there.getMessage());
    }
  }

  private static Transport open(String address) throws TransportException {
    return Transport.open(Map.of("MESH_LOOPBACK", address, "MESH_HANDSHAKE_PORT", "0"));
  }

  /**
   * The devices have a window of a quarter of the message, so its end and the reason never leave.
   */
  @Test
  void shouldSayThatThePeerWentOnPurposeWhereItsReasonIsBehindALongMessage() throws Exception {
    SimulatedLine line = kept(new SimulatedLine(1, CABLE, LONG_BYTES));
    RegisteredMemory from = line.from.allocate(LONG_BYTES);
    RegisteredMemory to = line.to.allocate(LONG_BYTES);
    long receive = line.in.irecv(to, 0, LONG_BYTES, 7);
    line.in.irecv(to, 0, BYTES, 8);
    // What comes after them has seen them.
    assertEquals(BYTES, finish(line, line.out, line.out.isend(from, 0, BYTES, 8)));
    line.cut(0);
    long send = line.out.isend(from, 0, LONG_BYTES, 7, OVER_AT_ONCE_NS);
    assertEquals(Channel.FAILED, line.out.await(send, LIMIT));
    assertEquals(Reason.TIMED_OUT, line.out.failure().reason());

    line.mend(0);
    assertEquals(Channel.FAILED, finish(line, line.in, receive));
    TransportException there = line.in.failure();
    assertEquals(Reason.PEER_CLOSED, there.reason(), there.toString());
    assertTrue(
        there.getMessage().contains("the peer closed its end, or a deadline passed there"),
        there.getMessage());
  }

  @Test
  void shouldBeginNothingWhileThePeerIsBeingTold() throws Exception {
    SimulatedLine line = line();
    RegisteredMemory to = line.to.allocate(BYTES);
    long late = line.in.irecv(to, 0, BYTES, 7, OVER_AT_ONCE_NS);
    assertEquals(Channel.PENDING, line.in.test(late), "the peer is told first");
    assertEquals(Channel.FAILED, line.in.irecv(to, 0, BYTES, 8));
    assertEquals(Reason.TIMED_OUT, line.in.failure().reason());
    assertEquals(Channel.FAILED, finish(line, line.in, late));
  }

  @Test
  void shouldNotWaitForAPeerThatCannotBeTold() throws Exception {
    SimulatedLine line = line();
    RegisteredMemory to = line.to.allocate(BYTES);
    long late = line.in.irecv(to, 0, BYTES, 7, OVER_AT_ONCE_NS);
    line.cut(0);
    assertEquals(Channel.FAILED, line.in.await(late, LIMIT));
    assertEquals(Reason.TIMED_OUT, line.in.failure().reason());
  }

  @Test
  void shouldCloseWhileThePeerIsBeingTold() throws Exception {
    SimulatedLine line = line();
    RegisteredMemory to = line.to.allocate(BYTES);
    long late = line.in.irecv(to, 0, BYTES, 7, OVER_AT_ONCE_NS);
    assertEquals(Channel.PENDING, line.in.test(late));
    line.in.close();
    assertEquals(ChannelState.CLOSED, line.in.state());
    assertEquals(Channel.FAILED, line.in.test(late));
  }

  @Test
  void shouldTellOfAnOrdinaryCloseAsBefore() throws Exception {
    SimulatedLine line = line();
    long send = line.out.isend(line.from.allocate(BYTES), 0, BYTES, 9);
    line.in.close();
    assertEquals(Channel.FAILED, finish(line, line.out, send));
    TransportException failure = line.out.failure();
    assertEquals(Reason.PEER_CLOSED, failure.reason());
    assertTrue(failure.getMessage().contains("the peer closed its end"), failure.getMessage());
  }

  @Test
  void shouldCallNoRequestOutstandingThatWasBegunAfterTheClose() throws Exception {
    SimulatedLine line = line();
    RegisteredMemory to = line.to.allocate(BYTES);
    long before = line.in.irecv(to, 0, BYTES, 7);
    line.in.close();
    assertEquals(Channel.FAILED, line.in.test(before));
    String outstanding = line.in.failure(before).getMessage();
    assertTrue(outstanding.contains("while the request was outstanding"), outstanding);

    long after = line.in.irecv(to, 0, BYTES, 7);
    assertEquals(Channel.FAILED, after);
    for (TransportException each : List.of(line.in.failure(), line.in.failure(after))) {
      assertEquals(Reason.CLOSED, each.reason());
      assertTrue(each.getMessage().endsWith(": this end was closed."), each.getMessage());
    }
  }

  @Test
  void shouldNameTheTagsThatArePostedWhenNoneFits() throws Exception {
    SimulatedLine line = line();
    RegisteredMemory from = line.from.allocate(BYTES);
    RegisteredMemory to = line.to.allocate(BYTES);
    long nothing = line.out.isend(from, 0, BYTES, 9, OVER_AT_ONCE_NS);
    assertEquals(Channel.FAILED, finish(line, line.out, nothing));
    assertWithdrawn(line, nothing, "no receive posted");

    for (int tag = 20; tag < 32; tag++) {
      line.in.irecv(to, 0, BYTES, tag);
    }
    // What comes after them has seen them.
    long fits = line.out.isend(from, 0, BYTES, 31, SendChannel.NO_DEADLINE);
    assertEquals(BYTES, finish(line, line.out, fits));
    long wrong = line.out.isend(from, 0, BYTES, 9, OVER_AT_ONCE_NS);
    assertEquals(Channel.FAILED, finish(line, line.out, wrong));
    assertWithdrawn(line, wrong, "with tag 20, 21, 22, 23, 24, 25, 26, 27 and 3 more");
    // The announcements have come by now, so that this end knows since when the peer is silent.
    String text = line.out.failure(wrong).getMessage();
    assertTrue(text.matches(".*(Something came|Nothing has come) from .*"), text);
    assertEquals(ChannelState.READY, line.out.state());
  }

  private static void assertWithdrawn(SimulatedLine line, long request, String posted) {
    TransportException failure = line.out.failure(request);
    assertEquals(Reason.TIMED_OUT, failure.reason());
    assertTrue(failure.getMessage().contains("no receive with tag 9"), failure.getMessage());
    assertTrue(failure.getMessage().contains(posted), failure.getMessage());
  }
}
