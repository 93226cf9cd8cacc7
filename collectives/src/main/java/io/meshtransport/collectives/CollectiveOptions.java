// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import java.time.Duration;
import java.util.Objects;

/**
 * What a prepared operation is to be like; the same on every rank. A value: each method answers a
 * changed copy.
 *
 * @param precision of sums of 16-bit floating-point elements
 * @param order of reductions
 * @param prepareTimeout how long preparing waits for the other ranks to prepare the same; more than
 *     0, or it is an IllegalArgumentException
 */
public record CollectiveOptions(
    Precision precision, ReductionOrder order, Duration prepareTimeout) {
  /**
   * {@link Precision#EXACT}, {@link ReductionOrder#SAME_PLAN}, and a minute for all ranks to
   * prepare.
   */
  public static final CollectiveOptions DEFAULT =
      new CollectiveOptions(Precision.EXACT, ReductionOrder.SAME_PLAN, Duration.ofMinutes(1));

  /** Checks that the time is positive. */
  public CollectiveOptions {
    Objects.requireNonNull(precision, "precision");
    Objects.requireNonNull(order, "order");
    if (prepareTimeout.isNegative() || prepareTimeout.isZero()) {
      throw new IllegalArgumentException(
          "CollectiveOptions.prepareTimeout is "
              + prepareTimeout
              + ", not more than 0: preparing waits for all ranks, so give it seconds");
    }
  }

  /** The same with another precision. */
  public CollectiveOptions precision(Precision newPrecision) {
    return new CollectiveOptions(newPrecision, order, prepareTimeout);
  }

  /** The same with another order of reductions. */
  public CollectiveOptions order(ReductionOrder newOrder) {
    return new CollectiveOptions(precision, newOrder, prepareTimeout);
  }

  /** The same with another time for preparing. */
  public CollectiveOptions prepareTimeout(Duration newTimeout) {
    return new CollectiveOptions(precision, order, newTimeout);
  }
}
