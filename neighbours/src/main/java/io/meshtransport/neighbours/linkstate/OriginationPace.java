// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import java.util.concurrent.TimeUnit;

/**
 * When a node may say something new of itself: shortly after a change, so that changes of one
 * moment are one record, and the later the more often it changes (RFC 8405 has such a pace for
 * route calculation). Unchanged, every 30 s.
 */
public final class OriginationPace {
  /** Changes of one moment are one record. */
  static final long DELAY_NS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Min pause between two records. */
  static final long MIN_GAP_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Max pause between two records while something changes all the time. */
  static final long MAX_GAP_NS = TimeUnit.SECONDS.toNanos(5);

  /** Pause between two records while nothing changes. */
  static final long REFRESH_NS = TimeUnit.SECONDS.toNanos(30);

  private boolean isChanged;
  private boolean hasOriginated;
  private long dueNs;
  private long lastNs;
  private long gapNs = MIN_GAP_NS;

  /**
   * @param nowNs the first record is due shortly after it
   */
  public OriginationPace(long nowNs) {
    changed(nowNs);
  }

  /** What the node says of itself has changed. */
  public void changed(long nowNs) {
    if (!isChanged) {
      isChanged = true;
      dueNs = nowNs + DELAY_NS;
      if (hasOriginated) {
        dueNs = Math.max(dueNs, lastNs + gapNs);
      }
    }
  }

  /** Whether a record is due. */
  public boolean isDue(long nowNs) {
    return nowNs >= nextDueNs();
  }

  /** A record goes out now. */
  public void originated(long nowNs) {
    boolean isCalm = !hasOriginated || nowNs - lastNs > 2 * gapNs;
    gapNs = isCalm ? MIN_GAP_NS : Math.min(MAX_GAP_NS, 2 * gapNs);
    isChanged = false;
    hasOriginated = true;
    lastNs = nowNs;
  }

  /** When a record is due. */
  public long nextDueNs() {
    return isChanged ? dueNs : lastNs + REFRESH_NS;
  }
}
