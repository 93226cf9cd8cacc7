// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.util.function.LongSupplier;

/**
 * What chunks of others may take of what one hop sends, while chunks of this node's own flows wait
 * there: a part by bytes, as two weights in weighted fair queueing (Parekh and Gallager 1993). It
 * bounds others alone, and only as long as own chunks do arrive: a neighbour that takes none of
 * them delays nobody for longer than {@link #PATIENCE_NS}, so no class comes to wait for another
 * for ever. Confined to the relay's thread.
 */
final class OthersShare {
  /** How long others wait for own chunks of which none arrives. */
  static final long PATIENCE_NS = 20_000_000;

  private static final int ALL_PERCENT = 100;

  private final int percent;

  /** Bytes of others for each of this node's own. */
  private final double ratio;

  private final int burstBytes;
  private final LongSupplier clock;

  /** By how much others are ahead of their part, in bytes of theirs. */
  private double aheadBytes;

  private long arrivedNs;
  private boolean isAnyDelayed;

  /**
   * @param percent for others, 1 to 100; 100 bounds nothing
   * @param burstBytes what others may be ahead, or have saved up, for one chunk of either
   */
  OthersShare(int percent, int burstBytes, LongSupplier clock) {
    this.percent = percent;
    this.ratio = (double) percent / Math.max(1, ALL_PERCENT - percent);
    this.burstBytes = burstBytes;
    this.clock = clock;
    this.arrivedNs = clock.getAsLong();
  }

  /**
   * Whether a chunk of others may leave now.
   *
   * @param doOwnWait whether own flows have more to send here
   * @param ownUnderWay own chunks that were sent and have not arrived
   */
  boolean mayPass(boolean doOwnWait, int ownUnderWay) {
    if (percent == ALL_PERCENT || !doOwnWait || ownUnderWay == 0) {
      aheadBytes = Math.min(aheadBytes, 0);
      return true;
    }
    return aheadBytes <= 0 || clock.getAsLong() - arrivedNs > PATIENCE_NS;
  }

  /** A chunk of others leaves. */
  void passed(int bytes) {
    aheadBytes = Math.min(burstBytes, aheadBytes + bytes);
  }

  /** An own chunk leaves. */
  void ownSent(int bytes) {
    aheadBytes = Math.max(-burstBytes * Math.max(1, ratio), aheadBytes - bytes * ratio);
  }

  /** An own chunk is at the neighbour. */
  void ownArrived() {
    arrivedNs = clock.getAsLong();
  }

  /** Chunks of others wait because of this, or do no more. */
  void delayed(boolean isAny) {
    isAnyDelayed = isAny;
  }

  boolean isAnyDelayed() {
    return isAnyDelayed;
  }
}
