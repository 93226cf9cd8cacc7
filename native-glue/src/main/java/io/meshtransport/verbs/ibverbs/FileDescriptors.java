// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Native;
import io.meshtransport.verbs.VerbsException;

/** File descriptors that libibverbs opened. */
final class FileDescriptors {
  /** fcntl(2) on Linux: F_GETFD, F_GETFL, F_SETFL and O_NONBLOCK. */
  private static final int GET_DESCRIPTOR_FLAGS = 1;

  private static final int GET_FLAGS = 3;
  private static final int SET_FLAGS = 4;
  private static final int NON_BLOCKING = 0x800;

  /** errno(3): EAGAIN, which is EWOULDBLOCK, and EINTR. */
  private static final int AGAIN = 11;

  private static final int INTERRUPTED = 4;

  private FileDescriptors() {}

  static boolean isOpen(int fd) {
    return fd >= 0 && Libc.instance().fcntl(fd, GET_DESCRIPTOR_FLAGS, 0) >= 0;
  }

  /** From now on, reads with nothing there answer at once. */
  static void setNonBlocking(int fd, String subject) throws VerbsException {
    int flags = Libc.instance().fcntl(fd, GET_FLAGS, 0);
    if (flags < 0 || Libc.instance().fcntl(fd, SET_FLAGS, flags | NON_BLOCKING) < 0) {
      throw NativeFailure.of(
          Native.getLastError(), "fcntl", "file descriptor " + fd + " of " + subject);
    }
  }

  /** Whether a non-blocking read failed for no worse reason than that. */
  static boolean isNothingThere(int errno) {
    return errno == AGAIN || errno == INTERRUPTED;
  }
}
