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
final class LongWait implements AutoCloseable {
  private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(3);
  private static final long LOOK_MS = 250;

  private final PrintWriter to;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Counts the waits; what is written before it is read after it. */
  private final AtomicLong waits = new AtomicLong();

  private String what = "";
  private long limitNs;

  /** The current wait, its start, and whether it was printed. */
  private long known;

  private long sinceNs;
  private boolean told = true;

  /** Without a thread: the caller checks with {@link #look}. */
  LongWait(PrintWriter to) {
    this.to = to;
  }

  /** With a thread that checks from now on. */
  static LongWait watched(PrintWriter to) {
    LongWait wait = new LongWait(to);
    Thread looking = new Thread(wait::lookUntilClosed, "mesh-ping-waits");
    looking.setDaemon(true);
    looking.start();
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

  private void lookUntilClosed() {
    try {
      while (!closed.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
        look(System.nanoTime(), LocalTime.now());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * @param nowNs on any clock that does not go back
   * @param now the same moment on the wall
   */
  synchronized void look(long nowNs, LocalTime now) {
    long latest = waits.get();
    if (latest != known) {
      known = latest;
      sinceNs = nowNs;
      told = false;
    }
    long waitedNs = nowNs - sinceNs;
    if (!told && waitedNs >= SILENCE_NS && closed.getCount() > 0) {
      told = true;
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
