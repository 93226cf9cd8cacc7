// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import io.meshtransport.collectives.GroupSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;

/**
 * The ranks of a group and the cables between them: what a plan is made for. Connected. A value;
 * the order in which links are given does not count.
 *
 * @param names by rank, distinct and not empty
 * @param links in ascending order; several may join the same two ranks
 * @param limits by rank: bytes per second that it sends over all its links together, and as many
 *     that it receives; 0 if only its links limit it
 */
public record LinkGraph(List<String> names, List<GraphLink> links, List<Long> limits) {
  /** As many as a group has members. */
  public static final int MAX_RANKS = GroupSpec.MAX_SIZE;

  /** In UTF-8. */
  public static final int MAX_NAME_BYTES = 255;

  /** Parallel links are a handful. */
  public static final int MAX_LINKS = 4096;

  /**
   * Checks that it is a connected graph.
   *
   * @throws IllegalArgumentException if not, with the parts that no link joins
   */
  public LinkGraph {
    names = List.copyOf(names);
    List<GraphLink> sorted = new ArrayList<>(links);
    Collections.sort(sorted);
    links = List.copyOf(sorted);
    limits = List.copyOf(limits);
    checkRanks(names, limits);
    checkLinks(names, links);
    requireOnePart(names, links);
  }

  /** Without limits of the ranks themselves. */
  public LinkGraph(List<String> names, List<GraphLink> links) {
    this(names, links, Collections.nCopies(names.size(), 0L));
  }

  private static void checkRanks(List<String> names, List<Long> limits) {
    if (names.isEmpty() || names.size() > MAX_RANKS) {
      throw new IllegalArgumentException(
          names.size() + " ranks: a group has 1 to " + MAX_RANKS + " of them");
    }
    if (names.stream().anyMatch(each -> each.isEmpty() || utf8Bytes(each) > MAX_NAME_BYTES)
        || new HashSet<>(names).size() != names.size()) {
      throw new IllegalArgumentException(
          "each rank needs a name of its own, of at most " + MAX_NAME_BYTES + " bytes: " + names);
    }
    if (limits.size() != names.size()) {
      throw new IllegalArgumentException(
          limits.size() + " limits for " + names.size() + " ranks: give one for each, or 0");
    }
    for (int rank = 0; rank < limits.size(); rank++) {
      if (limits.get(rank) < 0 || limits.get(rank) > GraphLink.MAX_BYTES_PER_SECOND) {
        throw new IllegalArgumentException(
            "rank %d, %s: a limit of %d bytes/s is not within 0 to %d"
                .formatted(
                    rank, names.get(rank), limits.get(rank), GraphLink.MAX_BYTES_PER_SECOND));
      }
    }
  }

  private static int utf8Bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8).length;
  }

  private static void checkLinks(List<String> names, List<GraphLink> links) {
    if (links.size() > MAX_LINKS) {
      throw new IllegalArgumentException(links.size() + " links: a graph has at most " + MAX_LINKS);
    }
    for (GraphLink each : links) {
      if (each.other() >= names.size()) {
        throw new IllegalArgumentException(
            "link %d-%d: there are only ranks 0 to %d"
                .formatted(each.one(), each.other(), names.size() - 1));
      }
    }
  }

  private static void requireOnePart(List<String> names, List<GraphLink> links) {
    int[] part = new int[names.size()];
    Arrays.setAll(part, rank -> rank);
    for (GraphLink each : links) {
      int from = part[each.other()];
      int to = part[each.one()];
      for (int rank = 0; rank < part.length; rank++) {
        part[rank] = part[rank] == from ? to : part[rank];
      }
    }
    List<List<String>> parts = new ArrayList<>();
    for (int first = 0; first < part.length; first++) {
      List<String> members = new ArrayList<>();
      for (int rank = 0; rank < part.length; rank++) {
        if (part[rank] == part[first]) {
          members.add(names.get(rank));
        }
      }
      if (members.get(0).equals(names.get(first))) {
        parts.add(members);
      }
    }
    if (parts.size() > 1) {
      throw new IllegalArgumentException(
          "no link joins these parts of the group: "
              + String.join(", ", parts.stream().map(each -> String.join(" ", each)).toList())
              + ". Cable them, or make the group of one part");
    }
  }

  /** Number of ranks. */
  public int size() {
    return names.size();
  }

  /** Bytes per second in each direction between two ranks, over all their links; 0 if none. */
  public long bytesPerSecond(int one, int other) {
    return links.stream()
        .filter(each -> joins(each, one, other))
        .mapToLong(GraphLink::bytesPerSecond)
        .sum();
  }

  /** The same with one link of two ranks, the slowest: for what goes over one whatever there is. */
  LinkGraph withoutParallels() {
    List<GraphLink> slowest = new ArrayList<>();
    for (GraphLink each : links) {
      GraphLink last = slowest.isEmpty() ? null : slowest.get(slowest.size() - 1);
      // In ascending order, so that the slowest of two ranks comes first.
      if (last == null || !joins(each, last.one(), last.other())) {
        slowest.add(each);
      }
    }
    return slowest.size() == links.size() ? this : new LinkGraph(names, slowest, limits);
  }

  /** The longest latency of the links between two ranks in ns; 0 if none. */
  public long latencyNs(int one, int other) {
    return links.stream()
        .filter(each -> joins(each, one, other))
        .mapToLong(GraphLink::latencyNs)
        .max()
        .orElse(0);
  }

  /** Whether a link joins two ranks. */
  public boolean hasLink(int one, int other) {
    return links.stream().anyMatch(each -> joins(each, one, other));
  }

  /** Whether each rank has a link to each other. */
  public boolean isFullMesh() {
    long pairs =
        links.stream().map(each -> each.one() * MAX_RANKS + each.other()).distinct().count();
    return pairs == size() * (size() - 1L) / 2;
  }

  /** The longest latency of a link, in ns; 0 if there is none. */
  public long maxLatencyNs() {
    return links.stream().mapToLong(GraphLink::latencyNs).max().orElse(0);
  }

  private static boolean joins(GraphLink link, int one, int other) {
    return link.one() == Math.min(one, other) && link.other() == Math.max(one, other);
  }
}
