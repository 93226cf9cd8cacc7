// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Callbacks where threads cannot be had, or end. */
class CallbackThreadsTest {
  private final Deque<Runnable> later = new ArrayDeque<>();
  private final AtomicInteger ran = new AtomicInteger();

  private static Thread noThread(Runnable work) {
    throw new OutOfMemoryError("unable to create native thread, says this test");
  }

  @Test
  void shouldLoseNoCallbackWhereThereIsNoThreadUntilItCloses() {
    CallbackThreads callbacks = new CallbackThreads(16, CallbackThreadsTest::noThread, later::add);
    for (int i = 0; i < 10; i++) {
      callbacks.execute(ran::incrementAndGet);
    }
    assertEquals(0, ran.get(), "a callback ran on the caller's thread, which may be the loop");
    assertTrue(callbacks.close(100));
    assertEquals(10, ran.get());
  }

  @Test
  void shouldRunWhatWaitsOnItsOwnThreadAsSoonAsThereIsOne() throws Exception {
    AtomicBoolean isShort = new AtomicBoolean(true);
    CallbackThreads.Threads threads = new CallbackThreads.Threads();
    CallbackThreads callbacks =
        new CallbackThreads(
            16, work -> isShort.get() ? noThread(work) : threads.newThread(work), later::add);
    CompletableFuture<Boolean> isOnItsOwn = new CompletableFuture<>();
    callbacks.execute(() -> isOnItsOwn.complete(threads.isOwnThread()));
    later.remove().run();
    assertFalse(isOnItsOwn.isDone());
    isShort.set(false);
    later.remove().run();
    assertTrue(isOnItsOwn.get(TestNode.PATIENCE_S, TimeUnit.SECONDS));
    assertTrue(later.isEmpty());
    assertTrue(callbacks.close(Handshaker.CLOSE_TIMEOUT_MS));
  }

  @Test
  void shouldGoOnAfterEveryErrorOfACallback() throws Exception {
    CallbackThreads callbacks = new CallbackThreads(100, new CallbackThreads.Threads(), later::add);
    CountDownLatch ran = new CountDownLatch(50);
    for (int i = 0; i < 50; i++) {
      callbacks.execute(
          () -> {
            ran.countDown();
            throw new OutOfMemoryError("thrown on purpose by this test");
          });
    }
    assertTrue(ran.await(TestNode.PATIENCE_S, TimeUnit.SECONDS));
    callbacks.close(Handshaker.CLOSE_TIMEOUT_MS);
  }
}
