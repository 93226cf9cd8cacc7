// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.List;

/**
 * How a plan carries out one operation of one size.
 *
 * @param algorithm how bytes travel
 * @param trees those used, by root: with {@link PlanAlgorithm#ONE_SHOT} one of each root that has
 *     something to send or to receive; with {@link PlanAlgorithm#TREES} several of a root, which
 *     share its bytes by weight, or those of an all-reduce, which share the elements whatever their
 *     roots are; with {@link PlanAlgorithm#PATHS} none, see {@link CollectivePlan#paths}; with
 *     {@link PlanAlgorithm#RECURSIVE_DOUBLING} none, see {@link CollectivePlan#doubling}
 * @param chunkBytes for pipelining, which recursive doubling has none of, a multiple of 64: the
 *     heaviest tree's share in the best number of chunks
 * @param expectedNs by the model of {@link PlanCosts}, for graphs as measured
 */
public record PlanChoice(
    PlanAlgorithm algorithm, List<SpanningTree> trees, int chunkBytes, long expectedNs) {
  /** Copies the trees. */
  public PlanChoice {
    trees = List.copyOf(trees);
  }
}
