// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

/** How the elements of all ranks become one. */
public enum ReduceOp implements Reduction {
  /** The sum. */
  SUM,
  /** The sum, divided by the number of ranks; for integers the quotient is rounded towards zero. */
  AVG,
  /** The least, as {@code Math.min}: NaN if any is NaN, and -0.0 is below 0.0. */
  MIN,
  /** The greatest, as {@code Math.max}: NaN if any is NaN, and 0.0 is above -0.0. */
  MAX,
  /** The product. */
  PROD,
  /** Bitwise and; of integers only. */
  AND,
  /** Bitwise or; of integers only. */
  OR,
  /** Bitwise exclusive or; of integers only. */
  XOR
}
