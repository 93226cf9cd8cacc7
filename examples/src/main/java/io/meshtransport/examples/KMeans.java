// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.examples;

import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** K-means over three nodes with points of their own, which agree on the centres to the bit. */
public final class KMeans {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int CENTRES = 3;
  private static final int POINTS = 10_000;

  private KMeans() {}

  /** No arguments: three nodes of this process, a "cable" between each two. */
  public static void main(String[] args) throws Exception {
    Rendezvous meeting = Rendezvous.inProcess(); // On real machines: Group.join(mesh, spec, SOON).
    ExecutorService threads = Executors.newFixedThreadPool(3);
    List<Future<double[]>> nodes = new ArrayList<>();
    nodes.add(threads.submit(() -> node("a", "127.78.11.1/24,127.78.13.2/24", meeting)));
    nodes.add(threads.submit(() -> node("b", "127.78.11.2/24,127.78.12.1/24", meeting)));
    nodes.add(threads.submit(() -> node("c", "127.78.12.2/24,127.78.13.1/24", meeting)));
    threads.shutdown();
    double[] centres = nodes.get(0).get();
    System.out.printf(Locale.ROOT, "centres: %.1f %.1f %.1f%n", centres[0], centres[1], centres[2]);
    for (Future<double[]> each : nodes) {
      System.out.println("the same bits: " + Arrays.equals(each.get(), centres));
    }
  }

  private static double[] node(String name, String cables, Rendezvous meeting) throws Exception {
    Map<String, String> settings = Map.of("MESH_NODE", name, "MESH_LOOPBACK", cables);
    try (Transport transport = Transport.open(settings);
        Group group = Group.join(transport, GroupSpec.named("k").size(3), meeting, SOON)) {
      Random random = new Random(group.rank());
      double[] points = random.doubles(POINTS).map(x -> 10 * random.nextInt(CENTRES) + x).toArray();
      double[] centres = group.rank() == 0 ? new double[] {1, 8, 30} : new double[CENTRES];
      group.broadcast(centres, 0);
      for (int round = 0; round < 20; round++) {
        double[] sums = new double[2 * CENTRES]; // Of the points of each centre, and their number.
        for (double point : points) {
          int nearest = 0;
          for (int i = 1; i < CENTRES; i++) {
            nearest =
                Math.abs(point - centres[i]) < Math.abs(point - centres[nearest]) ? i : nearest;
          }
          sums[nearest] += point;
          sums[CENTRES + nearest]++;
        }
        group.allReduce(sums, ReduceOp.SUM);
        Arrays.setAll(centres, i -> sums[i] / Math.max(1, sums[CENTRES + i]));
      }
      return centres;
    }
  }
}
