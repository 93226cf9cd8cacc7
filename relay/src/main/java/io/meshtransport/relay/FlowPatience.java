// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

/**
 * How long a flow waits: for a sign of its other end, for a path, and until it sends again. Times
 * are of the node's clock. Confined to the relay's thread, except what is said otherwise.
 */
final class FlowPatience {
  /** How long a flow waits for a path, or for a sign of life of its other end. */
  static final long LIMIT_NS = 10_000_000_000L;

  /** First and longest time without progress until bytes are sent again. */
  static final long FIRST_RESEND_NS = 200_000_000;

  static final long LAST_RESEND_NS = 2_000_000_000;

  /**
   * A path is in doubt so long after the first wait for an answer that brought none: as long as the
   * second one takes where bytes are sent again.
   */
  private static final long DOUBT_NS = 2 * FIRST_RESEND_NS;

  private volatile long heardNs;
  private boolean isWaiting;
  private long waitingSinceNs;
  private long progressNs;
  private long resendNs = FIRST_RESEND_NS;

  /** Whether a wait has brought no answer since the other end was heard, or the path changed. */
  private boolean isFruitless;

  /** When the first of those waits ended. */
  private long fruitlessSinceNs;

  /** Whether all paths have been tried since then. */
  private boolean areAllTried;

  FlowPatience(long nowNs) {
    heardNs = nowNs;
    waitingSinceNs = nowNs;
    progressNs = nowNs;
  }

  /** The other end has shown life. */
  void heard(long nowNs) {
    heardNs = nowNs;
    isFruitless = false;
    areAllTried = false;
  }

  /** Since the other end has shown life. Any thread. */
  long silentNs(long nowNs) {
    return nowNs - heardNs;
  }

  /** Whether this end needs to hear of the other. */
  boolean isWaiting() {
    return isWaiting;
  }

  /** It needs to, or not. */
  void waiting(boolean isNow, long nowNs) {
    if (isNow && !isWaiting) {
      waitingSinceNs = nowNs;
      progressNs = nowNs;
      isFruitless = false;
    }
    isWaiting = isNow;
  }

  /** No path leads to the other end any more. */
  void pathLost(long nowNs) {
    waitingSinceNs = nowNs;
  }

  /** The other end has more, or a new path leads there. */
  void progress(long nowNs) {
    progressNs = nowNs;
    resendNs = FIRST_RESEND_NS;
    isFruitless = false;
    areAllTried = false;
  }

  /** Bytes are sent again; the next time it takes longer. */
  void resent(long nowNs) {
    stalled(nowNs);
    resendNs = Math.min(2 * resendNs, LAST_RESEND_NS);
  }

  /** Bytes are due to be sent again, and the first hop still has them; it may take them soon. */
  void stalled(long nowNs) {
    progressNs = nowNs;
    if (!isFruitless) {
      isFruitless = true;
      fruitlessSinceNs = nowNs;
    }
  }

  boolean isResendDue(long nowNs) {
    return nowNs - progressNs > resendNs;
  }

  /** Whether the other end has shown no life since bytes were sent last that are due again. */
  boolean isSilent(long nowNs) {
    return silentNs(nowNs) > resendNs;
  }

  /** Whether a node between may have stopped: what is sent again and again has no answer. */
  boolean isPathInDoubt() {
    return isFruitless && progressNs - fruitlessSinceNs >= DOUBT_NS;
  }

  /** The path is another one now; it has as many waits as the one before. */
  void pathChanged() {
    isFruitless = false;
  }

  /**
   * Another path is tried, because this one is in doubt. Each has as long as the first path had;
   * once all have been tried without an answer, each has longer than the one before.
   *
   * @param areAll whether all have been
   */
  void pathTried(boolean areAll) {
    pathChanged();
    areAllTried |= areAll;
    resendNs = areAllTried ? Math.min(2 * resendNs, LAST_RESEND_NS) : FIRST_RESEND_NS;
  }

  /** Where there is no path: whether that is so for too long. */
  boolean isPathless(long nowNs) {
    return nowNs - waitingSinceNs > LIMIT_NS;
  }

  /** Where this end waits for the other: whether it does for too long. */
  boolean isUnheard(long nowNs) {
    return Math.min(silentNs(nowNs), nowNs - waitingSinceNs) > LIMIT_NS;
  }
}
