// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.testing.AllocationCounter;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.EventFd;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many completion channels behind one epoll descriptor. Also tests {@link EventFd}. */
class NativeCompletionEventsTest {
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(20);

  /** More than one batch of epoll_wait. */
  private static final int MANY = 100;

  private FakePair pair;
  private CompletionEvents events;

  @BeforeEach
  void open() throws VerbsException {
    pair = new FakePair(FakeLibrary.get().open("fake0")).toReadyToSend();
    events = pair.device.createCompletionEvents();
  }

  @AfterEach
  void close() throws VerbsException {
    events.close();
    pair.close();
  }

  @Test
  void shouldReportAChannelAndAcknowledge() throws Exception {
    pair.channel.attach(events, pair);
    assertEquals(0, pair.sends.requestNotify(false));
    assertFalse(events.await(0));
    assertEquals(0, pair.send(1));
    assertTrue(events.await(LONG_NS));
    assertSame(pair, events.next());
    assertNull(events.next());
    assertEquals(0, FakeLibrary.get().control.fake_unacknowledged(pair.sends.pointer()));
    assertFalse(events.await(0));
  }

  @Test
  void shouldWakeAThreadThatSleeps() throws Exception {
    pair.channel.attach(events, pair);
    assertEquals(0, pair.sends.requestNotify(false));
    CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(this::awaitLong);
    assertEquals(0, pair.send(1));
    assertTrue(waiting.get(20, TimeUnit.SECONDS));
  }

  @Test
  void shouldReportAWakeUpOnceAndNoChannelForIt() throws Exception {
    events.wakeUp();
    assertFalse(events.await(LONG_NS));
    assertFalse(events.await(0));

    pair.channel.attach(events, pair);
    assertEquals(0, pair.sends.requestNotify(false));
    assertEquals(0, pair.send(1));
    events.wakeUp();
    assertTrue(events.await(LONG_NS));
    assertSame(pair, events.next());
    assertFalse(events.await(0));
    events.wakeUp();
    assertFalse(events.arm());
    assertTrue(events.arm());
  }

  /** Whether a thread is in the wait of {@link EventWait}. */
  private static boolean isParked(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(EventWait.class.getName()));
  }

  private boolean awaitLong() {
    try {
      return events.await(LONG_NS);
    } catch (VerbsException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldReportMoreChannelsThanOneBatchHolds() throws Exception {
    List<FakePair> pairs = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        FakePair made = new FakePair(FakeLibrary.get().open("fake0")).toReadyToSend();
        pairs.add(made);
        made.channel.attach(events, made);
        assertEquals(0, made.sends.requestNotify(false));
        assertEquals(0, made.send(i));
      }
      int found = 0;
      while (events.await(0)) {
        while (events.next() != null) {
          found++;
        }
      }
      assertEquals(MANY, found);
    } finally {
      for (FakePair made : pairs) {
        made.close();
      }
    }
  }

  @Test
  void shouldForgetAChannelThatIsClosed() throws Exception {
    NativeCompletionChannel closed =
        (NativeCompletionChannel) pair.device.createCompletionChannel();
    closed.attach(events, "closed");
    closed.close();
    pair.channel.attach(events, pair);
    assertEquals(0, pair.sends.requestNotify(false));
    assertEquals(0, pair.send(1));
    assertTrue(events.await(LONG_NS));
    assertSame(pair, events.next());
  }

  @Test
  void shouldEndAWaitWhenItIsClosed() throws Exception {
    CompletableFuture<Thread> waiter = new CompletableFuture<>();
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              waiter.complete(Thread.currentThread());
              return awaitLong();
            });
    Thread sleeping = waiter.get(20, TimeUnit.SECONDS);
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> isParked(sleeping));
    events.close();
    Exception failure = assertThrows(Exception.class, () -> waiting.get(20, TimeUnit.SECONDS));
    VerbsException why = (VerbsException) failure.getCause().getCause();
    assertEquals(Errno.EBADF, why.errno());
    assertThrows(VerbsException.class, events::fd);
    events.wakeUp();
  }

  @Test
  void shouldAllocateNothing() throws Exception {
    pair.channel.attach(events, pair);
    WorkCompletions batch = pair.sends.newCompletions(4);
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            1_000,
            20,
            () -> {
              for (int i = 0; i < 1_000; i++) {
                pair.sends.requestNotify(false);
                pair.send(1);
                events.await(LONG_NS);
                while (events.next() != null) {
                  pair.sends.poll(batch);
                }
                events.await(0);
              }
            });
  }

  @Test
  void shouldSignalAndClear() throws Exception {
    try (EventFd fd = EventFd.open()) {
      EventWait wait = new EventWait("test");
      wait.watch(fd.fd());
      fd.signal();
      fd.signal();
      long startNs = System.nanoTime();
      wait.park(LONG_NS);
      assertTrue(System.nanoTime() - startNs < LONG_NS / 2);
      fd.clear();
      wait.park(20_000_000);
      assertTrue(System.nanoTime() - startNs >= 20_000_000);
      wait.close();
    }
  }
}
