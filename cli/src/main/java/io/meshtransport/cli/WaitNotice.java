// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalTime;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Prints what a command waits for and until when, once for each wait that lasts three seconds. The
 * command's thread names its waits; a thread of this object checks their age until it is closed.
 */
final class WaitNotice implements AutoCloseable {
  private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(3);
  private static final long CHECK_MS = 250;

  private final PrintWriter to;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Counts the waits; what is written before it is read after it. */
  private final AtomicLong waits = new AtomicLong();

  private String what = "";
  private long limitNs;

  /** The current wait, its start, and whether it was printed. */
  private long known;

  private long sinceNs;
  private boolean printed = true;

  /** Without a thread: the caller checks with {@link #check}. */
  WaitNotice(PrintWriter to) {
    this.to = to;
  }

  /** With a thread that checks from now on. */
  static WaitNotice watched(PrintWriter to) {
    WaitNotice wait = new WaitNotice(to);
    Thread checking = new Thread(wait::checkUntilClosed, "mesh-ping-waits");
    checking.setDaemon(true);
    checking.start();
    return wait;
  }

  /**
   * A wait begins, and the one before is over.
   *
   * @param what as in "for ..."
   * @param limit how long at most
   */
  void begins(String what, Duration limit) {
    this.what = what;
    limitNs = limit.toNanos();
    beginsAgain();
  }

  /** The next wait for the same thing begins. Costs no more than a store. */
  void beginsAgain() {
    waits.lazySet(waits.getPlain() + 1);
  }

  private void checkUntilClosed() {
    try {
      while (!closed.await(CHECK_MS, TimeUnit.MILLISECONDS)) {
        check(System.nanoTime(), LocalTime.now());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * @param nowNs on any clock that does not go back
   * @param now the same moment on the wall
   */
  synchronized void check(long nowNs, LocalTime now) {
    long latest = waits.get();
    if (latest != known) {
      known = latest;
      sinceNs = nowNs;
      printed = false;
    }
    long waitedNs = nowNs - sinceNs;
    if (!printed && waitedNs >= SILENCE_NS && closed.getCount() > 0) {
      printed = true;
      to.printf("waiting    for %s, until %tT%n", what, now.plusNanos(limitNs - waitedNs));
      to.flush();
    }
  }

  /** Prints nothing from now on. */
  synchronized void over() {
    closed.countDown();
  }

  @Override
  public void close() {
    over();
  }
}
