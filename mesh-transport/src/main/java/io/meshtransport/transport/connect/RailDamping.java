// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import java.util.concurrent.TimeUnit;

/**
 * How long a channel waits before it makes a lost rail anew: the pauses grow, so that a cable that
 * comes and goes costs little, and begin anew once a rail has stood for a while. Confined to the
 * set-up thread.
 */
final class RailDamping {
  static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(500);
  static final long LONGEST_PAUSE_NS = TimeUnit.SECONDS.toNanos(30);

  /** A rail that stood for so long was sound. */
  static final long STANDING_NS = LONGEST_PAUSE_NS;

  private long pauseNs = FIRST_PAUSE_NS;
  private boolean hasStood;
  private long stoodSinceNs;

  /** A rail has joined. */
  void joined(long nowNs) {
    hasStood = true;
    stoodSinceNs = nowNs;
  }

  /** A rail is lost, or could not be made: how long to wait before the next try. */
  long nextPauseNs(long nowNs) {
    if (hasStood && nowNs - stoodSinceNs >= STANDING_NS) {
      pauseNs = FIRST_PAUSE_NS;
    }
    hasStood = false;
    long now = pauseNs;
    pauseNs = Math.min(LONGEST_PAUSE_NS, 2 * pauseNs);
    return now;
  }
}
