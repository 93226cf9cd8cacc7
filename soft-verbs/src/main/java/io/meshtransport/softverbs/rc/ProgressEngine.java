// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

/**
 * Moves the bytes of one device or several: by a caller that polls, by one that waits, or else by a
 * thread of its own. Any thread may call it that has no device's lock.
 */
public interface ProgressEngine {
  /**
   * A caller has nothing else to do just now: moves bytes, without waiting.
   *
   * @return false if another thread does so, and what has arrived may stay unread for a while
   */
  boolean drive();

  /**
   * Waits until the waiter has a reason to stop, moving bytes meanwhile.
   *
   * @return whether it had one
   */
  boolean await(EventWaiter waiter, long timeoutNs);

  /** A caller that polled so far goes to sleep elsewhere: from now on others move the bytes. */
  void leave();

  /**
   * The current thread waits in this engine, and has moved bytes of another on its way: it has a
   * reason to stop. With a device's lock of the other.
   */
  default void endOwnWait() {
    // An engine that is built on no other sees all events that the thread raises in it.
  }

  /** An event was raised, whether a thread waits for it or not. With the device's lock. */
  default void eventRaised() {
    // Where each device has its own engine, a thread waits for its own events.
  }

  /** Ends waits under way, so that they check their channel again. With a device's lock, too. */
  void wakeWaiters();
}
