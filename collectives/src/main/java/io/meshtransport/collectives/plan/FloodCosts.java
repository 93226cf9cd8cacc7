// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * What it takes until all have what each rank has, over a tree of each, without latencies. A rank
 * passes on what is there whole, and a cable carries one after the other in the order in which they
 * come; so behind a slow cable in the midst of a path the way goes on, after what that cable takes
 * for all. What {@code FloodMessage} sends as one waits for the last of it, up to the time of one
 * operand more on equal cables, which is not counted.
 */
final class FloodCosts {
  /** The whole of what an origin has, at a rank. */
  private record Arrival(double atSeconds, int rank, int origin) {
    static final Comparator<Arrival> ORDER =
        Comparator.comparingDouble(Arrival::atSeconds)
            .thenComparingInt(Arrival::origin)
            .thenComparingInt(Arrival::rank);
  }

  private FloodCosts() {}

  /**
   * Seconds for each byte of an origin.
   *
   * @param rows directed, with one cable of each two ranks
   * @param trees by origin, or the only one
   */
  static double secondsPerByte(CapacityRows rows, List<SpanningTree> trees) {
    double[][] rates = rows.linkCapacities();
    double[][] freeAt = new double[rows.ranks()][rows.ranks()];
    SpanningTree[] byRoot = new SpanningTree[rows.ranks()];
    PriorityQueue<Arrival> arrivals = new PriorityQueue<>(Arrival.ORDER);
    for (SpanningTree each : trees) {
      byRoot[each.root()] = each;
      arrivals.add(new Arrival(0, each.root(), each.root()));
    }
    double last = 0;
    while (!arrivals.isEmpty()) {
      Arrival next = arrivals.remove();
      last = next.atSeconds;
      for (int child : byRoot[next.origin].children(next.rank)) {
        double free = Math.max(freeAt[next.rank][child], next.atSeconds);
        freeAt[next.rank][child] = free + 1 / (rates[next.rank][child] * rows.unit());
        arrivals.add(new Arrival(freeAt[next.rank][child], child, next.origin));
      }
    }
    // Ranks have limits of their own, too.
    return Math.max(last, 1 / rows.bytesPerSecondEach(trees.stream().map(List::of).toList()));
  }
}
