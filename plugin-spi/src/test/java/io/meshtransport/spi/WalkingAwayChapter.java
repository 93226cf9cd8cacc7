// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Contract: a thread that has sent may walk away, and another moves along what must wait. */
abstract class WalkingAwayChapter extends ContractChapter {
  private static final int MESSAGE = 1000;

  @Test
  void shouldCountSendsThatWaitForAReceive() throws TransportException {
    Line line = line(MESSAGE);
    assertEquals(0, line.out().sendsNeedingProgress());
    Pending first = line.send(0, MESSAGE, 1);
    Pending second = line.send(0, MESSAGE, 2);
    assertEquals(2, line.out().sendsNeedingProgress());

    Pending.finish(line.receive(0, MESSAGE, 1), first).forEach(Pending.Outcome::lengthBytes);
    assertEquals(1, line.out().sendsNeedingProgress());
    Pending.finish(line.receive(0, MESSAGE, 2), second).forEach(Pending.Outcome::lengthBytes);
    assertEquals(0, line.out().sendsNeedingProgress());
  }

  @Test
  void shouldDeliverWithoutTheSenderOnceNothingWaits() throws TransportException {
    Line line = line(MESSAGE);
    Bytes.fill(line.sourceBytes(), 0, MESSAGE, 7);
    Pending receive = line.receive(0, MESSAGE, 1);
    Pending send = line.send(0, MESSAGE, 1);
    awaitAllLeaving(line);
    // From here on the sending end is not touched.
    assertEquals(MESSAGE, receive.finish().lengthBytes());
    Bytes.check(line.sinkBytes(), 0, MESSAGE, 7);
    assertEquals(MESSAGE, send.finish().lengthBytes());
  }

  @Test
  void shouldDeliverToAllReceivesThoughTheReceivingProgramNeverLooks() throws TransportException {
    Line line = line(Transport.MAX_REQUESTS);
    Bytes.fill(line.sourceBytes(), 0, Transport.MAX_REQUESTS, 7);
    Pending[] receives = new Pending[Transport.MAX_REQUESTS];
    for (int i = 0; i < receives.length; i++) {
      receives[i] = line.receive(i, 1, i);
    }
    // The last first, so that the sender wants what was posted last.
    for (int i = receives.length - 1; i >= 0; i--) {
      assertEquals(1, line.send(i, 1, i).finish().lengthBytes());
    }
    // From here on the receiving end is touched again.
    for (Pending receive : receives) {
      assertEquals(1, receive.finish().lengthBytes());
    }
    Bytes.check(line.sinkBytes(), 0, Transport.MAX_REQUESTS, 7);
  }

  @Test
  void shouldNoticeAReceiveWhileWaitingForAMove() throws Exception {
    Line line = line(MESSAGE);
    Pending send = line.send(0, MESSAGE, 1);
    Parallel mover =
        Parallel.start(
            () -> {
              while (line.out().sendsNeedingProgress() > 0) {
                line.out().awaitProgress(line.out().progressCount(), PATIENCE);
              }
            });
    assertEquals(MESSAGE, line.receive(0, MESSAGE, 1).finish().lengthBytes());
    mover.join();
    assertEquals(MESSAGE, send.finish().lengthBytes());
  }

  @Test
  void shouldLetAnotherThreadSendWhileOneWaitsForAMove() throws Exception {
    int messages = 2000;
    Line line = line(MESSAGE);
    Parallel mover =
        Parallel.start(
            () -> {
              long seen = line.out().progressCount();
              while (line.out().state() == ChannelState.READY) {
                seen = line.out().awaitProgress(seen, SLICE);
              }
            });
    Parallel receiving =
        Parallel.start(
            () -> {
              for (int i = 0; i < messages; i++) {
                line.in().receive(line.sink(), 0, MESSAGE, i, PATIENCE);
              }
            });
    for (int i = 0; i < messages; i++) {
      long request = line.out().isend(line.source(), 0, i % MESSAGE, i, PATIENCE.toNanos());
      long outcome = line.out().test(request);
      while (outcome == Channel.PENDING) {
        Thread.yield();
        outcome = line.out().test(request);
      }
      assertEquals(i % MESSAGE, outcome);
    }
    receiving.join();
    line.out().close();
    mover.join();
  }

  @Test
  void shouldNotMissAMoveBetweenLookingAndWaiting() throws TransportException {
    Line line = line(MESSAGE);
    long seen = line.out().progressCount();
    Pending.finish(line.receive(0, MESSAGE, 1), line.send(0, MESSAGE, 1))
        .forEach(Pending.Outcome::lengthBytes);
    assertNotEquals(seen, line.out().awaitProgress(seen, PATIENCE));
  }

  @Test
  void shouldReturnFromWaitingWhenTimePassesOrTheThreadIsInterrupted() throws Exception {
    Line line = line(MESSAGE);
    line.send(0, MESSAGE, 1);
    long seen = line.out().progressCount();
    assertEquals(seen, line.out().awaitProgress(seen, Duration.ZERO));
    Parallel waiting =
        Parallel.start(
            () -> {
              long moves = line.out().progressCount();
              while (!Thread.currentThread().isInterrupted()) {
                moves = line.out().awaitProgress(moves, PATIENCE);
              }
            });
    waiting.interrupt();
    waiting.join();
  }

  @Test
  void shouldReturnFromWaitingWhenTheChannelCloses() throws Exception {
    Line line = line(MESSAGE);
    line.send(0, MESSAGE, 1);
    Parallel waiting =
        Parallel.start(
            () -> {
              while (line.out().state() == ChannelState.READY) {
                line.out().awaitProgress(line.out().progressCount(), PATIENCE);
              }
            });
    line.out().close();
    waiting.join();
    assertTrue(line.out().awaitProgress(line.out().progressCount(), PATIENCE) >= 0);
  }
}
