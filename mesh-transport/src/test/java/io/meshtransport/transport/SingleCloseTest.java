// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SingleCloseTest {
  private final SingleClose closing = new SingleClose();
  private final AtomicInteger closes = new AtomicInteger();

  @Test
  void shouldRefuseCallsFromTheBeginningOfClose() throws Exception {
    closing.requireOpen();
    assertFalse(closing.isClosed());

    closing.close(
        () -> {
          assertTrue(closing.isClosed());
          assertThrows(TransportException.class, closing::requireOpen);
        });
    assertEquals(
        "CLOSED: this transport is closed",
        assertThrows(TransportException.class, closing::requireOpen).summary());
  }

  @Test
  void shouldCloseOnce() {
    closing.close(closes::incrementAndGet);
    closing.close(closes::incrementAndGet);
    assertEquals(1, closes.get());
  }

  @Test
  void shouldCloseForAThreadThatIsInterruptedAsForAnyOther() {
    Thread.currentThread().interrupt();
    closing.close(() -> assertFalse(Thread.currentThread().isInterrupted()));
    assertTrue(Thread.interrupted(), "the interrupt stays set");
  }

  @Test
  void shouldLetOthersWaitForTheThreadThatCloses() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    CompletableFuture<Void> first =
        CompletableFuture.runAsync(() -> closing.close(() -> await(mayEnd)), SingleCloseTest::run);
    Awaitility.await().atMost(30, TimeUnit.SECONDS).until(closing::isClosed);

    Thread second = new Thread(() -> closing.close(closes::incrementAndGet));
    second.start();
    Awaitility.await()
        .atMost(30, TimeUnit.SECONDS)
        .until(() -> second.getState() == Thread.State.TIMED_WAITING);
    mayEnd.countDown();
    second.join();
    first.get(30, TimeUnit.SECONDS);
    assertEquals(0, closes.get());
  }

  @Test
  void shouldLetOthersGoThoughClosingHasFailed() {
    assertThrows(
        IllegalStateException.class,
        () ->
            closing.close(
                () -> {
                  throw new IllegalStateException("something stays open");
                }));
    closing.close(closes::incrementAndGet);
    assertEquals(0, closes.get());
  }

  private static void run(Runnable work) {
    new Thread(work).start();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
