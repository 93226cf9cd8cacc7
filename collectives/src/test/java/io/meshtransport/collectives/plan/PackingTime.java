// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.Locale;
import java.util.Random;

/**
 * Prints what packing takes for 16 ranks once the JVM is warm; a program, since no test asserts
 * times.
 */
final class PackingTime {
  private static final int RANKS = 16;
  private static final int ROUNDS = 30;
  private static final double NS_OF_MS = 1e6;

  private PackingTime() {}

  public static void main(String[] arguments) {
    for (int round = 0; round < 2; round++) {
      print("full mesh", Graphs.mesh(RANKS));
      print("ring", Graphs.ring(RANKS, 1));
      print("line", Graphs.line(RANKS));
      print("cube", Graphs.cube(4));
      print("grid", Graphs.grid(4, 4));
      Random random = new Random(1);
      for (int i = 0; i < 8; i++) {
        print("random " + i, Graphs.random(random, RANKS));
      }
    }
  }

  private static void print(String name, LinkGraph graph) {
    double worst = 0;
    double sum = 0;
    TreePacking packing = null;
    for (int i = 0; i < 2 * ROUNDS; i++) {
      long beganNs = System.nanoTime();
      packing = SpanningTreePacker.pack(graph);
      double ms = (System.nanoTime() - beganNs) / NS_OF_MS;
      worst = i < ROUNDS ? 0 : Math.max(worst, ms);
      sum += i < ROUNDS ? 0 : ms;
    }
    System.out.printf(
        Locale.ROOT,
        "%-10s %3d links: mean %6.1f ms, worst %6.1f ms; %3d trees, depth %d, %.4f of the bound%n",
        name,
        graph.links().size(),
        sum / ROUNDS,
        worst,
        packing.trees().size(),
        packing.depth(),
        packing.bytesPerSecond() / packing.bound());
  }
}
