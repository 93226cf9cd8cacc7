// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

/** How sums of {@link DataType#F16} and {@link DataType#BF16} are rounded on their way. */
public enum Accuracy {
  /** Elements are added in F32, partial sums travel as F32, and the result is rounded once. */
  EXACT,
  /** Partial sums travel in the type of the elements, rounded at each rank: half the bytes. */
  FAST
}
