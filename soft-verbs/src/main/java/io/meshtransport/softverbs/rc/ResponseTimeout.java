// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

/**
 * How long a requester waits for a silent peer. It checks the peer several times before the bound
 * has passed; every sign of life of the peer's host begins a new silence. Time in which this
 * program was stalled, so that a check came late, is not the peer's silence: an answer may be here
 * unread. All times are readings of the device's clock. Guarded by the device's lock.
 */
public final class ResponseTimeout {
  /** Checks within the bound: a sign of life that the kernel alone has seen is dated by a check. */
  public static final int CHECKS = 16;

  /**
   * Where the kernel does not report acknowledgements, or the host lives but the connection is
   * silent, a peer is given up after this many times the bound: the most that InfiniBand 1.4
   * section 9.7.6.1.3 allows an adapter to wait.
   */
  public static final int BLIND_FACTOR = 4;

  private final long boundNs;
  private final long intervalNs;
  private long silentSinceNs;
  private long nextCheckNs;

  /**
   * @param boundNs after which silence may count as death
   */
  ResponseTimeout(long boundNs) {
    this.boundNs = boundNs;
    this.intervalNs = Math.max(1, boundNs / CHECKS);
  }

  long boundNs() {
    return boundNs;
  }

  /** How long the peer has been silent, without time in which this program was stalled. */
  long silentNs(long nowNs) {
    return nowNs - silentSinceNs;
  }

  boolean isOver(long nowNs) {
    return silentNs(nowNs) >= boundNs;
  }

  long nextCheckNs() {
    return nextCheckNs;
  }

  /** The peer has shown life, or there is something new to wait for. */
  void restart(long nowNs) {
    silentSinceNs = nowNs;
    nextCheckNs = nowNs + intervalNs;
  }

  /** The peer's host showed life so long ago, if not before the present silence began. */
  void alive(long nowNs, long agoNs) {
    if (agoNs < silentNs(nowNs)) {
      silentSinceNs = nowNs - agoNs;
    }
  }

  /** Whether a check is due; if so, the next is an interval later. */
  boolean isDue(long nowNs) {
    long lateNs = nowNs - nextCheckNs;
    if (lateNs < 0) {
      return false;
    }
    silentSinceNs += lateNs;
    nextCheckNs = nowNs + intervalNs;
    return true;
  }
}
