// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link RelayDriver} with work that the test plays, and a thread of its own. */
class RelayDriverTest {
  private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

  private final PlayedWork work = new PlayedWork();
  private final RelayDriver driver = new RelayDriver(work);
  private final Thread service = new Thread(this::serve, "service");
  private volatile boolean isEnding;

  /** Sleeps in a turn until something arrives, or it is woken. */
  private static final class PlayedWork implements RelayDriver.Work {
    final Semaphore arrivals = new Semaphore(0);
    final AtomicInteger handled = new AtomicInteger();
    final AtomicInteger housekeepings = new AtomicInteger();
    final AtomicInteger inside = new AtomicInteger();
    volatile Thread handler;
    volatile boolean isHousekeepingDue;
    volatile boolean isDue;
    volatile Runnable within = () -> {};

    @Override
    public void turn(long maxWaitNs, boolean isHousekeeping) {
      assertEquals(1, inside.incrementAndGet(), "two threads make a turn at once");
      try {
        within.run();
        isDue = false;
        if (isHousekeeping && isHousekeepingDue) {
          isHousekeepingDue = false;
          housekeepings.incrementAndGet();
        }
        if (arrivals.tryAcquire(Math.min(maxWaitNs, LIMIT_NS), TimeUnit.NANOSECONDS)) {
          handler = Thread.currentThread();
          handled.incrementAndGet();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        inside.decrementAndGet();
      }
    }

    @Override
    public void wakeUp() {
      arrivals.release();
    }

    @Override
    public boolean isDue() {
      return isDue;
    }

    @Override
    public long takePassedBytes() {
      return 0;
    }

    @Override
    public long untilHousekeepingNs() {
      return isHousekeepingDue ? 0 : LIMIT_NS;
    }
  }

  private void serve() {
    while (!isEnding) {
      driver.serve();
    }
  }

  private void startService() {
    driver.service(service);
    service.setDaemon(true);
    service.start();
  }

  /** As a caller that spins: the other thread leaves its turn, and does not come back. */
  private void driveAtLast() {
    long endNs = System.nanoTime() + LIMIT_NS;
    while (!driver.drive()) {
      assertTrue(System.nanoTime() - endNs < 0, "another thread drives all the time");
      Thread.onSpinWait();
    }
  }

  @AfterEach
  void end() throws InterruptedException {
    isEnding = true;
    driver.close();
    work.wakeUp();
    service.join();
  }

  @Test
  void shouldMakeATurnForACallerThatPolls() {
    work.arrivals.release();
    assertTrue(driver.drive());
    assertSame(Thread.currentThread(), work.handler);
  }

  @Test
  void shouldNotDriveWithinATurn() {
    AtomicInteger refused = new AtomicInteger();
    work.within = () -> refused.addAndGet(driver.drive() ? 0 : 1);
    assertTrue(driver.drive());
    assertEquals(1, refused.get());
  }

  @Test
  void shouldServeWhatArrivesWhileNobodyDrives() {
    startService();
    work.arrivals.release();
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> work.handler == service);
  }

  @Test
  void shouldHandTheWorkToACallerThatPolls() {
    startService();
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> work.inside.get() == 1);
    driveAtLast();
  }

  @Test
  void shouldHaveACallerThatWaitsDoTheWork() {
    startService();
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> work.inside.get() == 1);
    Thread caller = Thread.currentThread();
    int handled = work.handled.get();
    Thread sender =
        new Thread(
            () -> {
              while (work.handler != caller) {
                work.arrivals.release();
                Thread.yield();
              }
            });
    sender.start();
    driver.await(() -> work.handler == caller, LIMIT_NS);
    assertSame(caller, work.handler);
    assertTrue(work.handled.get() > handled);
  }

  @Test
  void shouldKeepHouseThoughACallerWaits() {
    startService();
    Thread waiter =
        new Thread(() -> driver.await(() -> work.housekeepings.get() > 0, LIMIT_NS), "waiter");
    waiter.start();
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> work.inside.get() == 1);
    work.isHousekeepingDue = true;
    LockSupport.unpark(service);
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> work.housekeepings.get() > 0);
    driver.wakeWaiters();
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> !waiter.isAlive());
  }

  @Test
  void shouldEndItsOwnWaitForBytesThatAreNotTheRelays() {
    AtomicBoolean isOver = new AtomicBoolean();
    work.within =
        () -> {
          isOver.set(true);
          driver.endOwnWait();
        };
    driver.await(isOver::get, LIMIT_NS);
    assertEquals(1, work.handled.get(), "the turn slept to its end");
    work.within = () -> {};
    driver.endOwnWait();
    assertEquals(0, work.arrivals.availablePermits(), "no wait is under way");
  }

  @Test
  void shouldDoWhatACallerHasPostedThatPollsNoMore() {
    startService();
    driveAtLast();
    work.isDue = true;
    driver.wakeUp();
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> !work.isDue);
  }

  @Test
  void shouldLetNoCallerDriveOnceItIsClosed() {
    driver.close();
    assertFalse(driver.drive());
  }
}
