// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract: nothing waits longer than its deadline. */
abstract class DeadlineChapter extends ContractChapter {
  private static final long SOON_NS = 2_000_000;
  private static final Duration SOON = Duration.ofNanos(SOON_NS);

  @Test
  void shouldWithdrawASendThatFoundNoReceiveInTime() throws TransportException {
    ChannelEnds ends = channel(64);
    Bytes.fill(ends.sourceBytes(), 0, 64, 1);
    Pending late = new Pending(ends.out(), ends.out().isend(ends.source(), 0, 64, 1, SOON_NS));
    assertEquals(Reason.TIMED_OUT, late.finish().reason());

    // Same tag: were the withdrawn message still there, it would come first.
    Bytes.fill(ends.sourceBytes(), 0, 64, 2);
    List<Pending.Outcome> outcomes = Pending.finish(ends.receive(0, 64, 1), ends.send(0, 63, 1));
    assertEquals(63, outcomes.get(0).lengthBytes());
    Bytes.check(ends.sinkBytes(), 0, 63, 2);
    ends.assertAlive();
  }

  /** What is left of a deadline that has passed may be less than nothing. */
  @Test
  void shouldFailASendWhoseTimeIsOverAtTheNextTest() throws TransportException {
    ChannelEnds ends = channel(64);
    for (long overNs : new long[] {0, -1, Long.MIN_VALUE}) {
      Pending late = new Pending(ends.out(), ends.out().isend(ends.source(), 0, 64, 1, overNs));
      assertEquals(Reason.TIMED_OUT, late.finish().reason(), "" + overNs);
    }
    ends.assertAlive();
  }

  @Test
  void shouldNoticeThePassedDeadlineInAwait() throws TransportException {
    ChannelEnds ends = channel(64);
    long request = ends.out().isend(ends.source(), 0, 64, 1, SOON_NS);
    assertEquals(Channel.FAILED, ends.out().await(request, PATIENCE));
    assertEquals(Reason.TIMED_OUT, ends.out().failure(request).reason());
    assertThrows(IllegalStateException.class, ends.out()::failure, "the channel has not failed");
    ends.assertAlive();
  }

  @Test
  void shouldWithdrawEverySendAndFreeItsPlace() throws TransportException {
    ChannelEnds ends = channel(64);
    for (int round = 0; round < 3; round++) {
      List<Pending> late = new ArrayList<>();
      for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
        late.add(new Pending(ends.out(), ends.out().isend(ends.source(), 0, 64, i, SOON_NS)));
      }
      for (Pending.Outcome end : Pending.finish(late.toArray(Pending[]::new))) {
        assertEquals(Reason.TIMED_OUT, end.reason());
      }
    }
    ends.assertAlive();
  }

  @Test
  void shouldKeepOtherSendsWhenOneIsWithdrawn() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending before = ends.send(0, 10, 1);
    Pending late = new Pending(ends.out(), ends.out().isend(ends.source(), 0, 20, 1, SOON_NS));
    Pending after = ends.send(0, 30, 1);
    assertEquals(Reason.TIMED_OUT, late.finish().reason());

    List<Pending.Outcome> outcomes =
        Pending.finish(before, after, ends.receive(0, 64, 1), ends.receive(0, 64, 1));
    assertEquals(10, outcomes.get(2).lengthBytes());
    assertEquals(30, outcomes.get(3).lengthBytes());
    ends.assertAlive();
  }

  @Test
  void shouldTimeOutInTheBlockingSendAndLiveOn() throws TransportException {
    ChannelEnds ends = channel(64);
    TransportException failure =
        assertFails(Reason.TIMED_OUT, () -> ends.out().send(ends.source(), 0, 64, 1, SOON));
    assertFalse(failure.getMessage().isBlank());
    ends.assertAlive();
  }

  /** Of a one-way channel; {@link ConnectionChapter} has what a connection does instead. */
  private void assumeThatALateReceiveTakesItsChannelWithIt() {
    assumeFalse(
        contract().needsConnections(), "a late receive of a connection is taken back alone");
  }

  @Test
  void shouldFailTheChannelWhenAReceiveTimesOut() throws TransportException {
    assumeThatALateReceiveTakesItsChannelWithIt();
    ChannelEnds ends = channel(64);
    Pending other = ends.receive(0, 10, 2);
    Pending late = new Pending(ends.in(), ends.in().irecv(ends.sink(), 10, 10, 1, SOON_NS));
    List<Pending.Outcome> outcomes = Pending.finish(late, other);

    assertEquals(Reason.TIMED_OUT, outcomes.get(0).reason());
    assertEquals(Channel.FAILED, outcomes.get(1).result(), "the channel went with it");
    assertEquals(ChannelState.FAILED, ends.in().state());
    assertEquals(Channel.FAILED, ends.in().irecv(ends.sink(), 0, 10, 1));
  }

  @Test
  void shouldFailTheSenderWhenTheReceiversChannelFailed() throws TransportException {
    assumeThatALateReceiveTakesItsChannelWithIt();
    ChannelEnds ends = channel(64);
    Pending send = ends.send(0, 64, 99);
    long late = ends.in().irecv(ends.sink(), 0, 64, 1, SOON_NS);
    assertEquals(Channel.FAILED, ends.in().await(late, PATIENCE));
    ends.in().close();

    assertEquals(Channel.FAILED, send.finish().result());
    assertEquals(Channel.FAILED, ends.out().isend(ends.source(), 0, 64, 1));
  }

  @Test
  void shouldTimeOutInTheBlockingReceive() throws TransportException {
    assumeThatALateReceiveTakesItsChannelWithIt();
    ChannelEnds ends = channel(64);
    assertFails(Reason.TIMED_OUT, () -> ends.in().receive(ends.sink(), 0, 64, 1, SOON));
    assertEquals(ChannelState.FAILED, ends.in().state());
    assertTrue(ends.in().failure().reason() == Reason.TIMED_OUT);
  }

  @Test
  void shouldTimeOutAGroupThatIsNotWhole() throws TransportException {
    ChannelEnds ends = channel(64);
    ReceiveGroup group = new ReceiveGroup().add(ends.sink(), 0, 8, 1).add(ends.sink(), 8, 8, 2);
    Pending receive = new Pending(ends.in(), ends.in().irecv(group, 50 * SOON_NS));
    Pending send = ends.send(0, 8, 1);
    Pending.Outcome end = Pending.finish(receive, send).get(0);
    assertEquals(Reason.TIMED_OUT, end.reason());
  }

  @Test
  void shouldKeepDeadlinesThatAreNeverMet() throws TransportException {
    ChannelEnds ends = channel(64);
    for (long ample : new long[] {PATIENCE.multipliedBy(2).toNanos(), Long.MAX_VALUE - 1}) {
      Pending receive = new Pending(ends.in(), ends.in().irecv(ends.sink(), 0, 64, 1, ample));
      Pending send = new Pending(ends.out(), ends.out().isend(ends.source(), 0, 64, 1, ample));
      Pending.finish(receive, send).forEach(end -> assertEquals(64, end.lengthBytes()));
    }
    ends.assertAlive();
  }
}
