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
  void shouldEndEverySendThatIsAskedFor(int messages) throws TransportException {
    Line line = selective(messages * MESSAGE);
    List<Pending> receives = receives(line, messages);
    List<Pending> sends = sends(line, messages);
    arrive(line, receives);
    finish(sends);
    check(line, messages);
    line.assertAlive();
  }

  @Test
  void shouldEndTheOldestWhenOnlyTheYoungestIsAskedFor() throws TransportException {
    Line line = selective(3 * MESSAGE);
    List<Pending> receives = receives(line, 3);
    List<Pending> sends = sends(line, 3);
    arrive(line, receives);
    assertEquals(MESSAGE, sends.get(2).finish().lengthBytes());
    // Everything before it is over too, without asking again.
    assertEquals(MESSAGE, line.out().test(sends.get(0).request()));
    assertEquals(MESSAGE, line.out().test(sends.get(1).request()));
  }

  @ParameterizedTest
  @EnumSource(SendMode.class)
  void shouldStreamWithAWindow(SendMode mode) throws TransportException {
    int messages = 5_000;
    int window = 20;
    Line line = selective(window * MESSAGE);
    line.out().sendMode(mode);
    Queue<Pending> sends = new ArrayDeque<>();
    Queue<Pending> receives = new ArrayDeque<>();
    for (int i = 0; i < messages; i++) {
      int at = i % window * MESSAGE;
      if (sends.size() == window) {
        assertEquals(length(i - window), sends.remove().finish().lengthBytes());
        assertEquals(length(i - window), receives.remove().finish().lengthBytes());
        Bytes.check(line.sinkBytes(), at, length(i - window), i - window);
      }
      receives.add(line.receive(at, MESSAGE, TAG));
      Bytes.fill(line.sourceBytes(), at, length(i), i);
      sends.add(line.send(at, length(i), TAG));
    }
    arrive(line, List.copyOf(receives));
    finish(List.copyOf(sends));
  }

  /** Waits until all have arrived; the sending end is not tested once all are in flight. */
  private void arrive(Line line, List<Pending> receives) {
    awaitAllLeaving(line);
    finish(receives);
  }

  private static int length(int message) {
    return message * 37 % (MESSAGE + 1);
  }

  @Test
  void shouldLoseNothingThatIsUnderWayWhenItCloses() throws TransportException {
    Line line = selective(4 * MESSAGE);
    List<Pending> receives = receives(line, 4);
    List<Pending> sends = sends(line, 4);
    awaitAllLeaving(line);
    line.out().close();
    finish(receives);
    check(line, 4);
    finish(sends);
  }

  @Test
  @Tag("slow")
  void shouldKeepADeadlineThatNobodyLooksAfter() throws TransportException {
    Line line = selective(MESSAGE);
    Pending receive = line.receive(0, MESSAGE, TAG);
    long timeoutNs = PATIENCE.toNanos() / 20;
    Pending send =
        new Pending(line.out(), line.out().isend(line.source(), 0, MESSAGE, TAG, timeoutNs));
    long begin = System.nanoTime();
    arrive(line, List.of(receive));
    eventually().until(() -> System.nanoTime() - begin > timeoutNs);
    assertEquals(MESSAGE, send.finish().lengthBytes());
    line.assertAlive();
  }

  @Test
  void shouldFreeSendsForgottenOnTheirWay() throws TransportException {
    Line line = selective(MESSAGE);
    List<Pending> receives = receives(line, 3, 0);
    for (int i = 0; i < 3; i++) {
      line.out().detach(line.send(0, MESSAGE, TAG).request());
    }
    arrive(line, receives);
    awaitAllFree(line);
  }

  @Test
  void shouldFreeSendsForgottenBeforeTheyLeave() throws TransportException {
    Line line = selective(MESSAGE);
    for (int i = 0; i < 15; i++) {
      line.out().detach(line.send(0, MESSAGE, TAG).request());
    }
    List<Pending> receives = receives(line, 15, 0);
    arrive(line, receives);
    awaitAllFree(line);
  }

  /** As many requests can be begun as a channel has; it is of no use afterwards. */
  private void awaitAllFree(Line line) {
    int[] begun = {0};
    eventually()
        .until(
            () -> {
              line.out().awaitProgress(line.out().progressCount(), Duration.ZERO);
              while (line.out().isend(line.source(), 0, 0, TAG + 1) >= 0) {
                begun[0]++;
              }
              return begun[0] == Transport.MAX_REQUESTS;
            });
  }

  @Test
  void shouldSignalEachAgainWhenToldTo() throws TransportException {
    Line line = selective(2 * MESSAGE);
    List<Pending> receives = receives(line, 2);
    Pending first = line.send(0, MESSAGE, TAG);
    line.out().sendMode(SendMode.LATENCY);
    Pending second = line.send(MESSAGE, MESSAGE, TAG);
    arrive(line, receives);
    finish(List.of(first, second));
  }

  private Line selective(int memoryBytes) throws TransportException {
    Line line = line(memoryBytes);
    line.out().sendMode(SendMode.STREAM);
    return line;
  }

  private static List<Pending> receives(Line line, int count) {
    return receives(line, count, MESSAGE);
  }

  private static List<Pending> receives(Line line, int count, int stepBytes) {
    List<Pending> receives = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      receives.add(line.receive((long) i * stepBytes, MESSAGE, TAG));
    }
    return receives;
  }

  private static List<Pending> sends(Line line, int count) {
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Bytes.fill(line.sourceBytes(), i * MESSAGE, MESSAGE, i);
      sends.add(line.send((long) i * MESSAGE, MESSAGE, TAG));
    }
    return sends;
  }

  private static void finish(List<Pending> requests) {
    Pending.finish(requests.toArray(Pending[]::new)).forEach(Pending.Outcome::lengthBytes);
  }

  private static void check(Line line, int messages) {
    for (int i = 0; i < messages; i++) {
      Bytes.check(line.sinkBytes(), i * MESSAGE, MESSAGE, i);
    }
  }
}
