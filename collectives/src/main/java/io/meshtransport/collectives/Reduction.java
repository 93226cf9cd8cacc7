// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

/** How the elements of all ranks become one: a {@link ReduceOp}, or a program's own. */
public sealed interface Reduction permits ReduceOp, Reducer {
  /** What texts call it, and what the ranks of a group compare; the same on every rank. */
  String name();
}
