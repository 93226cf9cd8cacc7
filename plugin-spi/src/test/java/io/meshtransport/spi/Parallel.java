// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.function.Executable;

/** A second thread of a test, whose failure is the test's. */
final class Parallel {
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final CountDownLatch isRunning = new CountDownLatch(1);
  private final Thread thread;

  private Parallel(Executable work) {
    thread =
        new Thread(
            () -> {
              try {
                isRunning.countDown();
                work.execute();
              } catch (Throwable e) {
                failure.set(e);
              }
            },
            "contract-parallel");
    thread.setDaemon(true);
  }

  /** Returns once it runs, so that what it begins with is likely to come first. */
  static Parallel start(Executable work) throws InterruptedException {
    Parallel parallel = new Parallel(work);
    parallel.thread.start();
    parallel.isRunning.await();
    return parallel;
  }

  void interrupt() {
    thread.interrupt();
  }

  void join() throws InterruptedException {
    thread.join(2 * ContractChapter.PATIENCE.toMillis());
    assertFalse(thread.isAlive(), "the other thread hangs");
    if (failure.get() != null) {
      throw new AssertionError("the other thread failed: " + failure.get(), failure.get());
    }
  }
}
