// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Pointer;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.lang.ref.Reference;

/** A completion queue of libibverbs (struct ibv_cq). */
final class NativeCompletionQueue extends DeviceObject implements CompletionQueue {
  private static final long NO_CHANNEL = 0;
  private static final int FIRST_VECTOR = 0;

  private final int asked;
  private volatile int depth;
  private final long channel;

  private NativeCompletionQueue(
      long pointer, int asked, long channel, NativeDevice device, NativeObject... parents) {
    super(pointer, "completion queue", device, parents);
    this.asked = asked;
    this.depth = new Pointer(pointer).getInt(Layout.Cq.CQE);
    this.channel = channel;
  }

  /** Inside the device's gate. */
  static NativeCompletionQueue create(NativeDevice device, int depth) throws VerbsException {
    long pointer = create(device, depth, NO_CHANNEL, FIRST_VECTOR);
    return checked(new NativeCompletionQueue(pointer, depth, NO_CHANNEL, device, device));
  }

  /** Inside the gates of both. */
  static NativeCompletionQueue create(
      NativeDevice device, int depth, NativeCompletionChannel channel, int vector)
      throws VerbsException {
    long pointer = create(device, depth, channel.pointer(), vector);
    return checked(
        new NativeCompletionQueue(pointer, depth, channel.pointer(), device, device, channel));
  }

  private static long create(NativeDevice device, int depth, long channel, int vector)
      throws VerbsException {
    refuseNothing(depth);
    return NativeFailure.checkPointer(
        device.exported().ibv_create_cq(device.pointer(), depth, 0, channel, vector),
        "ibv_create_cq",
        "a completion queue of depth " + depth + " on " + device.description());
  }

  private static void refuseNothing(int depth) throws VerbsException {
    if (depth < 1) {
      throw new VerbsException(
          Errno.EINVAL,
          "a completion queue of depth " + depth + " is too small: request 1 or more");
    }
  }

  @Override
  void checkLayout(LayoutCheck layout) throws VerbsException {
    layout.pointer("ibv_cq.context", pointer(), Layout.Cq.CONTEXT, device().pointer());
    layout.pointer("ibv_cq.channel", pointer(), Layout.Cq.CHANNEL, channel);
    layout.require(depth >= asked, "ibv_cq.cqe is " + depth + " where " + asked + " was asked");
  }

  @Override
  public int depth() {
    return depth;
  }

  @Override
  public void resize(int newDepth) throws VerbsException {
    refuseNothing(newDepth);
    run(
        () -> {
          int errno = exported().ibv_resize_cq(pointer(), newDepth);
          NativeFailure.check(errno, "ibv_resize_cq to " + newDepth, description());
          depth = new Pointer(pointer()).getInt(Layout.Cq.CQE);
        },
        this);
  }

  @Override
  public WorkCompletions newCompletions(int capacity) {
    return new NativeCompletions(capacity);
  }

  @Override
  public int poll(WorkCompletions batch) {
    if (!(batch instanceof NativeCompletions)) {
      return -Errno.EINVAL;
    }
    if (!enter()) {
      return -Errno.EBADF;
    }
    try {
      NativeCompletions entries = (NativeCompletions) batch;
      int count = inline().poll_cq(pointer(), entries.capacity(), entries.address());
      Reference.reachabilityFence(entries);
      return count >= 0 ? count : -Errno.EIO;
    } finally {
      leave();
    }
  }

  @Override
  public int requestNotify(boolean solicitedOnly) {
    if (!enter()) {
      return Errno.EBADF;
    }
    try {
      return channel == NO_CHANNEL
          ? Errno.EINVAL
          : inline().req_notify_cq(pointer(), solicitedOnly ? 1 : 0);
    } finally {
      leave();
    }
  }

  @Override
  int destroy() {
    return exported().ibv_destroy_cq(pointer());
  }

  @Override
  String destroyCall() {
    return "ibv_destroy_cq";
  }
}
