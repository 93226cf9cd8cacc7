// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    Line line = line(64);
    Bytes.fill(line.sourceBytes(), 0, 64, 1);
    Pending late = new Pending(line.out(), line.out().isend(line.source(), 0, 64, 1, SOON_NS));
    assertEquals(Reason.TIMED_OUT, late.finish().reason());

    // Same tag: were the withdrawn message still there, it would come first.
    Bytes.fill(line.sourceBytes(), 0, 64, 2);
    List<Pending.Outcome> ends = Pending.finish(line.receive(0, 64, 1), line.send(0, 63, 1));
    assertEquals(63, ends.get(0).lengthBytes());
    Bytes.check(line.sinkBytes(), 0, 63, 2);
    line.assertAlive();
  }

  @Test
  void shouldNoticeThePassedDeadlineInAwait() throws TransportException {
    Line line = line(64);
    long request = line.out().isend(line.source(), 0, 64, 1, SOON_NS);
    assertEquals(Channel.FAILED, line.out().await(request, PATIENCE));
    assertEquals(Reason.TIMED_OUT, line.out().failure().reason());
    line.assertAlive();
  }

  @Test
  void shouldWithdrawEverySendAndFreeItsPlace() throws TransportException {
    Line line = line(64);
    for (int round = 0; round < 3; round++) {
      List<Pending> late = new ArrayList<>();
      for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
        late.add(new Pending(line.out(), line.out().isend(line.source(), 0, 64, i, SOON_NS)));
      }
      for (Pending.Outcome end : Pending.finish(late.toArray(Pending[]::new))) {
        assertEquals(Reason.TIMED_OUT, end.reason());
      }
    }
    line.assertAlive();
  }

  @Test
  void shouldKeepOtherSendsWhenOneIsWithdrawn() throws TransportException {
    Line line = line(64);
    Pending before = line.send(0, 10, 1);
    Pending late = new Pending(line.out(), line.out().isend(line.source(), 0, 20, 1, SOON_NS));
    Pending after = line.send(0, 30, 1);
    assertEquals(Reason.TIMED_OUT, late.finish().reason());

    List<Pending.Outcome> ends =
        Pending.finish(before, after, line.receive(0, 64, 1), line.receive(0, 64, 1));
    assertEquals(10, ends.get(2).lengthBytes());
    assertEquals(30, ends.get(3).lengthBytes());
    line.assertAlive();
  }

  @Test
  void shouldTimeOutInTheBlockingSendAndLiveOn() throws TransportException {
    Line line = line(64);
    TransportException failure =
        assertFails(Reason.TIMED_OUT, () -> line.out().send(line.source(), 0, 64, 1, SOON));
    assertFalse(failure.getMessage().isBlank());
    line.assertAlive();
  }

  @Test
  void shouldFailTheChannelWhenAReceiveTimesOut() throws TransportException {
    Line line = line(64);
    Pending other = line.receive(0, 10, 2);
    Pending late = new Pending(line.in(), line.in().irecv(line.sink(), 10, 10, 1, SOON_NS));
    List<Pending.Outcome> ends = Pending.finish(late, other);

    assertEquals(Reason.TIMED_OUT, ends.get(0).reason());
    assertEquals(Channel.FAILED, ends.get(1).result(), "the channel went with it");
    assertEquals(ChannelState.FAILED, line.in().state());
    assertEquals(Channel.FAILED, line.in().irecv(line.sink(), 0, 10, 1));
  }

  @Test
  void shouldFailTheSenderWhenTheReceiversChannelFailed() throws TransportException {
    Line line = line(64);
    Pending send = line.send(0, 64, 99);
    long late = line.in().irecv(line.sink(), 0, 64, 1, SOON_NS);
    assertEquals(Channel.FAILED, line.in().await(late, PATIENCE));
    line.in().close();

    assertEquals(Channel.FAILED, send.finish().result());
    assertEquals(Channel.FAILED, line.out().isend(line.source(), 0, 64, 1));
  }

  @Test
  void shouldTimeOutInTheBlockingReceive() throws TransportException {
    Line line = line(64);
    assertFails(Reason.TIMED_OUT, () -> line.in().receive(line.sink(), 0, 64, 1, SOON));
    assertEquals(ChannelState.FAILED, line.in().state());
    assertTrue(line.in().failure().reason() == Reason.TIMED_OUT);
  }

  @Test
  void shouldTimeOutAGroupThatIsNotWhole() throws TransportException {
    Line line = line(64);
    ReceiveGroup group = new ReceiveGroup().add(line.sink(), 0, 8, 1).add(line.sink(), 8, 8, 2);
    Pending receive = new Pending(line.in(), line.in().irecv(group, 50 * SOON_NS));
    Pending send = line.send(0, 8, 1);
    Pending.Outcome end = Pending.finish(receive, send).get(0);
    assertEquals(Reason.TIMED_OUT, end.reason());
  }

  @Test
  void shouldKeepDeadlinesThatAreNeverMet() throws TransportException {
    Line line = line(64);
    long ample = PATIENCE.multipliedBy(2).toNanos();
    Pending receive = new Pending(line.in(), line.in().irecv(line.sink(), 0, 64, 1, ample));
    Pending send = new Pending(line.out(), line.out().isend(line.source(), 0, 64, 1, ample));
    Pending.finish(receive, send).forEach(end -> assertEquals(64, end.lengthBytes()));
    line.assertAlive();
  }
}
