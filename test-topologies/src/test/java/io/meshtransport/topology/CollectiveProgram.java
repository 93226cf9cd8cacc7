// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.relay.Relay;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * Joins a group of as many nodes as its argument says, over relays too if the second one is {@code
 * relay}, by the name of the third, and does what the lines of its input say: {@code all}, {@code
 * loop}, {@code describe}, {@code time bytes runs}. With {@code mesh.test.gate} it reads a line
 * between the mesh and the group, so that several join together.
 */
public final class CollectiveProgram {
  /** In guests all takes longer. */
  private static final Duration LIMIT = Duration.ofSeconds(Long.getLong("mesh.test.limit", 20));

  private CollectiveProgram() {}

  public static void main(String[] arguments) throws Exception {
    String name = arguments.length > 2 ? arguments[2] : "test";
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    GroupSpec spec = GroupSpec.named(name).size(Integer.parseInt(arguments[0]));
    try (Transport transport = Transport.open();
        Mesh mesh = Mesh.join(transport);
        Relay relay = arguments.length > 1 ? Relay.start(mesh) : null;
        Group group = join(mesh, spec, in)) {
      System.out.println(
          "joined as " + group.rank() + " of " + group.names() + (relay == null ? "" : ", relays"));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ");
        switch (words[0]) {
          case "all" -> all(group);
          case "loop" -> loop(group, in);
          case "describe" -> System.out.println("described " + group.describe().replace('\n', '|'));
          case "time" -> time(group, Integer.parseInt(words[1]), Integer.parseInt(words[2]));
          default -> throw new IllegalArgumentException(line);
        }
      }
    } catch (Exception e) {
      System.out.println("failed: " + e);
      throw e;
    }
    System.out.println("ended");
  }

  private static Group join(Mesh mesh, GroupSpec spec, BufferedReader in) throws Exception {
    if (Boolean.getBoolean("mesh.test.gate")) {
      System.out.println("in the mesh");
      in.readLine();
    }
    return Group.join(mesh, spec, LIMIT);
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

  /**
   * Until any rank has another line to read, or the group fails; then once more without the rank
   * that was lost, or over the cables that are left.
   */
  private static void loop(Group group, BufferedReader in) throws Exception {
    System.out.println("loops");
    CollectiveException lost = null;
    int loops = 0;
    for (boolean isOver = false; !isOver && lost == null; loops++) {
      float[] values = new float[100_000];
      values[0] = in.ready() ? 1 : 0;
      values[1] = 1;
      try {
        group.allReduce(values, ReduceOp.SUM);
        require(new int[] {(int) values[1]}, new int[] {group.size()}, "loop");
        isOver = values[0] > 0;
      } catch (CollectiveException e) {
        lost = e;
      }
    }
    if (lost == null) {
      System.out.println("looped " + loops);
      return;
    }
    System.out.println("lost " + lost.reason() + " " + lost.node() + ": " + lost.getMessage());
    try (Group rest =
        lost.reason() == CollectiveException.Reason.LINK_LOST
            ? group.rejoin(LIMIT)
            : group.without(lost.rank(), LIMIT)) {
      all(rest);
      System.out.println("goes on with " + rest.names() + " in epoch " + rest.epoch());
    }
  }

  private static void time(Group group, int bytes, int runs) throws Exception {
    RegisteredMemory memory = group.allocate(bytes);
    try (memory;
        Collective sum =
            group.allReduce(
                memory, 0, bytes / 4, DataType.F32, ReduceOp.SUM, CollectiveOptions.DEFAULT)) {
      long[] timesNs = new long[runs];
      for (int i = 0; i < 2 * runs; i++) {
        group.barrier();
        long beginNs = System.nanoTime();
        sum.run(LIMIT);
        timesNs[i % runs] = System.nanoTime() - beginNs;
      }
      Arrays.sort(timesNs);
      System.out.printf(
          "took %d bytes: median %.1f us, least %.1f us; %s%n",
          bytes, timesNs[runs / 2] / 1e3, timesNs[0] / 1e3, sum.plan());
    }
  }
}
