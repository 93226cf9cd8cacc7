// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Callbacks where threads cannot be had, or end. */
class CallbackThreadsTest {
  @Test
  void shouldLoseNoCallbackWhereThereIsNoThread() {
    CallbackThreads callbacks =
        new CallbackThreads(
            16,
            work -> {
              throw new OutOfMemoryError("unable to create native thread, says this test");
            });
    AtomicInteger ran = new AtomicInteger();
    for (int i = 0; i < 10; i++) {
      callbacks.execute(ran::incrementAndGet);
    }
    assertEquals(10, ran.get());
    assertTrue(callbacks.close(100));
  }

  @Test
  void shouldGoOnAfterEveryErrorOfACallback() throws Exception {
    CallbackThreads callbacks = new CallbackThreads(100, new CallbackThreads.Threads());
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
