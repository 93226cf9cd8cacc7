// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

/**
 * How long acknowledgements of one connection wait for something of this end's to leave with: a
 * write of their own costs both ends as much as a message. They leave with the caller's next poll
 * that finds nothing, unless what this end has sent lately has followed them so soon that they
 * could have left with it; then they wait for {@link #RIDE_NS}. As long as they wait in vain the
 * connection needs ever more of such evidence.
 *
 * <p>The kernel does the same for its own acknowledgements of a connection that both ends send on
 * (its ping-pong mode). Guarded by the device's lock; reads no clock.
 */
final class AckDelay {
  /**
   * Longer than a peer of the same host takes to run and to answer, and a tenth of what the peer's
   * caller may notice.
   */
  static final long RIDE_NS = 100_000;

  /** How often something must have followed in a row before acknowledgements wait for it. */
  static final int FIRST_NEEDED = 4;

  static final int MAX_NEEDED = 1024;

  /** Whether acknowledgements are owed that nothing waits with. */
  private boolean isOwed;

  private long owedNs;

  /** Whether the last thing that left was an acknowledgement alone. */
  private boolean hasLeftAlone;

  private long leftNs;

  /** How often in a row something followed soon, at most as often as is needed. */
  private int followed;

  private int needed = FIRST_NEEDED;

  /** An acknowledgement waits, and nothing else does. */
  void owed(long nowNs) {
    if (!isOwed) {
      isOwed = true;
      owedNs = nowNs;
    }
  }

  /** What is owed leaves at once. */
  void hurry() {
    isOwed = false;
    hasLeftAlone = false;
  }

  /** Whether what waits may wait longer, though a caller has polled and found nothing. */
  boolean mayWait(long nowNs) {
    return isOwed && followed >= needed && nowNs - owedNs < RIDE_NS;
  }

  /** This end has something else to send, which leaves or waits from now on. */
  void joined(long nowNs) {
    if (isOwed) {
      isOwed = false;
      followedSoon();
    } else if (hasLeftAlone && nowNs - leftNs < RIDE_NS) {
      followedSoon();
    } else if (hasLeftAlone) {
      followed = 0;
    }
    hasLeftAlone = false;
  }

  private void followedSoon() {
    if (followed < needed) {
      followed++;
    } else if (needed > FIRST_NEEDED) {
      needed--;
      followed = needed;
    }
  }

  /** All that waited has left. */
  void left(long nowNs) {
    if (!isOwed) {
      return;
    }
    isOwed = false;
    hasLeftAlone = true;
    leftNs = nowNs;
    if (followed >= needed) {
      // It waited in vain.
      followed = 0;
      needed = Math.min(2 * needed, MAX_NEEDED);
    }
  }
}
