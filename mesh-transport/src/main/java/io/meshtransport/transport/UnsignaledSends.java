// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Transport;

/**
 * Sends that the device was told not to report: the completion of a later work request, on the same
 * queue, speaks for them (man ibv_post_send, IBV_SEND_SIGNALED; InfiniBand 1.4 section 10.8.5).
 * Confined to the channel's lock; allocates nothing after it is made.
 *
 * <pre>
 *    ended        spoken for         unspoken
 *  --------+---------------------+--------------+----> sends without a report
 *          |  a reported request | none behind  |
 *          |  follows them       | them yet     |
 * </pre>
 */
final class UnsignaledSends {
  /** One work request in so many is reported. */
  private static final int INTERVAL = 16;

  /** Instead of a slot: a work request with whose end no request is over. */
  static final int NONE = -1;

  /** Bytes, since slots and counts are below {@link Transport#MAX_REQUESTS}, and channels many. */
  private final byte[] slots;

  /** For each reported work request under way: how many sends without a report it speaks for. */
  private final byte[] spokenFor;

  private long ended;
  private long spoken;
  private long posted;
  private long reportsPosted;
  private long reportsTaken;

  /**
   * @param sends most of them under way at once, at most {@link Transport#MAX_REQUESTS}
   * @param reports most reported work requests under way at once
   */
  UnsignaledSends(int sends, int reports) {
    slots = new byte[sends];
    spokenFor = new byte[reports];
  }

  /** Whether the next send must be reported, so that those before it become known. */
  boolean isReportDue() {
    return posted - spoken >= INTERVAL - 1;
  }

  /** Whether anything is under way for which nothing will speak. */
  boolean isAnyUncovered() {
    return posted > spoken;
  }

  /**
   * A send goes out without a report.
   *
   * @param slot whose request is over with it, or {@link #NONE}
   */
  void add(int slot) {
    slots[(int) (posted++ % slots.length)] = (byte) slot;
  }

  /** A work request goes out that will be reported. */
  void addSignaled() {
    spokenFor[(int) (reportsPosted++ % spokenFor.length)] = (byte) (posted - spoken);
    spoken = posted;
  }

  /** A report has come; {@link #nextCompleted} gives, that often, the sends that it speaks for. */
  int completed() {
    return spokenFor[(int) (reportsTaken++ % spokenFor.length)];
  }

  /** The oldest of them; it is over. */
  int nextCompleted() {
    return slots[(int) (ended++ % slots.length)];
  }

  /** Whether this send is under way and nothing speaks for it. */
  boolean isUncovered(int slot) {
    for (long each = spoken; each < posted; each++) {
      if (slots[(int) (each % slots.length)] == slot) {
        return true;
      }
    }
    return false;
  }
}
