// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.TransferQueueBundler;

/**
 * JGroups' transfer-queue bundler, except that a bundle is written into registered memory and sent
 * from there. {@link MESH} uses it wherever a stack configures {@code transfer-queue}; in other
 * transports it behaves as JGroups' own.
 *
 * <p>JGroups makes it by name and calls it.
 */
public class RegisteredTransferQueue extends TransferQueueBundler {
  private static final long LOCK_TIMEOUT_MS = 500;

  private final ReentrantLock sending = new ReentrantLock();
  private BundleOutput registered;

  /** For JGroups, which makes it by name. */
  public RegisteredTransferQueue() {}

  @Override
  public void init(TP transport) {
    super.init(transport);
    if (transport instanceof MESH mesh) {
      registered = new BundleOutput(output.capacity(), mesh::sendSlots);
      output = registered;
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Called by the thread that stops the transport. If JGroups' thread hangs in a send the
   * messages are dropped, because one bundle at a time is put together.
   */
  @Override
  protected void drain() {
    if (registered == null) {
      super.drain();
      return;
    }
    // Once for all messages, and not anew for each that is one too many for a bundle.
    if (!tryLock()) {
      // The hanging thread must not send them when it continues, and no sender must wait for space
      // in the queue.
      queue.clear();
      return;
    }
    try {
      super.drain();
    } finally {
      sending.unlock();
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Called by JGroups' bundler thread, and by {@link #drain}.
   */
  @Override
  protected void sendBundledMessages() {
    if (registered == null) {
      super.sendBundledMessages();
      return;
    }
    // Not the bundler's own monitor: the thread that stops it has that while it waits for this
    // thread.
    if (!tryLock()) {
      return;
    }
    try {
      super.sendBundledMessages();
    } finally {
      registered.release();
      sending.unlock();
    }
  }

  private boolean tryLock() {
    // A thread that was interrupted to end it sends what it has, as JGroups' own does.
    boolean interrupted = Thread.interrupted();
    try {
      return sending.tryLock(LOCK_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
