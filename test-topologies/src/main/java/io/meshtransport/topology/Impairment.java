// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.time.Duration;

/**
 * What is wrong with a cable, in each of its directions.
 *
 * @param lossPercent how many of a hundred frames are lost, each by itself
 * @param delay of each frame, besides what the host takes
 * @param kilobitsPerSecond what passes at most; 0 is no limit. Up to 256 KiB wait for their turn,
 *     the rest is lost.
 */
public record Impairment(double lossPercent, Duration delay, int kilobitsPerSecond) {
  /** A cable that is well. */
  public static final Impairment NONE = new Impairment(0, Duration.ZERO, 0);

  public Impairment {
    if (!(lossPercent >= 0 && lossPercent <= 100)) {
      throw new IllegalArgumentException("a loss of " + lossPercent + " % is outside 0..100");
    }
    if (delay.isNegative() || kilobitsPerSecond < 0) {
      throw new IllegalArgumentException(
          "a delay of " + delay + " and " + kilobitsPerSecond + " kb/s must not be negative");
    }
  }

  /** A cable that loses frames and is well otherwise. */
  public static Impairment losing(double percent) {
    return new Impairment(percent, Duration.ZERO, 0);
  }
}
