// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Contract: a thread that has sent may walk away, and another moves along what must wait. */
abstract class UnpolledChannelChapter extends ContractChapter {
  private static final int MESSAGE = 1000;

  @Test
  void shouldCountSendsThatWaitForAReceive() throws TransportException {
    ChannelEnds ends = channel(MESSAGE);
    assertEquals(0, ends.out().sendsNeedingProgress());
    Pending first = ends.send(0, MESSAGE, 1);
    Pending second = ends.send(0, MESSAGE, 2);
    assertEquals(2, ends.out().sendsNeedingProgress());

    Pending.finish(ends.receive(0, MESSAGE, 1), first).forEach(Pending.Outcome::lengthBytes);
    assertEquals(1, ends.out().sendsNeedingProgress());
    Pending.finish(ends.receive(0, MESSAGE, 2), second).forEach(Pending.Outcome::lengthBytes);
    assertEquals(0, ends.out().sendsNeedingProgress());
  }

  @Test
  void shouldDeliverWithoutTheSenderOnceNothingWaits() throws TransportException {
    ChannelEnds ends = channel(MESSAGE);
    Bytes.fill(ends.sourceBytes(), 0, MESSAGE, 7);
    Pending receive = ends.receive(0, MESSAGE, 1);
    Pending send = ends.send(0, MESSAGE, 1);
    awaitAllLeaving(ends);
    // From here on the sending end is not touched.
    assertEquals(MESSAGE, receive.finish().lengthBytes());
    Bytes.check(ends.sinkBytes(), 0, MESSAGE, 7);
    assertEquals(MESSAGE, send.finish().lengthBytes());
  }

  @Test
  void shouldDeliverToAllReceivesThoughTheReceivingProgramNeverPolls() throws TransportException {
    ChannelEnds ends = channel(Transport.MAX_REQUESTS);
    Bytes.fill(ends.sourceBytes(), 0, Transport.MAX_REQUESTS, 7);
    Pending[] receives = new Pending[Transport.MAX_REQUESTS];
    for (int i = 0; i < receives.length; i++) {
      receives[i] = ends.receive(i, 1, i);
    }
    // The last first, so that the sender wants what was posted last.
    for (int i = receives.length - 1; i >= 0; i--) {
      assertEquals(1, ends.send(i, 1, i).finish().lengthBytes());
    }
    // From here on the receiving end is touched again.
    for (Pending receive : receives) {
      assertEquals(1, receive.finish().lengthBytes());
    }
    Bytes.check(ends.sinkBytes(), 0, Transport.MAX_REQUESTS, 7);
  }

  @Test
  void shouldNoticeAReceiveWhileWaitingForAMove() throws Exception {
    ChannelEnds ends = channel(MESSAGE);
    Pending send = ends.send(0, MESSAGE, 1);
    Parallel mover =
        Parallel.start(
            () -> {
              while (ends.out().sendsNeedingProgress() > 0) {
                ends.out().awaitProgress(ends.out().progressCount(), PATIENCE);
              }
            });
    assertEquals(MESSAGE, ends.receive(0, MESSAGE, 1).finish().lengthBytes());
    mover.join();
    assertEquals(MESSAGE, send.finish().lengthBytes());
  }

  @Test
  void shouldLetAnotherThreadSendWhileOneWaitsForAMove() throws Exception {
    int messages = 2000;
    ChannelEnds ends = channel(MESSAGE);
    Parallel mover =
        Parallel.start(
            () -> {
              long seen = ends.out().progressCount();
              while (ends.out().state() == ChannelState.READY) {
                seen = ends.out().awaitProgress(seen, SLICE);
              }
            });
    Parallel receiving =
        Parallel.start(
            () -> {
              for (int i = 0; i < messages; i++) {
                ends.in().receive(ends.sink(), 0, MESSAGE, i, PATIENCE);
              }
            });
    for (int i = 0; i < messages; i++) {
      long request = ends.out().isend(ends.source(), 0, i % MESSAGE, i, PATIENCE.toNanos());
      long outcome = ends.out().test(request);
      while (outcome == Channel.PENDING) {
        Thread.yield();
        outcome = ends.out().test(request);
      }
      assertEquals(i % MESSAGE, outcome);
    }
    receiving.join();
    ends.out().close();
    mover.join();
  }

  @Test
  void shouldNotMissAnEventBetweenPollingAndWaiting() throws TransportException {
    ChannelEnds ends = channel(MESSAGE);
    long seen = ends.out().progressCount();
    Pending.finish(ends.receive(0, MESSAGE, 1), ends.send(0, MESSAGE, 1))
        .forEach(Pending.Outcome::lengthBytes);
    assertNotEquals(seen, ends.out().awaitProgress(seen, PATIENCE));
  }

  @Test
  void shouldReturnFromWaitingWhenTimePassesOrTheThreadIsInterrupted() throws Exception {
    ChannelEnds ends = channel(MESSAGE);
    ends.send(0, MESSAGE, 1);
    long seen = ends.out().progressCount();
    assertEquals(seen, ends.out().awaitProgress(seen, Duration.ZERO));
    Parallel waiting =
        Parallel.start(
            () -> {
              long moves = ends.out().progressCount();
              while (!Thread.currentThread().isInterrupted()) {
                moves = ends.out().awaitProgress(moves, PATIENCE);
              }
            });
    waiting.interrupt();
    waiting.join();
  }

  @Test
  void shouldReturnFromWaitingWhenTheChannelCloses() throws Exception {
    ChannelEnds ends = channel(MESSAGE);
    ends.send(0, MESSAGE, 1);
    Parallel waiting =
        Parallel.start(
            () -> {
              while (ends.out().state() == ChannelState.READY) {
                ends.out().awaitProgress(ends.out().progressCount(), PATIENCE);
              }
            });
    ends.out().close();
    waiting.join();
    assertTrue(ends.out().awaitProgress(ends.out().progressCount(), PATIENCE) >= 0);
  }
}
