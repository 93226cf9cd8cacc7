// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Rights on memory and queue pairs: bits of enum ibv_access_flags (man ibv_reg_mr). Reading locally
 * is always allowed.
 */
public final class Access {
  /**
   * Local writes: receives, RDMA reads and atomics may store here. Required by REMOTE_WRITE and
   * REMOTE_ATOMIC.
   */
  public static final int LOCAL_WRITE = 1;

  /** Peers may RDMA WRITE. */
  public static final int REMOTE_WRITE = 1 << 1;

  /** Peers may RDMA READ. */
  public static final int REMOTE_READ = 1 << 2;

  /** Peers may do atomics. */
  public static final int REMOTE_ATOMIC = 1 << 3;

  /**
   * The device may write in any order, which is faster on some hosts; only the completion promises
   * that the bytes are there. One of the {@link #OPTIONAL} bits.
   */
  public static final int RELAXED_ORDERING = 1 << 20;

  /**
   * Optional bits (IBV_ACCESS_OPTIONAL_RANGE, 20 to 29): a device that does not support one ignores
   * it.
   */
  public static final int OPTIONAL = 0x3FF00000;

  private Access() {}
}
