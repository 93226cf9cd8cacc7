// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

/** In which order the elements of ranks are reduced, which decides how floats are rounded. */
public enum ReductionOrder {
  /**
   * As the plan has it: the same bits on every rank, and in every run with the same plan. Another
   * graph of cables, or rates that lead to another plan, may give other bits.
   */
  SAME_PLAN,
  /**
   * From rank 0 to the last: the bits of a loop {@code sum = x[0]; sum += x[1]; ...}, whatever the
   * cables are. Which of two NaNs' payloads results is not specified. Costs nothing where the plan
   * has stars (full meshes, lines of three) or one shot; elsewhere elements travel as they are to
   * the rank that reduces them, which takes longer: on a ring of four 1.17 times, on a line of four
   * 1.75 times.
   */
  RANK_ORDER
}
