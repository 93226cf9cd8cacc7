// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/** Bits of enum ibv_send_flags (man ibv_post_send), and two more. */
public final class SendFlags {
  /** Start only when all earlier RDMA reads and atomics of this queue pair are complete. */
  public static final int FENCE = 1;

  /** Report success in the completion queue. Failures are reported always. */
  public static final int SIGNALED = 1 << 1;

  /** Raise the peer's event even where it armed for solicited completions only. */
  public static final int SOLICITED = 1 << 2;

  /**
   * Copy the payload during the post, so that the buffer is the caller's again at once; up to the
   * queue pair's inline limit.
   */
  public static final int INLINE = 1 << 3;

  /**
   * No thread waits for this one, or the thread that does polls soon: where sending costs a system
   * call, it may leave with what is posted next, or at the next poll that finds nothing, or 0.2 to
   * 1.6 ms later. Not one of ibv_send_flags: adapters, which send without a system call, never see
   * it.
   */
  public static final int DEFERRABLE = 1 << 30;

  /**
   * Must not be coalesced with later short requests, because the caller may not come back to poll.
   * Not one of ibv_send_flags either.
   */
  public static final int NO_DELAY = 1 << 29;

  /** The flags that libibverbs does not know. */
  public static final int HINTS = DEFERRABLE | NO_DELAY;

  private SendFlags() {}
}
