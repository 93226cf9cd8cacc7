// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

/** As what partial results of elements of 16 bits travel between ranks. */
public enum Precision {
  /**
   * As {@link DataType#F32}: rounded once, where the fold ends. Twice the bytes on the way there.
   */
  EXACT,
  /** As the elements' own type: half the bytes, and rounded to nearest even at each fold. */
  FAST
}
