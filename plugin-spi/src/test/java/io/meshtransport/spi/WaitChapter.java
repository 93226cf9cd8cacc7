// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Contract: any number of threads wait on one channel at the same time. */
abstract class WaitChapter extends ContractChapter {
  private static final int MESSAGE = 100;
  private static final int THREADS = 3;
  private static final int MESSAGES = 300;

  /** For waits that end without what they wait for. */
  private static final Duration SHORT = Duration.ofMillis(50);

  @Test
  void shouldKnowSinceWhenThePeerIsSilentOrSayThatItDoesNot() throws TransportException {
    ChannelEnds ends = channel(MESSAGE);
    ends.assertAlive();
    long silenceNs = ends.in().peerSilenceNs();
    if (silenceNs != Channel.SILENCE_UNKNOWN) {
      assertTrue(silenceNs >= 0 && silenceNs < PATIENCE.toNanos(), silenceNs + " ns");
    }
    ends.in().close();
    assertEquals(Channel.SILENCE_UNKNOWN, ends.in().peerSilenceNs());
  }

  @Test
  void shouldServeSeveralThreadsThatWaitAtEachEnd() throws Exception {
    ChannelEnds ends = channel(THREADS * MESSAGE);
    List<Parallel> threads = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      int tag = thread;
      threads.add(Parallel.start(() -> sendAll(ends, tag)));
      threads.add(Parallel.start(() -> receiveAll(ends, tag)));
    }
    for (Parallel thread : threads) {
      thread.join();
    }
    ends.assertAlive();
  }

  private void sendAll(ChannelEnds ends, int tag) throws TransportException {
    for (int i = 0; i < contract().repetitions(MESSAGES); i++) {
      ends.out().send(ends.source(), (long) tag * MESSAGE, i % MESSAGE, tag, PATIENCE);
    }
  }

  private void receiveAll(ChannelEnds ends, int tag) throws TransportException {
    for (int i = 0; i < contract().repetitions(MESSAGES); i++) {
      long offsetBytes = (long) tag * MESSAGE;
      assertEquals(
          i % MESSAGE, ends.in().receive(ends.sink(), offsetBytes, MESSAGE, tag, PATIENCE));
    }
  }

  @Test
  void shouldGoOnWaitingWhenTheThreadThatWaitedFirstHasWhatItWaitedFor() throws Exception {
    ChannelEnds ends = channel(MESSAGE);
    long first = ends.receive(0, 10, 1).request();
    long second = ends.receive(10, 10, 2).request();
    Parallel waitsFirst = Parallel.start(() -> assertEquals(10, ends.in().await(first, PATIENCE)));
    Parallel waitsSecond =
        Parallel.start(() -> assertEquals(10, ends.in().await(second, PATIENCE)));
    assertEquals(10, ends.send(0, 10, 1).finish().lengthBytes());
    waitsFirst.join();
    assertEquals(10, ends.send(0, 10, 2).finish().lengthBytes());
    waitsSecond.join();
  }

  @Test
  void shouldEndTheWaitOfEachThreadInItsOwnTime() throws Exception {
    ChannelEnds ends = channel(MESSAGE);
    long first = ends.receive(0, 10, 1).request();
    long second = ends.receive(10, 10, 2).request();
    Parallel waitsLong = Parallel.start(() -> assertEquals(10, ends.in().await(first, PATIENCE)));
    assertEquals(Channel.PENDING, ends.in().await(second, SHORT));
    Thread.currentThread().interrupt();
    assertEquals(Channel.PENDING, ends.in().await(second, PATIENCE));
    assertTrue(Thread.interrupted(), "the interrupt stays set");
    Parallel isInterrupted =
        Parallel.start(
            () -> {
              assertEquals(Channel.PENDING, ends.in().await(second, PATIENCE));
              assertTrue(Thread.interrupted(), "the interrupt stays set");
            });
    isInterrupted.interrupt();
    isInterrupted.join();
    assertEquals(10, ends.send(0, 10, 1).finish().lengthBytes());
    waitsLong.join();
    assertEquals(10, ends.send(0, 10, 2).finish().lengthBytes());
    assertEquals(10, ends.in().await(second, PATIENCE));
  }

  @Test
  void shouldWakeAThreadThatAwaitsProgressBesideOneThatAwaitsARequest() throws Exception {
    ChannelEnds ends = channel(MESSAGE);
    long later = ends.receive(0, 10, 1).request();
    Pending soon = ends.receive(10, 10, 2);
    Parallel waits = Parallel.start(() -> assertEquals(10, ends.in().await(later, PATIENCE)));
    AtomicLong seen = new AtomicLong(ends.in().progressCount());
    Parallel follows =
        Parallel.start(
            () -> {
              while (soon.channel().test(soon.request()) == Channel.PENDING) {
                seen.set(ends.in().awaitProgress(seen.get(), PATIENCE));
              }
            });
    assertEquals(10, ends.send(0, 10, 2).finish().lengthBytes());
    follows.join();
    assertEquals(10, ends.send(0, 10, 1).finish().lengthBytes());
    waits.join();
  }

  @Test
  void shouldEndAllWaitsWhenTheChannelCloses() throws Exception {
    ChannelEnds ends = channel(MESSAGE);
    List<Parallel> threads = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      int tag = thread;
      threads.add(
          Parallel.start(
              () ->
                  assertFails(
                      Reason.CLOSED,
                      () -> ends.in().receive(ends.sink(), 0, 10, tag, PATIENCE.multipliedBy(3)))));
    }
    long seen = ends.in().progressCount();
    Parallel awaitsProgress =
        Parallel.start(() -> ends.in().awaitProgress(seen, PATIENCE.multipliedBy(3)));
    ends.in().close();
    for (Parallel thread : threads) {
      thread.join();
    }
    awaitsProgress.join();
  }
}
