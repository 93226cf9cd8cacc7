// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * An eventfd(2): a descriptor that is readable from {@link #signal} until {@link #clear}, so that
 * an event loop of the kernel's (epoll, poll) notices what happens in this process. Linux only. Any
 * thread.
 */
public final class EventFd implements AutoCloseable {
  /** EFD_CLOEXEC | EFD_NONBLOCK. */
  private static final int FLAGS = 0x80000 | 0x800;

  private static final int READ = 0;
  private static final int WRITTEN = Long.BYTES;

  private final int fd;
  private final NativeBlock block = NativeBlock.ofBytes(2 * Long.BYTES);
  private boolean isClosed;

  private EventFd(int fd) {
    this.fd = fd;
    block.bytes().putLong(WRITTEN, 1);
  }

  /**
   * Opens one that is not readable yet.
   *
   * @throws VerbsException EOPNOTSUPP on other systems than Linux; what eventfd(2) answers if it
   *     fails, EMFILE for example
   */
  public static EventFd open() throws VerbsException {
    if (!System.getProperty("os.name").equals("Linux")) {
      throw new VerbsException(Errno.EOPNOTSUPP, "only Linux has eventfd(2)");
    }
    int fd = Calls.eventfd(0, FLAGS);
    if (fd < 0) {
      int errno = Native.getLastError();
      throw new VerbsException(errno, "eventfd(2) failed with errno " + errno);
    }
    return new EventFd(fd);
  }

  /** It belongs to this object: never read, write or close it. */
  public int fd() {
    return fd;
  }

  /** From now on it is readable. One system call. */
  public synchronized void signal() {
    if (!isClosed) {
      // Fails only if 2^64 - 2 signals are unread, and then it is readable anyway.
      Calls.write(fd, block.address() + WRITTEN, Long.BYTES);
    }
  }

  /** From now on it is not readable. One system call. */
  public synchronized void clear() {
    if (!isClosed) {
      // Fails if it is not readable.
      Calls.read(fd, block.address() + READ, Long.BYTES);
    }
  }

  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      Calls.close(fd);
    }
  }

  /** Bound on first use. */
  private static final class Calls {
    static {
      Native.register(Calls.class, NativeLibrary.getInstance("c"));
    }

    static native int eventfd(int count, int flags);

    static native long read(int fd, long bytes, long count);

    static native long write(int fd, long bytes, long count);

    static native int close(int fd);
  }
}
