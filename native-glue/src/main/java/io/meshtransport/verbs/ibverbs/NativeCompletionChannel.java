// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.VerbsException;

/** A completion channel of libibverbs (struct ibv_comp_channel), read without blocking. */
final class NativeCompletionChannel extends DeviceObject implements CompletionChannel {
  private static final int USER_DATA = 8;

  private final EventWait wait;

  /** Where ibv_get_cq_event puts the queue and its user data. */
  private final NativeBlock event = NativeBlock.ofBytes(2 * Layout.POINTER_BYTES);

  /** Where its events are reported as well, or null. Guarded by this. */
  private NativeCompletionEvents events;

  private int slot;

  private NativeCompletionChannel(long pointer, NativeDevice device, EventWait wait) {
    super(pointer, "completion channel", device, device);
    this.wait = wait;
  }

  /** Inside the device's gate. */
  static NativeCompletionChannel create(NativeDevice device) throws VerbsException {
    EventWait wait = new EventWait(device.description());
    long pointer = device.exported().ibv_create_comp_channel(device.pointer());
    if (pointer == 0) {
      int errno = Native.getLastError();
      wait.close();
      throw NativeFailure.of(errno, "ibv_create_comp_channel", device.description());
    }
    return checked(new NativeCompletionChannel(pointer, device, wait));
  }

  /** And begins to watch the descriptor, once it is known to be one. */
  @Override
  void checkLayout(LayoutCheck layout) throws VerbsException {
    layout.pointer(
        "ibv_comp_channel.context", pointer(), Layout.CompChannel.CONTEXT, device().pointer());
    layout.descriptor("ibv_comp_channel.fd", fd());
    FileDescriptors.setNonBlocking(fd(), description());
    wait.watch(fd());
  }

  int fd() {
    return new Pointer(pointer()).getInt(Layout.CompChannel.FD);
  }

  @Override
  public boolean await(long timeoutNs) throws VerbsException {
    if (!enter()) {
      throw closedFailure();
    }
    try {
      return awaitInside(timeoutNs);
    } finally {
      leave();
    }
  }

  private boolean awaitInside(long timeoutNs) throws VerbsException {
    long startNs = System.nanoTime();
    while (true) {
      if (isClosed()) {
        throw closedFailure();
      }
      if (takeEvents()) {
        return true;
      }
      long leftNs = timeoutNs - (System.nanoTime() - startNs);
      if (wait.takeWakeUp() || leftNs <= 0 || Thread.currentThread().isInterrupted()) {
        return false;
      }
      wait.park(leftNs);
    }
  }

  /** Acknowledges at once: destroying a queue waits for that. Whether there was any. */
  private synchronized boolean takeEvents() throws VerbsException {
    int count = 0;
    while (exported().ibv_get_cq_event(pointer(), event.address(), event.address() + USER_DATA)
        == 0) {
      exported().ibv_ack_cq_events(event.bytes().getLong(0), 1);
      count++;
    }
    int errno = Native.getLastError();
    if (!FileDescriptors.isNothingThere(errno)) {
      throw NativeFailure.of(errno, "ibv_get_cq_event", description());
    }
    return count > 0;
  }

  /**
   * Acknowledges one event, for {@link NativeCompletionEvents}: if there are more, the descriptor
   * stays readable. Whether the channel is worth a poll; a broken one is.
   */
  boolean takeEvent() {
    if (!enter()) {
      return false;
    }
    try {
      synchronized (this) {
        if (exported().ibv_get_cq_event(pointer(), event.address(), event.address() + USER_DATA)
            != 0) {
          return !FileDescriptors.isNothingThere(Native.getLastError());
        }
        exported().ibv_ack_cq_events(event.bytes().getLong(0), 1);
        return true;
      }
    } finally {
      leave();
    }
  }

  @Override
  public void attach(CompletionEvents newEvents, Object context) throws VerbsException {
    if (!(newEvents instanceof NativeCompletionEvents own)) {
      throw new VerbsException(
          Errno.EINVAL, description() + " cannot be attached to events of another provider");
    }
    run(() -> attachInside(own, context), this, own);
  }

  private synchronized void attachInside(NativeCompletionEvents own, Object context)
      throws VerbsException {
    if (events != null) {
      throw new VerbsException(
          Errno.EBUSY, description() + " is attached already; detach it first");
    }
    slot = own.add(this, context);
    events = own;
  }

  @Override
  public synchronized void detach() {
    if (events != null) {
      events.remove(slot, fd());
      events = null;
    }
  }

  @Override
  public void wakeUp() {
    if (enter()) {
      wait.wakeUp();
      leave();
    }
  }

  @Override
  void wakeInsiders() {
    wait.stir();
  }

  @Override
  int destroy() {
    detach();
    int errno = exported().ibv_destroy_comp_channel(pointer());
    if (errno == 0) {
      wait.close();
    }
    return errno;
  }

  @Override
  String destroyCall() {
    return "ibv_destroy_comp_channel";
  }
}
