// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Native;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.VerbsException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Waits until a file descriptor is readable, the time has passed, or another thread ends the wait:
 * poll(2) on the descriptor and on an eventfd(2) that waking threads write to. {@link
 * Thread#interrupt} does not end a call of poll by itself, but it ends that of a selector, so the
 * wait uses the mechanism of selectors ({@link AbstractSelector#begin}).
 *
 * <p>One thread waits at a time, any thread may wake it.
 */
final class EventWait {
  /** eventfd(2): EFD_CLOEXEC | EFD_NONBLOCK. */
  private static final int EVENTFD_FLAGS = 0x80000 | 0x800;

  /** struct pollfd: fd, events, revents; two of them. POLLIN is 1. */
  private static final int POLLFD_BYTES = 8;

  private static final short READABLE = 1;

  /** poll(2) passes over descriptors below 0. */
  private static final int NOTHING = -1;

  /** After them struct timespec, and eight bytes for reading and writing the eventfd. */
  private static final int TIMESPEC = 2 * POLLFD_BYTES;

  private static final int COUNT_READ = TIMESPEC + 16;
  private static final int COUNT_WRITTEN = COUNT_READ + 8;
  private static final long NS_PER_S = 1_000_000_000L;

  private final int wakeFd;
  private final NativeBlock block = NativeBlock.ofBytes(COUNT_WRITTEN + 8);
  private final AtomicBoolean isWoken = new AtomicBoolean();
  private final InterruptWatch interrupts = new InterruptWatch();

  /**
   * @param subject for error texts
   */
  EventWait(String subject) throws VerbsException {
    wakeFd = Libc.instance().eventfd(0, EVENTFD_FLAGS);
    if (wakeFd < 0) {
      throw NativeFailure.of(Native.getLastError(), "eventfd", subject);
    }
    block.bytes().putInt(0, NOTHING).putShort(4, READABLE);
    block.bytes().putInt(POLLFD_BYTES, wakeFd).putShort(POLLFD_BYTES + 4, READABLE);
    block.bytes().putLong(COUNT_WRITTEN, 1);
  }

  /** What to wait for, from the next wait on; stays the caller's. */
  void watch(int fd) {
    block.bytes().putInt(0, fd);
  }

  /** Whether the wait, or the next one, was woken since the last call. */
  boolean takeWakeUp() {
    return isWoken.compareAndSet(true, false);
  }

  void wakeUp() {
    isWoken.set(true);
    stir();
  }

  /** Ends a wait early. */
  void stir() {
    // Fails only if 2^64 - 2 are unread, and then the waiter wakes anyway.
    Libc.instance().write(wakeFd, block.address() + COUNT_WRITTEN, Long.BYTES);
  }

  /** Waits for at most this time; may return earlier without a reason. */
  void park(long timeoutNs) {
    interrupts.beginWait();
    try {
      block.bytes().putLong(TIMESPEC, timeoutNs / NS_PER_S);
      block.bytes().putLong(TIMESPEC + 8, timeoutNs % NS_PER_S);
      Libc.instance().ppoll(block.address(), 2, block.address() + TIMESPEC, 0);
    } finally {
      interrupts.endWait();
    }
    clear();
  }

  /** The eventfd, which is readable from a wake-up until the next {@link #clear}. */
  int wakeFd() {
    return wakeFd;
  }

  /** The eventfd is readable no more; {@link #takeWakeUp} still answers true. */
  void clear() {
    Libc.instance().read(wakeFd, block.address() + COUNT_READ, Long.BYTES);
  }

  void close() {
    Libc.instance().close(wakeFd);
  }

  /** A selector without channels: only its interrupt mechanism is used. */
  private final class InterruptWatch extends AbstractSelector {
    InterruptWatch() {
      super(SelectorProvider.provider());
    }

    void beginWait() {
      begin();
    }

    void endWait() {
      end();
    }

    /** Called by a thread that interrupts the waiting one between begin and end. */
    @Override
    public Selector wakeup() {
      stir();
      return this;
    }

    @Override
    protected void implCloseSelector() {}

    @Override
    protected SelectionKey register(
        AbstractSelectableChannel channel, int operations, Object attachment) {
      throw new UnsupportedOperationException("this selector has no channels");
    }

    @Override
    public Set<SelectionKey> keys() {
      return Set.of();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
      return Set.of();
    }

    @Override
    public int selectNow() {
      return 0;
    }

    @Override
    public int select(long timeoutMs) {
      return 0;
    }

    @Override
    public int select() {
      return 0;
    }
  }
}
