// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.List;

/**
 * What an all-reduce by pairs takes by the model of {@link PlanCosts}: in each round a latency,
 * what the slowest of the links that are used then takes for all bytes, and a fold. A round has no
 * chunks, as all its links are used at once, and one cable of two ranks.
 */
final class DoublingCosts {
  private static final double NS_OF_S = 1e9;

  private final CollectivePlan plan;
  private final int rounds;

  /** Of all rounds. */
  private final double secondsPerByte;

  DoublingCosts(CollectivePlan plan) {
    this.plan = plan;
    CapacityRows rows = CapacityRows.directed(plan.graph().withoutParallels());
    List<List<Integer>> partners = plan.doubling().partners();
    rounds = partners.size();
    double seconds = 0;
    for (List<Integer> round : partners) {
      double[] loads = new double[rows.count()];
      for (int rank = 0; rank < round.size(); rank++) {
        CapacityRows.addTo(loads, rows.usesOfPath(List.of(rank, round.get(rank))), 1);
      }
      seconds += 1 / (rows.rate(loads) * rows.unit());
    }
    secondsPerByte = seconds;
  }

  double seconds(double bytes) {
    double latency = plan.graph().maxLatencyNs() / NS_OF_S;
    double fold = plan.foldBytesPerSecond() == 0 ? 0 : 1.0 / plan.foldBytesPerSecond();
    return rounds * (latency + bytes * fold) + bytes * secondsPerByte;
  }

  PlanChoice choice(long bytes) {
    return new PlanChoice(
        PlanAlgorithm.RECURSIVE_DOUBLING,
        List.of(),
        PlanCosts.chunkBytes(bytes),
        Math.round(seconds(bytes) * NS_OF_S));
  }

  /**
   * Up to about which size it is as fast as what the plan has otherwise; -1 if never. Not on a full
   * mesh, whose one shot, stars and one tree have the same bits where its links are equal, and
   * partial results would have others. Where ranks share processors only in place of one shot: one
   * tree has fewer bytes and folds.
   */
  long maxBytes() {
    if (!plan.doubling().isPossible() || plan.graph().isFullMesh()) {
      return -1;
    }
    long oneShot = plan.oneShotMaxBytes().get(CollectiveKind.ALL_REDUCE.ordinal());
    long max = RecursiveDoubling.MAX_BYTES;
    return fasterUpTo(plan.isOversubscribed() ? Math.min(oneShot, max) : max);
  }

  private long fasterUpTo(long max) {
    if (max < 1 || !isFaster(1)) {
      return -1;
    }
    long faster = 1;
    long slower = max + 1;
    while (slower - faster > 1) {
      long middle = (faster + slower) / 2;
      if (isFaster(middle)) {
        faster = middle;
      } else {
        slower = middle;
      }
    }
    return faster;
  }

  private boolean isFaster(long bytes) {
    PlanChoice other = plan.choose(CollectiveKind.ALL_REDUCE, 0, bytes);
    if (other.algorithm() == PlanAlgorithm.ONE_TREE) {
      return false;
    }
    boolean isSpread = other.algorithm() == PlanAlgorithm.TREES;
    double messages =
        isSpread && bytes <= PlanCosts.MIN_CHUNK_BYTES ? PlanCosts.MESSAGES_OF_TREES : 1;
    return Math.round(seconds(bytes) * NS_OF_S) <= other.expectedNs() * messages;
  }
}
