// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.locks.LockSupport;

/**
 * Completion queues of a soft device raise their events here, with the device's lock held; one
 * thread waits, any may wake it.
 */
public final class SoftCompletionChannel implements CompletionChannel {
  private final SoftDevice device;
  private volatile boolean hasEvent;
  private volatile boolean isWoken;
  private volatile boolean isClosed;
  private volatile Thread waiter;
  private int users;

  SoftCompletionChannel(SoftDevice device) {
    this.device = device;
  }

  SoftDevice device() {
    return device;
  }

  void addUser() {
    users++;
  }

  void removeUser() {
    users--;
  }

  void raise() {
    hasEvent = true;
    wakeWaiter();
  }

  /** Whether a waiter has a reason to stop waiting. */
  public boolean isOver() {
    return hasEvent || isWoken || isClosed;
  }

  private void wakeWaiter() {
    Thread waiting = waiter;
    if (waiting != null && waiting != Thread.currentThread()) {
      device.network().wakeWaiters();
      LockSupport.unpark(waiting);
    }
  }

  @Override
  public boolean await(long timeoutNs) throws VerbsException {
    waiter = Thread.currentThread();
    try {
      device.network().await(this, timeoutNs);
    } finally {
      waiter = null;
    }
    if (isClosed) {
      throw new VerbsException(Errno.EBADF, "the completion channel is closed");
    }
    boolean came = hasEvent;
    // An event ends one wait, and so does a call to wakeUp; both together end one as well.
    hasEvent = false;
    isWoken = false;
    return came;
  }

  @Override
  public void wakeUp() {
    isWoken = true;
    wakeWaiter();
  }

  @Override
  public void close() throws VerbsException {
    device.lockedThrowing(this::closeOnce);
  }

  private void closeOnce() throws VerbsException {
    if (!isClosed) {
      SoftDevice.refuseWhileUsed("completion channel", users, "completion queues");
      isClosed = true;
      wakeWaiter();
      device.childClosed();
    }
  }
}
