// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

class AllocationCounterTest {
  private static final int BYTES = 100_000;

  private Object last;
  private int passes;

  private void allocate() {
    passes++;
    last = new byte[BYTES];
  }

  @Test
  void shouldCountWhatThisThreadAllocates() {
    AllocationCounter counter = AllocationCounter.ofThisThread();
    long bytes = counter.bytes(this::allocate);
    assertTrue(bytes >= BYTES, bytes + " bytes");
    counter.expectFewerBytes(BYTES, 100, () -> last = null);
  }

  @Test
  void shouldCountWhatNamedThreadsAllocate() throws Exception {
    Semaphore go = new Semaphore(0);
    CountDownLatch done = new CountDownLatch(1);
    Semaphore end = new Semaphore(0);
    Thread other =
        new Thread(
            () -> {
              go.acquireUninterruptibly();
              allocate();
              done.countDown();
              end.acquireUninterruptibly();
            },
            "counted-1");
    other.start();
    AllocationCounter counter = AllocationCounter.ofThisThreadAnd("counted-");
    long bytes =
        counter.bytes(
            () -> {
              go.release();
              done.await();
            });
    end.release();
    other.join();
    assertTrue(bytes >= BYTES, bytes + " bytes");
  }

  @Test
  void shouldFailWithTheBytesOfEachPassWhenNoneIsClean() {
    AllocationCounter counter = AllocationCounter.ofThisThread();
    AssertionFailedError failure =
        assertThrows(
            AssertionFailedError.class, () -> counter.expectFewerBytes(BYTES, 3, this::allocate));
    assertTrue(failure.getMessage().contains("fewer than " + BYTES), failure.getMessage());
    assertEquals(3, passes);
  }

  @Test
  void shouldStopAtTheFirstCleanPass() {
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            BYTES,
            5,
            () -> {
              if (passes < 2) {
                allocate();
              } else {
                passes++;
              }
            });
    assertEquals(3, passes);
  }
}
