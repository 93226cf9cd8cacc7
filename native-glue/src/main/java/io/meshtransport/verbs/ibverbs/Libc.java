// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.NativeLibrary;

/** The functions of the C library for waiting for events. They return -1 and set errno. */
interface Libc {
  /** The one binding of this process, loaded on first use. */
  static Libc instance() {
    return Loaded.INSTANCE;
  }

  /** fcntl(2) on a number. */
  int fcntl(int fd, int command, int argument);

  /** ppoll(2). */
  int ppoll(long fds, long count, long timeout, long signals);

  /** eventfd(2). */
  int eventfd(int count, int flags);

  /** epoll_create1(2). */
  int epoll_create1(int flags);

  /** epoll_ctl(2). */
  int epoll_ctl(int epoll, int operation, int fd, long event);

  /** epoll_wait(2). */
  int epoll_wait(int epoll, long events, int capacity, int timeoutMs);

  long read(int fd, long bytes, long count);

  long write(int fd, long bytes, long count);

  int close(int fd);

  /** if_indextoname(3): 0, or the given address, which must have 16 bytes. */
  long if_indextoname(int index, long name);

  /** Initialized with the binding when it is first used. */
  final class Loaded {
    private static final Libc INSTANCE =
        DirectBinding.bind(Libc.class, Bound.class, NativeLibrary.getInstance("c"));

    private Loaded() {}
  }

  /** Copied and bound by {@link DirectBinding}. */
  final class Bound implements Libc {
    @Override
    public native int fcntl(int fd, int command, int argument);

    @Override
    public native int ppoll(long fds, long count, long timeout, long signals);

    @Override
    public native int eventfd(int count, int flags);

    @Override
    public native int epoll_create1(int flags);

    @Override
    public native int epoll_ctl(int epoll, int operation, int fd, long event);

    @Override
    public native int epoll_wait(int epoll, long events, int capacity, int timeoutMs);

    @Override
    public native long read(int fd, long bytes, long count);

    @Override
    public native long write(int fd, long bytes, long count);

    @Override
    public native int close(int fd);

    @Override
    public native long if_indextoname(int index, long name);
  }
}
