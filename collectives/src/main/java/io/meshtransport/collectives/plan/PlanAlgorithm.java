// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

/** How bytes travel. */
public enum PlanAlgorithm {
  /** Whole, over one breadth-first tree for each rank that has something to say. */
  ONE_SHOT,
  /** As partial results that pairs of ranks exchange, see {@link RecursiveDoubling}. */
  RECURSIVE_DOUBLING,
  /**
   * In chunks, over the least deep of the breadth-first trees: in as few messages as there can be.
   */
  ONE_TREE,
  /** In chunks, over several trees that share the bytes by their weights. */
  TREES,
  /** Over weighted paths from each rank to each other. */
  PATHS
}
