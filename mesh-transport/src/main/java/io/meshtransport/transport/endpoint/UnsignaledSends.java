// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import io.meshtransport.spi.ConnectOptions;

/**
 * Unsignaled sends, which have no completion: that of a later, signaled work request on the same
 * queue covers them (man ibv_post_send, IBV_SEND_SIGNALED; InfiniBand 1.4 section 10.8.5). Confined
 * to the channel's lock; allocates nothing after it is made.
 *
 * <pre>
 *    completed      covered          uncovered
 *  --------+---------------------+--------------+----> unsignaled sends
 *          |  a signaled request | none behind  |
 *          |  follows them       | them yet     |
 * </pre>
 */
public final class UnsignaledSends {
  /** One work request in so many is signaled. */
  private static final int INTERVAL = 16;

  /** Instead of a slot: a work request with which no request ends. */
  public static final int NONE = -1;

  /** Short, since slots are below {@link ConnectOptions#MAX_REQUESTS}, and channels many. */
  private final short[] slots;

  /** For each signaled work request under way: how many unsignaled sends it covers. */
  private final short[] covered;

  private long done;
  private long coveredSends;
  private long posted;
  private long signaledPosted;
  private long signaledDone;

  /**
   * @param sends most of them under way at once, below 2^15
   * @param reports most signaled work requests under way at once
   */
  public UnsignaledSends(int sends, int reports) {
    slots = new short[sends];
    covered = new short[reports];
  }

  /** Whether the next send must be signaled, so that those before it are covered. */
  public boolean isSignalDue() {
    return posted - coveredSends >= INTERVAL - 1;
  }

  /** Whether a send is under way that nothing covers. */
  public boolean isAnyUncovered() {
    return posted > coveredSends;
  }

  /**
   * An unsignaled send is posted.
   *
   * @param slot whose request ends with it, or {@link #NONE}
   */
  public void add(int slot) {
    slots[(int) (posted++ % slots.length)] = (short) slot;
  }

  /** A signaled work request is posted. */
  public void addSignaled() {
    covered[(int) (signaledPosted++ % covered.length)] = (short) (posted - coveredSends);
    coveredSends = posted;
  }

  /** A signaled one completed; {@link #nextCompleted} gives, that often, the sends it covers. */
  public int completed() {
    return covered[(int) (signaledDone++ % covered.length)];
  }

  /** The oldest of them, which is complete. */
  public int nextCompleted() {
    return slots[(int) (done++ % slots.length)];
  }

  /** No request ends with the sends of this slot that are under way. */
  public void forget(int slot) {
    for (long each = done; each < posted; each++) {
      if (slots[(int) (each % slots.length)] == slot) {
        slots[(int) (each % slots.length)] = NONE;
      }
    }
  }

  /** Whether this send is under way and nothing covers it. */
  public boolean isUncovered(int slot) {
    for (long each = coveredSends; each < posted; each++) {
      if (slots[(int) (each % slots.length)] == slot) {
        return true;
      }
    }
    return false;
  }
}
