// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

/**
 * How long the relay's own thread polls after a chunk that it has passed on, before it sleeps. One
 * that sleeps for several cables leaves all but one to threads of their devices, so that a chunk
 * wakes several; one that polls has it at once. It learns from how far short chunks are apart:
 * those that come sooner than the longest spin let it spin for twice as long, others for half as
 * long. Long chunks end it: the ends need the processors that it would poll with, and what a
 * wake-up costs is little beside their bytes.
 *
 * <p>Times are of one monotonic clock. Allocates nothing.
 */
final class PassingSpin {
  /** A chunk that comes later after the one before is not waited for. */
  static final long MAX_NS = 200_000;

  /** Shorter spins are not worth their first poll. */
  static final long MIN_NS = MAX_NS / 16;

  /** More than this at once is a stream. */
  static final long SHORT_BYTES = 32 << 10;

  private long passedNs;
  private long limitNs;

  PassingSpin(long nowNs) {
    passedNs = nowNs;
  }

  /**
   * Whether to poll rather than sleep.
   *
   * @param passedBytes that were passed on since the last call
   */
  boolean isOn(long passedBytes, long nowNs) {
    if (passedBytes > SHORT_BYTES) {
      limitNs = 0;
    } else if (passedBytes > 0) {
      learn(nowNs - passedNs <= MAX_NS);
    }
    passedNs = passedBytes > 0 ? nowNs : passedNs;
    return nowNs - passedNs < limitNs;
  }

  private void learn(boolean isSoon) {
    if (isSoon) {
      limitNs = Math.min(MAX_NS, Math.max(2 * limitNs, MIN_NS));
    } else {
      limitNs = limitNs / 2 < MIN_NS ? 0 : limitNs / 2;
    }
  }
}
