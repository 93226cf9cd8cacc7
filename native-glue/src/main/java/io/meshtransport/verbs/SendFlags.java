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
   * Nobody waits for this one: where sending costs a system call, it may leave with what is posted
   * next, or when the caller next polls in vain, or 0.2 to 0.4 ms later. None of ibv_send_flags;
   * adapters, which send without one, never see it.
   */
  public static final int UNHURRIED = 1 << 30;

  /**
   * Whoever posts this may not come back to poll: it does not wait for company, where other short
   * ones may. None of ibv_send_flags, like the one before.
   */
  public static final int PROMPT = 1 << 29;

  /** Those that libibverbs does not know. */
  public static final int HINTS = UNHURRIED | PROMPT;

  private SendFlags() {}
}
