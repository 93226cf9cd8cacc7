// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.Transport;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * Joins a group of as many nodes as its argument says, and does what the lines of its input say:
 * {@code all}, {@code loop}.
 */
final class CollectiveProgram {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private CollectiveProgram() {}

  public static void main(String[] arguments) throws Exception {
    GroupSpec spec = GroupSpec.named("test").size(Integer.parseInt(arguments[0]));
    try (Transport transport = Transport.open();
        Mesh mesh = Mesh.join(transport);
        Group group = Group.join(mesh, spec, LIMIT)) {
      System.out.println("joined as " + group.rank() + " of " + group.names());
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        switch (line) {
          case "all" -> all(group);
          case "loop" -> loop(group);
          default -> throw new IllegalArgumentException(line);
        }
      }
    } catch (Exception e) {
      System.out.println("failed: " + e);
      throw e;
    }
    System.out.println("ended");
  }

  private static int value(int rank, int i) {
    return (rank + 1) * 1_000_003 + i * 7;
  }

  private static int[] values(int rank, int from, int count) {
    int[] values = new int[count];
    Arrays.setAll(values, i -> value(rank, from + i));
    return values;
  }

  private static int[] sums(int size, int from, int count) {
    int[] sums = new int[count];
    for (int rank = 0; rank < size; rank++) {
      for (int i = 0; i < count; i++) {
        sums[i] += value(rank, from + i);
      }
    }
    return sums;
  }

  /** Short and long ones of each kind. */
  private static void all(Group group) throws Exception {
    int size = group.size();
    int rank = group.rank();
    for (int n : new int[] {1, 1001, 150_001}) {
      int[] reduced = values(rank, 0, n);
      group.allReduce(reduced, ReduceOp.SUM);
      require(reduced, sums(size, 0, n), "all-reduce");
      int[] toOne = values(rank, 0, n);
      group.reduce(toOne, ReduceOp.SUM, size - 1);
      require(toOne, rank == size - 1 ? sums(size, 0, n) : values(rank, 0, n), "reduce");
      int[] sent = values(rank, 0, n);
      group.broadcast(sent, 1);
      require(sent, values(1, 0, n), "broadcast");
      int[] gathered = new int[size * n];
      Arrays.setAll(gathered, i -> value(i / n, i % n));
      require(group.allGather(values(rank, 0, n)), gathered, "all-gather");
      require(
          group.reduceScatter(values(rank, 0, size * n), ReduceOp.SUM),
          sums(size, rank * n, n),
          "reduce-scatter");
      int[] exchanged = new int[size * n];
      Arrays.setAll(exchanged, i -> value(i / n, rank * n + i % n));
      require(group.allToAll(values(rank, 0, size * n)), exchanged, "all-to-all");
      ByteBuffer buffer = ByteBuffer.allocate(4 * n).order(ByteOrder.nativeOrder());
      buffer.asIntBuffer().put(values(rank, 0, n));
      group.sendReceive(buffer, 0, size - 1);
      int[] received = new int[n];
      buffer.asIntBuffer().get(received);
      require(received, values(rank == size - 1 ? 0 : rank, 0, n), "send-receive");
      group.barrier();
    }
    System.out.println("all right");
  }

  private static void require(int[] actual, int[] expected, String what) {
    if (!Arrays.equals(actual, expected)) {
      int at = Arrays.mismatch(actual, expected);
      throw new IllegalStateException(
          what + " of " + expected.length + ": element " + at + " is " + actual[at]);
    }
  }

  /** Until a rank is lost; then once more without it. */
  private static void loop(Group group) throws Exception {
    System.out.println("loops");
    CollectiveException lost = null;
    while (lost == null) {
      try {
        group.allReduce(new float[100_000], ReduceOp.SUM);
      } catch (CollectiveException e) {
        lost = e;
      }
    }
    System.out.println("lost " + lost.reason() + " " + lost.node() + ": " + lost.getMessage());
    try (Group rest = group.without(lost.rank(), LIMIT)) {
      all(rest);
      System.out.println("goes on with " + rest.names() + " in epoch " + rest.epoch());
    }
  }
}
