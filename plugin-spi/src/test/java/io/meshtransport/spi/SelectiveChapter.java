// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract: sends that are acknowledged only when they are tested. */
abstract class SelectiveChapter extends ContractChapter {
  private static final int MESSAGE = 1_000;
  private static final int TAG = 3;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 15, 16, 17, 40, 64})
  void shouldCompleteEverySendThatIsTested(int messages) throws TransportException {
    ChannelEnds ends = selective(messages * MESSAGE);
    List<Pending> receives = receives(ends, messages);
    List<Pending> sends = sends(ends, messages);
    arrive(ends, receives);
    finish(sends);
    check(ends, messages);
    ends.assertAlive();
  }

  @Test
  void shouldCompleteTheOldestWhenOnlyTheYoungestIsTested() throws TransportException {
    ChannelEnds ends = selective(3 * MESSAGE);
    List<Pending> receives = receives(ends, 3);
    List<Pending> sends = sends(ends, 3);
    arrive(ends, receives);
    assertEquals(MESSAGE, sends.get(2).finish().lengthBytes());
    // Everything before it is over too, without asking again.
    assertEquals(MESSAGE, ends.out().test(sends.get(0).request()));
    assertEquals(MESSAGE, ends.out().test(sends.get(1).request()));
  }

  @ParameterizedTest
  @EnumSource(SendMode.class)
  void shouldStreamWithAWindow(SendMode mode) throws TransportException {
    int messages = 5_000;
    int window = 20;
    ChannelEnds ends = selective(window * MESSAGE);
    ends.out().sendMode(mode);
    Queue<Pending> sends = new ArrayDeque<>();
    Queue<Pending> receives = new ArrayDeque<>();
    for (int i = 0; i < messages; i++) {
      int at = i % window * MESSAGE;
      if (sends.size() == window) {
        assertEquals(length(i - window), sends.remove().finish().lengthBytes());
        assertEquals(length(i - window), receives.remove().finish().lengthBytes());
        Bytes.check(ends.sinkBytes(), at, length(i - window), i - window);
      }
      receives.add(ends.receive(at, MESSAGE, TAG));
      Bytes.fill(ends.sourceBytes(), at, length(i), i);
      sends.add(ends.send(at, length(i), TAG));
    }
    arrive(ends, List.copyOf(receives));
    finish(List.copyOf(sends));
  }

  /** Waits until all have arrived; the sending end is not tested once all are in flight. */
  private void arrive(ChannelEnds ends, List<Pending> receives) {
    awaitAllLeaving(ends);
    finish(receives);
  }

  private static int length(int message) {
    return message * 37 % (MESSAGE + 1);
  }

  @Test
  void shouldLoseNothingOutstandingWhenItCloses() throws TransportException {
    ChannelEnds ends = selective(4 * MESSAGE);
    List<Pending> receives = receives(ends, 4);
    List<Pending> sends = sends(ends, 4);
    awaitAllLeaving(ends);
    ends.out().close();
    finish(receives);
    check(ends, 4);
    finish(sends);
  }

  @Test
  @Tag("slow")
  void shouldCompleteASendThatWasNotTestedBeforeItsDeadline() throws TransportException {
    ChannelEnds ends = selective(MESSAGE);
    Pending receive = ends.receive(0, MESSAGE, TAG);
    long timeoutNs = PATIENCE.toNanos() / 20;
    Pending send =
        new Pending(ends.out(), ends.out().isend(ends.source(), 0, MESSAGE, TAG, timeoutNs));
    long begin = System.nanoTime();
    arrive(ends, List.of(receive));
    eventually().until(() -> System.nanoTime() - begin > timeoutNs);
    assertEquals(MESSAGE, send.finish().lengthBytes());
    ends.assertAlive();
  }

  @Test
  void shouldFreeSendsDetachedInFlight() throws TransportException {
    ChannelEnds ends = selective(MESSAGE);
    List<Pending> receives = receives(ends, 3, 0);
    for (int i = 0; i < 3; i++) {
      ends.out().detach(ends.send(0, MESSAGE, TAG).request());
    }
    arrive(ends, receives);
    awaitAllFree(ends);
  }

  @Test
  void shouldFreeSendsDetachedBeforeTheyLeave() throws TransportException {
    ChannelEnds ends = selective(MESSAGE);
    for (int i = 0; i < 15; i++) {
      ends.out().detach(ends.send(0, MESSAGE, TAG).request());
    }
    List<Pending> receives = receives(ends, 15, 0);
    arrive(ends, receives);
    awaitAllFree(ends);
  }

  /** As many requests can be begun as a channel has; it is of no use afterwards. */
  private void awaitAllFree(ChannelEnds ends) {
    int[] begun = {0};
    eventually()
        .until(
            () -> {
              ends.out().awaitProgress(ends.out().progressCount(), Duration.ZERO);
              while (ends.out().isend(ends.source(), 0, 0, TAG + 1) >= 0) {
                begun[0]++;
              }
              return begun[0] == Transport.MAX_REQUESTS;
            });
  }

  @Test
  void shouldSignalEachAgainWhenRequested() throws TransportException {
    ChannelEnds ends = selective(2 * MESSAGE);
    List<Pending> receives = receives(ends, 2);
    Pending first = ends.send(0, MESSAGE, TAG);
    ends.out().sendMode(SendMode.LATENCY);
    Pending second = ends.send(MESSAGE, MESSAGE, TAG);
    arrive(ends, receives);
    finish(List.of(first, second));
  }

  private ChannelEnds selective(int memoryBytes) throws TransportException {
    ChannelEnds ends = channel(memoryBytes);
    ends.out().sendMode(SendMode.STREAM);
    return ends;
  }

  private static List<Pending> receives(ChannelEnds ends, int count) {
    return receives(ends, count, MESSAGE);
  }

  private static List<Pending> receives(ChannelEnds ends, int count, int stepBytes) {
    List<Pending> receives = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      receives.add(ends.receive((long) i * stepBytes, MESSAGE, TAG));
    }
    return receives;
  }

  private static List<Pending> sends(ChannelEnds ends, int count) {
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Bytes.fill(ends.sourceBytes(), i * MESSAGE, MESSAGE, i);
      sends.add(ends.send((long) i * MESSAGE, MESSAGE, TAG));
    }
    return sends;
  }

  private static void finish(List<Pending> requests) {
    Pending.finish(requests.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
  }

  private static void check(ChannelEnds ends, int messages) {
    for (int i = 0; i < messages; i++) {
      Bytes.check(ends.sinkBytes(), i * MESSAGE, MESSAGE, i);
    }
  }
}
