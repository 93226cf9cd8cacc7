// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/** Whether a descriptor is readable now, as an event loop of others sees it: poll(2). */
public final class DescriptorPoll {
  /** struct pollfd: int fd, short events, short revents. */
  private static final int EVENTS = Integer.BYTES;

  private static final int RETURNED_EVENTS = EVENTS + Short.BYTES;
  private static final int BYTES = RETURNED_EVENTS + Short.BYTES;

  /** POLLIN. */
  private static final short READABLE = 1;

  private DescriptorPoll() {}

  /** Never waits. Linux only. */
  public static boolean isReadable(int fd) {
    NativeBlock block = NativeBlock.ofBytes(BYTES);
    block.bytes().putInt(0, fd).putShort(EVENTS, READABLE);
    int ready = Calls.poll(block.address(), 1, 0);
    if (ready < 0) {
      throw new IllegalStateException("poll(2) failed with errno " + Native.getLastError());
    }
    short returned = block.bytes().getShort(RETURNED_EVENTS);
    if (returned != 0 && returned != READABLE) {
      throw new IllegalStateException("descriptor " + fd + ": poll(2) returned " + returned);
    }
    return returned == READABLE;
  }

  /** Bound on first use. */
  private static final class Calls {
    static {
      Native.register(Calls.class, NativeLibrary.getInstance("c"));
    }

    static native int poll(long descriptors, long count, int timeoutMs);
  }
}
