// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.plan.EdgeColours;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * In which order one rank measures its links, so that no two that share a rank are measured at the
 * same time: by the colours of its neighbours ({@link EdgeColours}), and of several cables to one
 * neighbour one after the other. All ranks make their turns of the same graph, and each turn begins
 * once both its ends are ready; as every rank takes its turns in the order of colours, the ends of
 * the least colour that is left never wait for another. A value.
 *
 * @param links by their numbers, once each
 * @param passes how many times over, the same on all ranks
 */
record ProbeTurns(List<Integer> links, int passes) {
  /** Of a link: a program that has just begun is slow at first, and hosts are busy. */
  static final int MAX_PASSES = 4;

  /** Once is chance. */
  static final int MIN_PASSES = 2;

  /** Of all passes, as far as that leaves enough of those: half a second of cables of 1 Gb/s. */
  static final int MAX_TURNS = 16;

  ProbeTurns {
    links = List.copyOf(links);
    if (passes < MIN_PASSES || passes > MAX_PASSES) {
      throw new IllegalArgumentException(passes + " passes");
    }
  }

  static ProbeTurns of(JoinedGraph graph, int self) {
    int[][] colours =
        EdgeColours.of(graph.size(), (one, other) -> graph.cables(one, other).length > 0);
    List<Integer> neighbours = new ArrayList<>();
    for (int rank = 0; rank < graph.size(); rank++) {
      if (colours[self][rank] != EdgeColours.NONE) {
        neighbours.add(rank);
      }
    }
    neighbours.sort(Comparator.comparingInt(rank -> colours[self][rank]));
    List<Integer> links = new ArrayList<>();
    for (int rank : neighbours) {
      for (int cable : graph.cables(self, rank)) {
        links.add(rank + cable * graph.size());
      }
    }
    int passes = MAX_TURNS / Math.max(1, turns(graph, colours));
    return new ProbeTurns(links, Math.max(MIN_PASSES, Math.min(MAX_PASSES, passes)));
  }

  /** Of one pass: as many of each colour as there are cables beside each other. */
  private static int turns(JoinedGraph graph, int[][] colours) {
    Map<Integer, Integer> cables = new HashMap<>();
    for (int one = 0; one < graph.size(); one++) {
      for (int other = 0; other < graph.size(); other++) {
        if (colours[one][other] != EdgeColours.NONE) {
          cables.merge(colours[one][other], graph.cables(one, other).length, Math::max);
        }
      }
    }
    return cables.values().stream().mapToInt(Integer::intValue).sum();
  }
}
