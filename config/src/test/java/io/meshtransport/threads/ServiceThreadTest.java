// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ServiceThreadTest {
  private static final int TURNS = 12;

  private final List<String> reported = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger turns = new AtomicInteger();
  private final CountDownLatch done = new CountDownLatch(TURNS);

  private void fail() throws Exception {
    done.countDown();
    switch (turns.getAndIncrement() % 4) {
      case 0 -> throw new OutOfMemoryError("thrown by a test");
      case 1 -> throw new IOException("thrown by a test");
      case 2 -> throw new StackOverflowError("thrown by a test");
      default -> throw new IllegalStateException("thrown by a test");
    }
  }

  private void expectEnd(ServiceThread service) {
    assertTrue(service.thread().isAlive());
    service.end();
    service.awaitEnd();
    assertFalse(service.thread().isAlive());
  }

  @Test
  void shouldBeADaemonThatKnowsThatItIsEnding() {
    ServiceThread service = new ServiceThread("mesh-test", LockSupport::park, (text, why) -> {});
    assertTrue(service.thread().isDaemon());
    assertFalse(service.isEnding());
    service.start();
    expectEnd(service);
    assertTrue(service.isEnding());
  }

  @Test
  void shouldKeepAnInterruptUntilTheThreadHasEnded() {
    CountDownLatch mayEnd = new CountDownLatch(1);
    ServiceThread service = new ServiceThread("mesh-test", mayEnd::await, (text, why) -> {});
    service.start();
    service.end();
    Thread.currentThread().interrupt();
    new Thread(mayEnd::countDown).start();
    service.awaitEnd();
    assertFalse(service.thread().isAlive());
    assertTrue(Thread.interrupted());
  }

  @Test
  void shouldNotWaitForItselfToEnd() throws Exception {
    CountDownLatch waited = new CountDownLatch(1);
    ServiceThread[] self = new ServiceThread[1];
    self[0] =
        new ServiceThread(
            "mesh-test",
            () -> {
              self[0].awaitEnd();
              waited.countDown();
            },
            (text, why) -> {});
    self[0].start();
    assertTrue(waited.await(20, TimeUnit.SECONDS));
    expectEnd(self[0]);
  }

  @Test
  void shouldGoOnWhateverATurnThrowsAndReportEachKindOnce() throws Exception {
    ServiceThread service =
        new ServiceThread(
            "mesh-test", this::fail, (text, failure) -> reported.add(failure.getClass().getName()));
    service.start();
    assertTrue(done.await(20, TimeUnit.SECONDS));
    expectEnd(service);
    assertEquals(
        List.of(
            "java.lang.OutOfMemoryError",
            "java.io.IOException",
            "java.lang.StackOverflowError",
            "java.lang.IllegalStateException"),
        reported);
  }

  @Test
  @Tag("slow")
  void shouldGoOnWhenTheReportFailsToo() throws Exception {
    ServiceThread service =
        new ServiceThread(
            "mesh-test",
            this::fail,
            (text, failure) -> {
              throw new OutOfMemoryError("thrown by a test's report");
            });
    service.start();
    assertTrue(done.await(20, TimeUnit.SECONDS));
    expectEnd(service);
  }

  @Test
  void shouldEndInAPause() throws Exception {
    CountDownLatch many = new CountDownLatch(9);
    ServiceThread service =
        new ServiceThread(
            "mesh-test",
            () -> {
              many.countDown();
              throw new IllegalStateException("thrown by a test");
            },
            (text, failure) -> {});
    service.start();
    assertTrue(many.await(20, TimeUnit.SECONDS));
    expectEnd(service);
  }

  /** As code of others may do that a turn calls: no wait would wait from then on. */
  @Test
  void shouldNotKeepAnInterruptForLaterTurns() throws Exception {
    AtomicInteger interrupted = new AtomicInteger();
    ServiceThread service =
        new ServiceThread(
            "mesh-test",
            () -> {
              if (turns.getAndIncrement() > 0 && Thread.currentThread().isInterrupted()) {
                interrupted.incrementAndGet();
              }
              Thread.currentThread().interrupt();
              done.countDown();
            },
            (text, failure) -> {});
    service.start();
    assertTrue(done.await(20, TimeUnit.SECONDS));
    expectEnd(service);
    assertEquals(0, interrupted.get());
  }

  /** Pauses of 1, 2, 4 ... ms. */
  @Test
  void shouldPauseAfterAFailureThoughItIsUnparkedAndInterrupted() throws Exception {
    int failures = 9;
    CountDownLatch many = new CountDownLatch(failures);
    ServiceThread service =
        new ServiceThread(
            "mesh-test",
            () -> {
              many.countDown();
              LockSupport.unpark(Thread.currentThread());
              Thread.currentThread().interrupt();
              throw new IllegalStateException("thrown by a test");
            },
            (text, failure) -> {});
    long beforeNs = System.nanoTime();
    service.start();
    assertTrue(many.await(20, TimeUnit.SECONDS));
    long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beforeNs);
    assertTrue(tookMs >= (1 << failures - 1) - 1, tookMs + " ms");
    expectEnd(service);
  }

  @Test
  void shouldReportAKindAgainWhoseReportFailed() {
    AtomicInteger tries = new AtomicInteger();
    FailureReports reports =
        new FailureReports(
            "a test",
            (text, failure) -> {
              if (tries.getAndIncrement() == 0) {
                throw new OutOfMemoryError("thrown by a test's report");
              }
              reported.add(text);
            });
    for (int i = 0; i < 5; i++) {
      reports.add(new IllegalStateException("thrown by a test"));
    }
    assertEquals(5, reports.count());
    assertEquals(1, reports.untold());
    assertEquals(1, reported.size());
    assertTrue(reported.get(0).startsWith("a test goes on"), reported.get(0));
  }
}
