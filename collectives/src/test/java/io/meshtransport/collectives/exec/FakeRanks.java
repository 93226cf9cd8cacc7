// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.RemoteMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

/**
 * One operation on the {@link Engine}s of all ranks of a {@link FakeNetwork}, which start its runs
 * at random times. One thread.
 */
final class FakeRanks {
  static final int OPERATION = 7;

  private static final int RUNS = 4;
  private static final int MAX_STEPS = 1_000_000;

  /** What ranks give, and what they have to get. */
  interface Contents {
    Part given(int rank);

    Part received(int rank);

    void fill(int run, int rank);

    void check(int run, int rank, String what);
  }

  /** Of a rank's memory. */
  record Part(long at, long lengthBytes) {
    long endsAt() {
      return at + lengthBytes;
    }
  }

  private final FakeNetwork network;
  private final int size;
  private final Random random;
  private final boolean isInPlace;
  private final Contents contents;

  /** By rank. */
  private final List<FakeMemory> from = new ArrayList<>();

  private final List<FakeMemory> to = new ArrayList<>();

  FakeRanks(FakeNetwork network, int size, Random random, boolean isInPlace, Contents contents) {
    this.network = network;
    this.size = size;
    this.random = random;
    this.isInPlace = isInPlace;
    this.contents = contents;
  }

  FakeMemory from(int rank) {
    return from.get(rank);
  }

  FakeMemory to(int rank) {
    return to.get(rank);
  }

  void open(Blueprint blueprint, IntFunction<Arithmetic> arithmetics) {
    RemoteMemory[] scratch = new RemoteMemory[size];
    RemoteMemory[] results = new RemoteMemory[size];
    long[] resultsAt = new long[size];
    Peers peers = new Peers(scratch, results, resultsAt);
    for (int rank = 0; rank < size; rank++) {
      Part given = contents.given(rank);
      Part received = contents.received(rank);
      long longer = Math.max(given.endsAt(), received.endsAt());
      FakeMemory own = new FakeMemory(longer);
      FakeMemory result = isInPlace ? own : new FakeMemory(longer);
      FakeMemory slots = new FakeMemory(blueprint.scratchBytes(rank, arithmetics.apply(rank)));
      from.add(own);
      to.add(result);
      scratch[rank] = slots;
      results[rank] = result;
      resultsAt[rank] = received.at();
      Local local =
          new Local(
              new Region(own, given.at(), given.lengthBytes()),
              new Region(result, received.at(), received.lengthBytes()),
              new Region(slots, 0, slots.lengthBytes()));
      network.engine(rank).add(OPERATION, blueprint, arithmetics.apply(rank), local, peers);
    }
    for (int rank = 0; rank < size; rank++) {
      network.engine(rank).open(OPERATION);
    }
  }

  /** Ranks start their runs at random times, some a run ahead of others. */
  void run(String what) {
    int[] started = new int[size];
    int[] done = new int[size];
    int steps = 0;
    while (Arrays.stream(done).min().getAsInt() < RUNS) {
      int rank = random.nextInt(size);
      if (started[rank] == done[rank] && done[rank] < RUNS && random.nextInt(3) == 0) {
        contents.fill(++started[rank], rank);
        network.engine(rank).start(OPERATION);
      } else {
        network.step();
      }
      for (int each = 0; each < size; each++) {
        if (started[each] > done[each] && network.engine(each).isDone(OPERATION)) {
          contents.check(++done[each], each, what);
        }
      }
      assertTrue(++steps < MAX_STEPS, () -> what + ": hangs");
    }
  }

  /** All ranks but one start a run, and none has a result then. */
  void startWithout(int late, String what) {
    for (int rank = 0; rank < size; rank++) {
      contents.fill(1, rank);
      if (rank != late) {
        network.engine(rank).start(OPERATION);
      }
    }
    network.settle();
    for (int rank = 0; rank < size; rank++) {
      assertFalse(rank != late && network.engine(rank).isDone(OPERATION), what + ", rank " + rank);
    }
  }

  /** That rank starts, too, and everybody has a result. */
  void startLate(int late, String what) {
    network.engine(late).start(OPERATION);
    network.settle();
    for (int rank = 0; rank < size; rank++) {
      assertTrue(network.engine(rank).isDone(OPERATION), what + ", rank " + rank);
      contents.check(1, rank, what);
    }
  }
}
