// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Whose turn it is at the poller. Of the threads that wait, one at a time is there, without the
 * rank's lock; it handles what it found with the lock, and the others look again.
 */
final class PollerTurn {
  /** A wake-up may come just before the poller waits: closing wakes it again after so long. */
  private static final long CLOSE_CHECK_NS = 1_000_000;

  /**
   * With the lock: what a poll has found ({@link MemberLinks#handle}), nothing where that is 0.
   * Throws nothing.
   */
  interface Handler {
    void handle(int count);
  }

  private final ReentrantLock lock;
  private final MemberLinks links;
  private final Handler handler;
  private final Condition changed;
  private boolean isTaken;

  PollerTurn(ReentrantLock lock, MemberLinks links, Handler handler) {
    this.lock = lock;
    this.links = links;
    this.handler = handler;
    changed = lock.newCondition();
  }

  /** With the lock: waits until something has happened, at most so long. */
  void await(long timeoutNs) {
    if (isTaken) {
      try {
        changed.awaitNanos(timeoutNs);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return;
    }
    isTaken = true;
    lock.unlock();
    int count = 0;
    try {
      count = links.await(timeoutNs);
    } finally {
      lock.lock();
      isTaken = false;
      handle(count);
    }
  }

  /** With the lock: what is there already, without waiting. */
  void poll() {
    if (!isTaken) {
      handle(links.poll());
    }
  }

  private void handle(int count) {
    try {
      handler.handle(count);
    } finally {
      changed.signalAll();
    }
  }

  /** With the lock: all that wait look again, the one at the poller too. */
  void signal() {
    changed.signalAll();
    if (isTaken) {
      links.wakeup();
    }
  }

  /**
   * With the lock: as {@link #await}, of a thread that an interrupt does not keep from waiting. One
   * that stays set would end every wait before it gives up the lock, without which the thread at
   * the poller cannot leave it. Answers whether there was one.
   */
  boolean awaitUninterrupted(long timeoutNs) {
    await(timeoutNs);
    return Thread.interrupted();
  }

  /**
   * With the lock: until no thread is at the poller; one that still waits finds its rank closed.
   * Answers whether the thread was interrupted meanwhile.
   */
  boolean awaitFree() {
    boolean isInterrupted = false;
    while (isTaken) {
      links.wakeup();
      isInterrupted |= awaitUninterrupted(CLOSE_CHECK_NS);
    }
    return isInterrupted;
  }
}
