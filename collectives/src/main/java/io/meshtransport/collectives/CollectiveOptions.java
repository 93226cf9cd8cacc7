// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import java.time.Duration;
import java.util.Objects;

/**
 * What a prepared operation is to be like; the same on every rank. A value: each method answers a
 * changed copy.
 *
 * @param precision of sums of 16-bit floating-point elements
 * @param prepareTimeout how long preparing waits for the other ranks to prepare the same
 */
public record CollectiveOptions(Precision precision, Duration prepareTimeout) {
  /** {@link Precision#EXACT}, and a minute for all ranks to prepare. */
  public static final CollectiveOptions DEFAULT =
      new CollectiveOptions(Precision.EXACT, Duration.ofMinutes(1));

  /** Checks that the time is positive. */
  public CollectiveOptions {
    Objects.requireNonNull(precision, "precision");
    if (prepareTimeout.isNegative() || prepareTimeout.isZero()) {
      throw new IllegalArgumentException(
          "a time of " + prepareTimeout + " for preparing; it must be positive");
    }
  }

  /** The same with another precision. */
  public CollectiveOptions precision(Precision newPrecision) {
    return new CollectiveOptions(newPrecision, prepareTimeout);
  }

  /** The same with another time for preparing. */
  public CollectiveOptions prepareTimeout(Duration newTimeout) {
    return new CollectiveOptions(precision, newTimeout);
  }
}
