// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.time;

import java.math.BigDecimal;
import java.math.MathContext;

/** Durations as people write them. Has no state. */
public final class Durations {
  private static final long NS_PER_S = 1_000_000_000;
  private static final int NS_DIGITS_OF_MS = 6;
  private static final int NS_DIGITS_OF_S = 9;
  private static final MathContext DIGITS = new MathContext(3);

  private Durations() {}

  /** As in {@code 5 s} or {@code 2.5 ms}: three digits of the larger unit that fits. */
  public static String text(long ns) {
    boolean isLong = ns >= NS_PER_S;
    String number =
        BigDecimal.valueOf(Math.max(0, ns), isLong ? NS_DIGITS_OF_S : NS_DIGITS_OF_MS)
            .round(DIGITS)
            .stripTrailingZeros()
            .toPlainString();
    return number + (isLong ? " s" : " ms");
  }
}
