// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Native;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.VerbsException;
import java.util.Arrays;

/**
 * An epoll(7) descriptor over those of completion channels, level-triggered, and over an eventfd
 * for wake-ups. Its address is the descriptor's number.
 *
 * <p>Lock order: a channel's monitor, then this one's; {@link #next} acquires only one at a time.
 */
final class NativeCompletionEvents extends NativeObject implements CompletionEvents {
  /** epoll_create1(2): EPOLL_CLOEXEC. */
  private static final int CLOSE_ON_EXEC = 0x80000;

  /** epoll_ctl(2): EPOLL_CTL_ADD, EPOLL_CTL_DEL; EPOLLIN. */
  private static final int ADD = 1;

  private static final int DELETE = 2;
  private static final int READABLE = 1;

  /** Events fetched with one call. */
  private static final int BATCH = 64;

  /** The user data of the eventfd; those of channels are their slots. */
  private static final int WAKE_UP = -1;

  private static final int FIRST_SLOTS = 16;
  private static final String SUBJECT = "completion events";

  /** struct epoll_event: u32 events, u64 data; packed on x86-64, and only there. */
  private static final boolean IS_PACKED = !System.getProperty("os.arch").equals("aarch64");

  private static final int EVENT_BYTES = IS_PACKED ? 12 : 16;
  private static final int DATA = IS_PACKED ? 4 : 8;

  private final EventWait wait;
  private final NativeBlock batch = NativeBlock.ofBytes(BATCH * EVENT_BYTES);

  /** Of {@link #control}, guarded by this. */
  private final NativeBlock change = NativeBlock.ofBytes(EVENT_BYTES);

  /** By slot. Guarded by this. */
  private NativeCompletionChannel[] channels = new NativeCompletionChannel[FIRST_SLOTS];

  private Object[] contexts = new Object[FIRST_SLOTS];

  /** Of the batch, confined to the thread that waits. */
  private int count;

  private int position;

  private NativeCompletionEvents(int epoll, EventWait wait) {
    super(epoll, SUBJECT);
    this.wait = wait;
  }

  static NativeCompletionEvents create() throws VerbsException {
    EventWait wait = new EventWait(SUBJECT);
    int epoll = Libc.instance().epoll_create1(CLOSE_ON_EXEC);
    if (epoll < 0) {
      int errno = Native.getLastError();
      wait.close();
      throw NativeFailure.of(errno, "epoll_create1", SUBJECT);
    }
    NativeCompletionEvents made = new NativeCompletionEvents(epoll, wait);
    wait.watch(epoll);
    try {
      made.control(ADD, wait.wakeFd(), WAKE_UP);
      return made;
    } catch (VerbsException e) {
      made.destroy();
      throw e;
    }
  }

  private synchronized void control(int operation, int fd, int slot) throws VerbsException {
    change.bytes().putInt(0, READABLE).putLong(DATA, slot);
    if (Libc.instance().epoll_ctl(epoll(), operation, fd, change.address()) != 0) {
      throw NativeFailure.of(Native.getLastError(), "epoll_ctl", SUBJECT);
    }
  }

  private int epoll() {
    return (int) pointer();
  }

  /** With the channel's monitor, inside the gates of both. Answers the channel's slot. */
  synchronized int add(NativeCompletionChannel channel, Object context) throws VerbsException {
    int slot = 0;
    while (slot < channels.length && channels[slot] != null) {
      slot++;
    }
    if (slot == channels.length) {
      channels = Arrays.copyOf(channels, 2 * slot);
      contexts = Arrays.copyOf(contexts, 2 * slot);
    }
    control(ADD, channel.fd(), slot);
    channels[slot] = channel;
    contexts[slot] = context;
    return slot;
  }

  /** With the channel's monitor. */
  synchronized void remove(int slot, int fd) {
    channels[slot] = null;
    contexts[slot] = null;
    if (enter()) {
      // Its only failure is a descriptor that is not there, which is what is wanted.
      Libc.instance().epoll_ctl(epoll(), DELETE, fd, change.address());
      leave();
    }
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

  /** A device drives itself. */
  @Override
  public boolean awaitUndriven(long timeoutNs) throws VerbsException {
    return await(timeoutNs);
  }

  private boolean awaitInside(long timeoutNs) throws VerbsException {
    long startNs = System.nanoTime();
    while (true) {
      if (isClosed()) {
        throw closedFailure();
      }
      if (hasNext() || fetch()) {
        return true;
      }
      long leftNs = timeoutNs - (System.nanoTime() - startNs);
      if (wait.takeWakeUp() || leftNs <= 0 || Thread.currentThread().isInterrupted()) {
        return false;
      }
      wait.park(leftNs);
    }
  }

  private boolean hasNext() {
    return position < count;
  }

  /** Fetches a batch of the channels that have events; whether there are any. */
  private boolean fetch() throws VerbsException {
    position = 0;
    count = 0;
    int fetched = Libc.instance().epoll_wait(epoll(), batch.address(), BATCH, 0);
    if (fetched < 0) {
      int errno = Native.getLastError();
      if (!FileDescriptors.isNothingThere(errno)) {
        throw NativeFailure.of(errno, "epoll_wait", SUBJECT);
      }
      return false;
    }
    count = fetched;
    for (int i = 0; i < fetched; i++) {
      if (slot(i) == WAKE_UP) {
        wait.clear();
        // No channel's: the last one takes its place in the batch.
        count--;
        batch.bytes().putLong(i * EVENT_BYTES + DATA, slot(count));
        break;
      }
    }
    return count > 0;
  }

  private int slot(int index) {
    return (int) batch.bytes().getLong(index * EVENT_BYTES + DATA);
  }

  @Override
  public Object next() {
    while (hasNext()) {
      int slot = slot(position++);
      NativeCompletionChannel channel;
      Object context;
      synchronized (this) {
        channel = channels[slot];
        context = contexts[slot];
      }
      if (channel != null && channel.takeEvent()) {
        return context;
      }
    }
    return null;
  }

  @Override
  public void wakeUp() {
    if (enter()) {
      wait.wakeUp();
      leave();
    }
  }

  @Override
  public int fd() throws VerbsException {
    if (isClosed()) {
      throw closedFailure();
    }
    return epoll();
  }

  @Override
  public boolean arm() throws VerbsException {
    if (!enter()) {
      throw closedFailure();
    }
    try {
      return !hasNext() && !fetch() && !wait.takeWakeUp();
    } finally {
      leave();
    }
  }

  @Override
  void wakeInsiders() {
    wait.stir();
  }

  @Override
  int destroy() {
    Libc.instance().close(epoll());
    wait.close();
    return 0;
  }

  @Override
  String destroyCall() {
    return "close";
  }
}
