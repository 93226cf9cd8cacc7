package io.meshtransport.softverbs;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of one device. A thread that finds it taken spins and then yields instead of parking:
 * what is done under it never blocks and is short, and a {@link ReentrantLock} that parks makes
 * garbage on the data path.
 */
final class DeviceLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;

  /** Some microseconds: as long as a short write to a socket. */
  private static final int SPINS = 200;

  @Override
  public void lock() {
    for (int spin = 0; spin < SPINS; spin++) {
      if (tryLock()) {
        return;
      }
      Thread.onSpinWait();
    }
    while (!tryLock()) {
      Thread.yield();
    }
  }
}
