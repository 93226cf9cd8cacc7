// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Waiting for completions: what ends a wait, and what does not.
 *
 * <p>Also tests {@link EventWait} and {@link FileDescriptors}.
 */
class NativeCompletionChannelTest {
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(20);
  private static final long DEADLINE_S = 20;

  private FakeLibrary fake;
  private FakePair pair;

  @BeforeEach
  void open() throws VerbsException {
    fake = FakeLibrary.get();
    pair = new FakePair(fake.open("fake0")).toReadyToSend();
  }

  @AfterEach
  void close() throws VerbsException {
    if (pair != null) {
      pair.close();
    }
  }

  /** Runs in another thread, which the test can meet in the middle of a wait. */
  private static <T> Waiter<T> start(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "waiter");
    thread.start();
    return new Waiter<>(task, thread);
  }

  private record Waiter<T>(FutureTask<T> task, Thread thread) {
    T answer() throws Exception {
      return task.get(DEADLINE_S, TimeUnit.SECONDS);
    }

    /** Until it is about to wait in ppoll(2) or does. */
    void awaitParked() {
      long endNs = System.nanoTime() + LONG_NS;
      while (!isParked()) {
        assertTrue(System.nanoTime() - endNs < 0, "never began to wait");
        Thread.onSpinWait();
      }
    }

    private boolean isParked() {
      for (StackTraceElement frame : thread.getStackTrace()) {
        if (frame.getMethodName().equals("park")) {
          return true;
        }
      }
      return false;
    }
  }

  private Waiter<Boolean> startWaiting() {
    Waiter<Boolean> waiter = start(() -> pair.channel.await(LONG_NS));
    waiter.awaitParked();
    return waiter;
  }

  @Test
  void shouldWakeAWaiterAndAcknowledge() throws Exception {
    assertEquals(0, pair.sends.requestNotify(false));
    Waiter<Boolean> waiter = startWaiting();
    assertEquals(0, pair.send(1));
    assertTrue(waiter.answer());
    assertEquals(0, fake.control.fake_unacknowledged(pair.sends.pointer()));
    assertFalse(pair.channel.await(0));
  }

  @Test
  void shouldPollAllEventsAtOnce() throws Exception {
    assertEquals(0, pair.sends.requestNotify(false));
    assertEquals(0, pair.receives.requestNotify(true));
    assertEquals(0, pair.send(1));
    assertEquals(0, pair.receive(2));
    pair.queuePair.toError();
    assertTrue(pair.channel.await(LONG_NS));
    assertFalse(pair.channel.await(0));
  }

  @Test
  void shouldEndAWaitThatIsWoken() throws Exception {
    Waiter<Boolean> waiter = startWaiting();
    pair.channel.wakeUp();
    assertFalse(waiter.answer());
  }

  @Test
  void shouldEndTheNextWaitOnceWhenWokenBefore() throws Exception {
    pair.channel.wakeUp();
    pair.channel.wakeUp();
    assertFalse(pair.channel.await(LONG_NS));
    Waiter<Boolean> waiter = startWaiting();
    pair.channel.wakeUp();
    assertFalse(waiter.answer());
  }

  @Test
  void shouldNotEndAWaitForNoReason() throws Exception {
    assertEquals(0, pair.sends.requestNotify(false));
    Waiter<Boolean> waiter = startWaiting();
    for (int i = 0; i < 1000; i++) {
      pair.channel.wakeInsiders();
    }
    waiter.awaitParked();
    assertFalse(waiter.task().isDone());
    assertEquals(0, pair.send(1));
    assertTrue(waiter.answer());
  }

  @Test
  void shouldEndAWaitThatIsInterruptedAndKeepTheInterrupt() throws Exception {
    Waiter<Boolean> waiter =
        start(() -> !pair.channel.await(LONG_NS) && Thread.currentThread().isInterrupted());
    waiter.awaitParked();
    waiter.thread().interrupt();
    assertTrue(waiter.answer());
  }

  @Test
  void shouldNotWaitWhenInterruptedBefore() throws Exception {
    Waiter<Boolean> waiter =
        start(
            () -> {
              Thread.currentThread().interrupt();
              return !pair.channel.await(LONG_NS) && Thread.interrupted();
            });
    assertTrue(waiter.answer());
  }

  @Test
  void shouldEndAWaitWhenTheTimeIsOver() throws Exception {
    assertFalse(pair.channel.await(0));
    assertFalse(pair.channel.await(-1));
    assertFalse(pair.channel.await(2_000_000));
  }

  @Test
  void shouldEndAWaitWhenTheChannelIsClosed() throws Exception {
    NativeCompletionChannel channel =
        (NativeCompletionChannel) pair.device.createCompletionChannel();
    Waiter<Boolean> waiter = start(() -> channel.await(LONG_NS));
    waiter.awaitParked();
    channel.close();
    ExecutionException failure = assertThrows(ExecutionException.class, waiter::answer);
    assertEquals(Errno.EBADF, ((VerbsException) failure.getCause()).errno());
    channel.wakeUp();
  }

  @Test
  void shouldRefuseToNotifyWithoutAChannel() throws Exception {
    try (CompletionQueue queue = pair.device.createCompletionQueue(4)) {
      assertEquals(Errno.EINVAL, queue.requestNotify(false));
    }
  }
}
