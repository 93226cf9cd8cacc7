// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.jgroups.link.BundleOutput;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.TransferQueueBundler;

/**
 * JGroups' transfer-queue bundler, except that a bundle is written into registered memory and sent
 * from there. {@link MESH} takes it wherever a stack asks for {@code transfer-queue}; in other
 * transports it is JGroups' own.
 *
 * <p>JGroups makes it by its name and calls it.
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
      registered = new BundleOutput(output.capacity(), mesh::sendBuffers);
      output = registered;
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>By whoever stops the transport. Unless JGroups' thread hangs in a send: then they are
   * dropped, for one bundle at a time is put together.
   */
  @Override
  protected void drain() {
    if (registered == null) {
      super.drain();
      return;
    }
    // Once for all messages, and not anew for each that is one too many for a bundle.
    if (!tryLock()) {
      // The hanging thread must not find them when it is let go, nor anybody wait for their places.
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
   * <p>By JGroups' thread for it, and by {@link #drain}.
   */
  @Override
  protected void sendBundledMessages() {
    if (registered == null) {
      super.sendBundledMessages();
      return;
    }
    // Not the bundler's own monitor: who stops it has that while waiting for this thread.
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
    // A thread that was told to end sends what it has, as JGroups' own does.
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
