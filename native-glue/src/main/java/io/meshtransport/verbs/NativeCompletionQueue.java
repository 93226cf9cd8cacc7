package io.meshtransport.verbs;

import com.sun.jna.Pointer;
import java.lang.ref.Reference;

/** A completion queue of libibverbs (struct ibv_cq). */
final class NativeCompletionQueue extends DeviceObject implements CompletionQueue {
  private final int depth;
  private final boolean hasChannel;

  private NativeCompletionQueue(long pointer, NativeDevice device, NativeObject... parents) {
    super(pointer, "completion queue", device, parents);
    this.depth = new Pointer(pointer).getInt(Layout.Cq.CQE);
    this.hasChannel = parents.length > 1;
  }

  /** Inside the device's gate. */
  static NativeCompletionQueue create(NativeDevice device, int depth) throws VerbsException {
    return new NativeCompletionQueue(create(device, depth, 0L), device, device);
  }

  /** Inside the gates of both. */
  static NativeCompletionQueue create(
      NativeDevice device, int depth, NativeCompletionChannel channel) throws VerbsException {
    return new NativeCompletionQueue(
        create(device, depth, channel.pointer()), device, device, channel);
  }

  private static long create(NativeDevice device, int depth, long channel) throws VerbsException {
    if (depth < 1) {
      throw new VerbsException(
          Errno.EINVAL,
          "a completion queue of depth " + depth + " holds nothing: ask for 1 or more");
    }
    return NativeFailure.checkPointer(
        device.exported().ibv_create_cq(device.pointer(), depth, 0, channel, 0),
        "ibv_create_cq",
        "a completion queue of depth " + depth + " on " + device.description());
  }

  @Override
  public int depth() {
    return depth;
  }

  @Override
  public Completions newCompletions(int capacity) {
    return new NativeCompletions(capacity);
  }

  @Override
  public int poll(Completions batch) {
    if (!(batch instanceof NativeCompletions)) {
      return -Errno.EINVAL;
    }
    if (!enter()) {
      return -Errno.EBADF;
    }
    try {
      NativeCompletions room = (NativeCompletions) batch;
      int count = inline().poll_cq(pointer(), room.capacity(), room.address());
      Reference.reachabilityFence(room);
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
      return hasChannel ? inline().req_notify_cq(pointer(), solicitedOnly ? 1 : 0) : Errno.EINVAL;
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
