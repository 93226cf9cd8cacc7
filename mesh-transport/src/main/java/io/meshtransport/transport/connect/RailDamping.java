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

  /** The first try after a change of this host may be too early for the other end. */
  static final int TRIES_AFTER_A_CHANGE = 4;

  /** Changes that follow sooner are one that goes on: a cable that comes and goes. */
  static final long CHANGE_NS = TimeUnit.SECONDS.toNanos(4);

  private long pauseNs = FIRST_PAUSE_NS;
  private int quickTries;
  private boolean isChanged;
  private long changedNs;
  private boolean hasStood;
  private long stoodSinceNs;

  /** A rail has joined. */
  void joined(long nowNs) {
    hasStood = true;
    stoodSinceNs = nowNs;
  }

  /** The NICs of this host have changed: a cable may be there again. */
  void hostChanged(long nowNs) {
    if (!isChanged || nowNs - changedNs >= CHANGE_NS) {
      isChanged = true;
      changedNs = nowNs;
      quickTries = TRIES_AFTER_A_CHANGE;
    }
  }

  /** A rail is lost, or could not be made: how long to wait before the next try. */
  long nextPauseNs(long nowNs) {
    if (hasStood && nowNs - stoodSinceNs >= STANDING_NS) {
      pauseNs = FIRST_PAUSE_NS;
    }
    hasStood = false;
    if (quickTries > 0) {
      quickTries--;
      return FIRST_PAUSE_NS;
    }
    long now = pauseNs;
    pauseNs = Math.min(LONGEST_PAUSE_NS, 2 * pauseNs);
    return now;
  }
}
