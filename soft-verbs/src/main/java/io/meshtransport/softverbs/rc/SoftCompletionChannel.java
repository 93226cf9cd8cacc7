// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.locks.LockSupport;

/**
 * Completion queues of a soft device raise their events here, with the device's lock held; one
 * thread waits, any may wake it.
 */
public final class SoftCompletionChannel implements CompletionChannel, EventWaiter {
  private final SoftDevice device;
  private volatile boolean hasEvent;
  private volatile boolean isWoken;
  private volatile boolean isClosed;
  private volatile Thread waiter;
  private final IdleTurns idleTurns = new IdleTurns();
  private int users;

  /** Where its events are reported as well, or null. Guarded by the device's lock. */
  private SoftCompletionEvents.Attachment attachment;

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
    device.progress().eventRaised();
    wakeWaiter();
    if (attachment != null) {
      attachment.raise();
    }
  }

  @Override
  public boolean isOver() {
    return hasEvent || isWoken || isClosed;
  }

  @Override
  public IdleTurns idleTurns() {
    return idleTurns;
  }

  private void wakeWaiter() {
    Thread waiting = waiter;
    if (waiting != null && waiting != Thread.currentThread()) {
      device.progress().wakeWaiters();
      LockSupport.unpark(waiting);
    }
  }

  @Override
  public boolean await(long timeoutNs) throws VerbsException {
    waiter = Thread.currentThread();
    try {
      device.progress().await(this, timeoutNs);
      device.network().polled();
    } finally {
      waiter = null;
    }
    if (isClosed) {
      throw new VerbsException(Errno.EBADF, "the completion channel is closed");
    }
    // An event ends one wait, and so does a call to wakeUp; both together end one as well.
    isWoken = false;
    if (!hasEvent) {
      return false;
    }
    // Cleared only where it is reported: one that comes just now is for the next wait.
    hasEvent = false;
    idleTurns.gotEvent();
    return true;
  }

  @Override
  public void wakeUp() {
    isWoken = true;
    wakeWaiter();
  }

  @Override
  public void attach(CompletionEvents events, Object context) throws VerbsException {
    if (!(events instanceof SoftCompletionEvents own)) {
      throw new VerbsException(
          Errno.EINVAL, "the completion channel cannot be attached to events of another provider");
    }
    device.lockedThrowing(() -> attachLocked(own, context));
  }

  private void attachLocked(SoftCompletionEvents events, Object context) throws VerbsException {
    if (isClosed) {
      throw new VerbsException(Errno.EBADF, "the completion channel is closed");
    }
    if (attachment != null) {
      throw new VerbsException(
          Errno.EBUSY, "the completion channel is attached already; detach it first");
    }
    attachment = events.attach(this, context);
  }

  @Override
  public void detach() {
    device.locked(this::detachLocked);
  }

  private void detachLocked() {
    if (attachment != null) {
      attachment.detach();
      attachment = null;
    }
  }

  @Override
  public void close() throws VerbsException {
    device.lockedThrowing(this::closeOnce);
  }

  private void closeOnce() throws VerbsException {
    if (!isClosed) {
      SoftDevice.refuseWhileUsed("completion channel", users, "completion queues");
      isClosed = true;
      detachLocked();
      wakeWaiter();
      device.childClosed();
    }
  }
}
