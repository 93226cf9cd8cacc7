// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Precision;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.spi.RemoteMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@link Engine}s of all ranks of a group over a {@link FakeNetwork}: {@link TreeOperation}, {@link
 * FloodOperation}, {@link TreeStream}, {@link Fold} on random graphs, with random orders of
 * delivery.
 */
class EngineTest {
  private static final int ROUNDS = 150;
  private static final int RUNS = 4;

  private enum Kind {
    ALL_REDUCE,
    ONE_SHOT,
    ONE_SHOT_GATHER,
    REDUCE,
    BROADCAST,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    SEND_RECEIVE
  }

  private static long seed() {
    return Long.getLong("mesh.test.seed", new Random().nextLong());
  }

  /** One operation on all ranks. */
  private static final class Case {
    final Random random;
    final Kind kind;
    final int size;
    final int count;
    final boolean isInPlace;
    final BreadthFirstRoutes routes;
    final FakeNetwork network;
    final int root;
    final int other;
    final List<FakeMemory> from = new ArrayList<>();
    final List<FakeMemory> to = new ArrayList<>();
    final Arithmetic[] arithmetics;

    Case(Kind kind, long seed) {
      this.kind = kind;
      random = new Random(seed);
      size = List.of(1, 2, 3, 4, 5, 8).get(random.nextInt(6));
      count = random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(200);
      root = random.nextInt(size);
      other = random.nextInt(size);
      isInPlace =
          kind == Kind.BROADCAST
              || kind == Kind.SEND_RECEIVE
              || kind != Kind.ALL_TO_ALL && random.nextBoolean();
      routes = new BreadthFirstRoutes(size, random);
      network = new FakeNetwork(size, 1 + random.nextInt(8), random);
      for (int rank = 0; rank < size; rank++) {
        for (int neighbour : routes.neighbours(rank)) {
          if (neighbour > rank) {
            network.join(rank, neighbour);
          }
        }
      }
      arithmetics = new Arithmetic[size];
      Arrays.setAll(arithmetics, rank -> arithmetic());
      open(blueprint());
    }

    private Arithmetic arithmetic() {
      return Arithmetic.of(DataType.I32, ReduceOp.SUM, Precision.EXACT, size);
    }

    private Blueprint blueprint() {
      List<int[]> shortest = new ArrayList<>();
      for (int rank = 0; rank < size; rank++) {
        shortest.add(routes.shortest(rank));
      }
      int chunk = 1 + random.nextInt(50);
      return switch (kind) {
        case ONE_SHOT ->
            Blueprint.of(new FloodProgram(shortest, count, FloodProgram.Ending.REDUCE), "");
        case ONE_SHOT_GATHER ->
            Blueprint.of(new FloodProgram(shortest, count, FloodProgram.Ending.GATHER), "");
        default -> Blueprint.of(new TreeProgram(streams(), chunk), "");
      };
    }

    private List<StreamPlan> streams() {
      return switch (kind) {
        case ALL_REDUCE -> Schedules.allReduce(routes, count, 4);
        case REDUCE -> Schedules.reduce(routes, root, count, 4);
        case BROADCAST -> Schedules.broadcast(routes, root, count, 4);
        case ALL_GATHER -> Schedules.allGather(routes, count, 4);
        case REDUCE_SCATTER -> Schedules.reduceScatter(routes, count, 4);
        case ALL_TO_ALL -> Schedules.allToAll(routes, count, 4);
        case SEND_RECEIVE -> Schedules.sendReceive(routes, root, other, count);
        default -> throw new IllegalStateException();
      };
    }

    private int sentElements() {
      return kind == Kind.REDUCE_SCATTER || kind == Kind.ALL_TO_ALL ? size * count : count;
    }

    private int receivedElements() {
      boolean isLong =
          kind == Kind.ALL_GATHER || kind == Kind.ONE_SHOT_GATHER || kind == Kind.ALL_TO_ALL;
      return isLong ? size * count : count;
    }

    private void open(Blueprint blueprint) {
      RemoteMemory[] scratch = new RemoteMemory[size];
      RemoteMemory[] results = new RemoteMemory[size];
      long[] resultsAt = new long[size];
      Peers peers = new Peers(scratch, results, resultsAt);
      int longer = Math.max(sentElements(), receivedElements());
      for (int rank = 0; rank < size; rank++) {
        FakeMemory own = new FakeMemory(8 + 4L * longer);
        FakeMemory result = isInPlace ? own : new FakeMemory(8 + 4L * longer);
        FakeMemory slots = new FakeMemory(blueprint.scratchBytes(rank, arithmetics[rank]));
        from.add(own);
        to.add(result);
        scratch[rank] = slots;
        results[rank] = result;
        boolean gathers = kind == Kind.ALL_GATHER || kind == Kind.ONE_SHOT_GATHER;
        long ownBlock = 4L * rank * count;
        long fromAt = 8 + (isInPlace && gathers ? ownBlock : 0);
        long toAt = 8 + (isInPlace && kind == Kind.REDUCE_SCATTER ? ownBlock : 0);
        resultsAt[rank] = toAt;
        Local local =
            new Local(
                new Region(own, fromAt, 4L * sentElements()),
                new Region(result, toAt, 4L * receivedElements()),
                new Region(slots, 0, slots.lengthBytes()));
        fromAts.add((int) fromAt);
        toAts.add((int) toAt);
        network.engine(rank).add(7, blueprint, arithmetics[rank], local, peers);
      }
      for (int rank = 0; rank < size; rank++) {
        network.engine(rank).open(7);
      }
    }

    private final List<Integer> fromAts = new ArrayList<>();
    private final List<Integer> toAts = new ArrayList<>();

    /** Element i of what a rank has to send. */
    private int value(int run, int rank, int i) {
      return run * 31 + (rank + 1) * 1_000_003 + i * 7919;
    }

    private void fill(int run, int rank) {
      for (int i = 0; i < sentElements(); i++) {
        from.get(rank).bytes.putInt(fromAts.get(rank) + 4 * i, value(run, rank, i));
      }
    }

    private void check(int run, int rank, String what) {
      for (int i = 0; i < receivedElements(); i++) {
        if (expects(rank)) {
          int at = i;
          assertEquals(
              expected(run, rank, i),
              to.get(rank).bytes.getInt(toAts.get(rank) + 4 * i),
              () -> what + " rank " + rank + " element " + at);
        }
      }
    }

    private boolean expects(int rank) {
      return switch (kind) {
        case REDUCE -> rank == root;
        case SEND_RECEIVE -> rank == other;
        default -> true;
      };
    }

    private int sum(int run, int i) {
      int sum = 0;
      for (int rank = 0; rank < size; rank++) {
        sum += value(run, rank, i);
      }
      return sum;
    }

    private int expected(int run, int rank, int i) {
      return switch (kind) {
        case ALL_REDUCE, ONE_SHOT, REDUCE -> sum(run, i);
        case BROADCAST, SEND_RECEIVE -> value(run, root, i);
        case ALL_GATHER, ONE_SHOT_GATHER -> value(run, i / count, i % count);
        case REDUCE_SCATTER -> sum(run, rank * count + i);
        case ALL_TO_ALL -> value(run, i / count, rank * count + i % count);
      };
    }

    /** Ranks start their runs at random times, some a run ahead of others. */
    void run(String what) {
      int[] started = new int[size];
      int[] done = new int[size];
      int steps = 0;
      while (Arrays.stream(done).min().getAsInt() < RUNS) {
        int rank = random.nextInt(size);
        Engine engine = network.engine(rank);
        if (started[rank] == done[rank] && done[rank] < RUNS && random.nextInt(3) == 0) {
          fill(++started[rank], rank);
          engine.start(7);
        } else {
          network.step();
        }
        for (int each = 0; each < size; each++) {
          if (started[each] > done[each] && network.engine(each).isDone(7)) {
            check(++done[each], each, what);
          }
        }
        assertTrue(++steps < 1_000_000, () -> what + ": hangs");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldGiveEveryRankItsResult(Kind kind) {
    long seed = seed();
    for (int i = 0; i < ROUNDS; i++) {
      new Case(kind, seed + i).run(kind + " with seed " + (seed + i));
    }
  }

  @Test
  void shouldNameTheRanksThatItWaitsFor() {
    Case one = new Case(Kind.ONE_SHOT, 3);
    one.network.engine(0).start(7);
    assertEquals(one.size - 1, one.network.engine(0).missing(7).size());
  }
}
