// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/** The error numbers that verbs return, by errno(3), equal on Linux for x86-64 and aarch64. */
public final class Errno {
  /** The device failed a call for a reason of its own. */
  public static final int EIO = 5;

  /** No such device or object. */
  public static final int ENODEV = 19;

  /** A queue is full: poll completions, then try again. */
  public static final int ENOMEM = 12;

  /** Address outside the registered memory. */
  public static final int EFAULT = 14;

  /** The object still has living children. */
  public static final int EBUSY = 16;

  /** A wrong value, or a call in the wrong state. Trying again does not help. */
  public static final int EINVAL = 22;

  /** The kernel has no RDMA core loaded. */
  public static final int ENOSYS = 38;

  /** The provider or the device cannot do this. */
  public static final int EOPNOTSUPP = 95;

  /** The requested row is empty. */
  public static final int ENODATA = 61;

  /** Another has the address or port. */
  public static final int EADDRINUSE = 98;

  /** There is no connection to the peer, and there will be none. */
  public static final int ENOTCONN = 107;

  /** The object is closed. */
  public static final int EBADF = 9;

  private Errno() {}
}
