// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;

/** Graphs of tests; a rate of 1 is {@link #RATE}. */
final class Graphs {
  /** Bytes per second. */
  static final long RATE = 1_000_000;

  private static final long LATENCY_NS = 5_000;

  private final int ranks;
  private final List<GraphLink> links = new ArrayList<>();

  private Graphs(int ranks) {
    this.ranks = ranks;
  }

  private static Graphs with(int ranks) {
    return new Graphs(ranks);
  }

  private Graphs link(int one, int other, double rate) {
    links.add(new GraphLink(one, other, Math.round(rate * RATE), LATENCY_NS));
    return this;
  }

  private LinkGraph graph() {
    return new LinkGraph(names(ranks), links);
  }

  static List<String> names(int ranks) {
    return IntStream.range(0, ranks).mapToObj(each -> "n" + each).toList();
  }

  static LinkGraph line(int ranks) {
    Graphs graph = with(ranks);
    for (int rank = 1; rank < ranks; rank++) {
      graph.link(rank - 1, rank, 1);
    }
    return graph.graph();
  }

  /** The last cable, from the last rank to the first, has a rate of its own. */
  static LinkGraph ring(int ranks, double last) {
    Graphs graph = with(ranks);
    for (int rank = 1; rank < ranks; rank++) {
      graph.link(rank - 1, rank, 1);
    }
    return graph.link(ranks - 1, 0, last).graph();
  }

  static LinkGraph mesh(int ranks) {
    return mesh(ranks, () -> 1);
  }

  /** With a rate of each cable, in the order of ranks. */
  static LinkGraph mesh(int ranks, DoubleSupplier rates) {
    Graphs graph = with(ranks);
    for (int one = 0; one < ranks; one++) {
      for (int other = one + 1; other < ranks; other++) {
        graph.link(one, other, rates.getAsDouble());
      }
    }
    return graph.graph();
  }

  static LinkGraph star(int ranks) {
    Graphs graph = with(ranks);
    for (int rank = 1; rank < ranks; rank++) {
      graph.link(0, rank, 1);
    }
    return graph.graph();
  }

  static LinkGraph ringWithDiagonal() {
    return with(4).link(0, 1, 1).link(1, 2, 1).link(2, 3, 1).link(3, 0, 1).link(0, 2, 1).graph();
  }

  static LinkGraph doubledTriangleWithTail() {
    return with(4).link(0, 1, 1).link(0, 1, 1).link(1, 2, 1).link(2, 0, 1).link(2, 3, 1).graph();
  }

  static LinkGraph cube(int dimensions) {
    Graphs graph = with(1 << dimensions);
    for (int rank = 0; rank < 1 << dimensions; rank++) {
      for (int bit = 0; bit < dimensions; bit++) {
        if ((rank >> bit & 1) == 0) {
          graph.link(rank, rank | 1 << bit, 1);
        }
      }
    }
    return graph.graph();
  }

  static LinkGraph grid(int width, int height) {
    Graphs graph = with(width * height);
    for (int at = 0; at < width * height; at++) {
      if (at % width + 1 < width) {
        graph.link(at, at + 1, 1);
      }
      if (at / width + 1 < height) {
        graph.link(at, at + width, 1);
      }
    }
    return graph.graph();
  }

  /** Connected: a random tree, random cables besides, some parallel, rates from 0.05 to 1. */
  static LinkGraph random(Random random, int ranks) {
    Graphs graph = with(ranks);
    for (int rank = 1; rank < ranks; rank++) {
      graph.link(random.nextInt(rank), rank, rate(random));
    }
    int more = ranks < 2 ? 0 : random.nextInt(ranks * ranks / 2);
    for (int i = 0; i < more; i++) {
      int one = random.nextInt(ranks);
      int other = (one + 1 + random.nextInt(ranks - 1)) % ranks;
      graph.link(one, other, rate(random));
    }
    return graph.graph();
  }

  private static double rate(Random random) {
    double[] usual = {1, 1, 1, 0.5, 0.25, 0.1};
    return random.nextBoolean()
        ? usual[random.nextInt(usual.length)]
        : 0.05 + 0.95 * random.nextDouble();
  }

  /** tau of a graph over its rate of 1, by all partitions of its ranks. */
  static double tau(LinkGraph graph) {
    return graph.size() == 1
        ? Double.POSITIVE_INFINITY
        : least(graph, new int[graph.size()], 0, 0) / RATE;
  }

  private static double least(LinkGraph graph, int[] part, int rank, int parts) {
    if (rank == graph.size()) {
      double between = 0;
      for (GraphLink each : graph.links()) {
        between += part[each.one()] == part[each.other()] ? 0 : each.bytesPerSecond();
      }
      return parts < 2 ? Double.POSITIVE_INFINITY : between / (parts - 1);
    }
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i <= parts; i++) {
      part[rank] = i;
      least = Math.min(least, least(graph, part, rank + 1, Math.max(parts, i + 1)));
    }
    return least;
  }
}
