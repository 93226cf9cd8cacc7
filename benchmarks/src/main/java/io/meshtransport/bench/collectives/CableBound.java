// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.topology.Topology;
import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * The best rate that cables allow an all-reduce: of all partitions of the nodes the least rate of
 * the cables between its parts, divided by the number of parts less one (Nash-Williams, Tutte). By
 * trial of all partitions, and so without the planner whose plans it judges; for few nodes.
 * Stateless.
 */
public final class CableBound {
  private static final double BITS_PER_MEGABYTE = 8;

  private CableBound() {}

  /**
   * Millions of bytes per second that each rank reduces, at most.
   *
   * @param topology of at most ten nodes
   * @return empty if a cable has no limit to its rate
   */
  public static OptionalDouble megabytesPerSecond(Topology topology) {
    if (topology.nodes().size() > 10) {
      throw new IllegalArgumentException(topology.nodes().size() + " nodes; at most 10");
    }
    if (topology.cables().stream().anyMatch(each -> each.rateMbps().isEmpty())) {
      return OptionalDouble.empty();
    }
    int[] parts = new int[topology.nodes().size()];
    return OptionalDouble.of(least(topology, parts, 1, 1) / BITS_PER_MEGABYTE);
  }

  /** The least of all partitions that begin like this one: node 0 is in part 0. */
  private static double least(Topology topology, int[] parts, int next, int count) {
    if (next == parts.length) {
      return count == 1 ? Double.POSITIVE_INFINITY : between(topology, parts) / (count - 1);
    }
    double least = Double.POSITIVE_INFINITY;
    for (int part = 0; part <= count; part++) {
      int[] longer = Arrays.copyOf(parts, parts.length);
      longer[next] = part;
      least = Math.min(least, least(topology, longer, next + 1, Math.max(count, part + 1)));
    }
    return least;
  }

  private static double between(Topology topology, int[] parts) {
    return topology.cables().stream()
        .filter(
            cable ->
                part(topology, parts, cable.a().node()) != part(topology, parts, cable.b().node()))
        .mapToInt(cable -> cable.rateMbps().orElseThrow())
        .sum();
  }

  private static int part(Topology topology, int[] parts, String node) {
    return parts[topology.nodes().indexOf(node)];
  }
}
