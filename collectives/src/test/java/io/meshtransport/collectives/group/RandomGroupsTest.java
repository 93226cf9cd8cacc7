// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.RegisteredMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whole groups on random graphs over a {@link RandomNetwork}: they join and plan, run operations,
 * lose a rank in the midst of them, and go on without it. {@code -Dmesh.test.seed} repeats one
 * graph and its operations, {@code -Dmesh.test.seeds} says how many there are.
 */
@Tag("slow")
class RandomGroupsTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int MAX_ELEMENTS = 9000;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** What happens to one group. */
  private static final class Scenario {
    final long seed;
    final RandomGraph graph;

    /** Operations that the victim completes. */
    final int untilDeath;

    Scenario(long seed) {
      this.seed = seed;
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      graph = new RandomGraph(random, 2 + random.nextInt(5));
      untilDeath = random.nextInt(6);
    }

    @Override
    public String toString() {
      return "seed %d: %s, rank %d dies after %d operations"
          .formatted(seed, graph, graph.victim, untilDeath);
    }
  }

  private interface Step<T> {
    T run(int rank) throws Exception;
  }

  private <T> List<T> together(int size, Step<T> step) throws Exception {
    List<Future<T>> futures = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      int self = rank;
      futures.add(threads.submit((Callable<T>) () -> step.run(self)));
    }
    List<T> results = new ArrayList<>();
    for (Future<T> each : futures) {
      try {
        results.add(each.get(2 * SOON.toSeconds(), TimeUnit.SECONDS));
      } catch (ExecutionException e) {
        throw new AssertionError(e.getCause());
      }
    }
    return results;
  }

  /** One operation, by its number the same on all ranks; what it gives must be right everywhere. */
  private static void run(Group group, Random random) throws CollectiveException {
    int count = random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(MAX_ELEMENTS);
    int root = random.nextInt(group.size());
    int kind = random.nextInt(5);
    int[] values = new int[count];
    Arrays.setAll(values, i -> value(group.rank(), i));
    switch (kind) {
      case 0 -> {
        group.allReduce(values, ReduceOp.SUM);
        assertArrayEquals(sums(group.size(), count), values);
      }
      case 1 -> {
        group.broadcast(values, root);
        int[] expected = new int[count];
        Arrays.setAll(expected, i -> value(root, i));
        assertArrayEquals(expected, values);
      }
      case 2 -> {
        int[] all = group.allGather(values);
        assertEquals(count * group.size(), all.length);
        for (int i = 0; i < all.length; i++) {
          assertEquals(value(i / count, i % count), all[i]);
        }
      }
      case 3 -> {
        group.reduce(values, ReduceOp.SUM, root);
        if (group.rank() == root) {
          assertArrayEquals(sums(group.size(), count), values);
        }
      }
      default -> group.barrier();
    }
  }

  private static int value(int rank, int i) {
    return (rank + 1) * 1_000_003 + i * 7;
  }

  private static int[] sums(int size, int count) {
    int[] sums = new int[count];
    for (int rank = 0; rank < size; rank++) {
      for (int i = 0; i < count; i++) {
        sums[i] += value(rank, i);
      }
    }
    return sums;
  }

  private static void runSome(Group group, long seed, int operations) throws CollectiveException {
    Random random = new Random(seed);
    for (int i = 0; i < operations; i++) {
      run(group, random);
    }
  }

  /** The victim begins one more and is gone; the others run until they notice. */
  private static Void untilRankIsLost(Scenario scenario, RandomNetwork network, Group group)
      throws Exception {
    runSome(group, scenario.seed, scenario.untilDeath);
    RegisteredMemory memory = group.allocate(MAX_ELEMENTS * 4);
    Collective sum =
        group.allReduce(
            memory, 0, MAX_ELEMENTS, DataType.I32, ReduceOp.SUM, CollectiveOptions.DEFAULT);
    if (group.rank() == scenario.graph.victim) {
      sum.start(SOON.toNanos());
      sum.test();
      network.kill(scenario.graph.victim);
      return null;
    }
    CollectiveException lost =
        assertThrows(
            CollectiveException.class,
            () -> {
              while (true) {
                sum.run(SOON);
              }
            },
            scenario::toString);
    assertEquals(Reason.RANK_LOST, lost.reason(), lost::toString);
    assertEquals(scenario.graph.victim, lost.rank(), lost::toString);
    Group rest = group.without(scenario.graph.victim, SOON);
    assertEquals(scenario.graph.size - 1, rest.size());
    runSome(rest, scenario.seed + 1, 4);
    rest.close();
    sum.close();
    memory.close();
    group.close();
    return null;
  }

  private void run(Scenario scenario) throws Exception {
    Rendezvous rendezvous = Rendezvous.inProcess();
    try (RandomNetwork network =
        new RandomNetwork(scenario.graph.size, scenario.graph::areNeighbours, scenario.seed)) {
      together(
          scenario.graph.size,
          rank ->
              untilRankIsLost(
                  scenario,
                  network,
                  Group.join(
                      network.transport(rank),
                      GroupSpec.named("random").size(scenario.graph.size),
                      rendezvous,
                      SOON)));
    }
  }

  @Test
  void shouldGoOnWithoutARankOnAnyGraph() throws Exception {
    long first = Long.getLong("mesh.test.seed", new Random().nextLong());
    int seeds = Integer.getInteger("mesh.test.seeds", 8);
    try {
      for (int i = 0; i < seeds; i++) {
        Scenario scenario = new Scenario(first + i);
        try {
          run(scenario);
        } catch (AssertionError | Exception e) {
          throw new AssertionError(scenario.toString(), e);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
