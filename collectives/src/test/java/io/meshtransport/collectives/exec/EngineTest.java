// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Precision;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@link Engine}s of all ranks of a group over the {@link Links} of a {@link FakeNetwork}: each
 * {@link Operation}, {@link TreeOperation}, {@link FloodOperation} and {@link OrderedOperation},
 * with {@link TreeStream}, {@link Fold}, on {@link TreeRoutes} over random graphs, with random
 * orders of delivery.
 */
class EngineTest {
  private static final int ROUNDS = 100;
  private static final int ID = FakeRanks.OPERATION;

  /** Of a rank's memory, before its elements. */
  private static final int OFFSET_BYTES = 8;

  /** Of a stream: rings have fewer slots. */
  private static final int MAX_CHUNKS = 30;

  private enum Kind {
    ALL_REDUCE,
    ONE_SHOT,
    ONE_SHOT_GATHER,
    REDUCE,
    BROADCAST,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    SEND_RECEIVE,
    ORDERED_ALL_REDUCE,
    ORDERED_REDUCE,
    ORDERED_SCATTER;

    boolean isOrdered() {
      return ordinal() >= ORDERED_ALL_REDUCE.ordinal();
    }

    boolean isScatter() {
      return this == REDUCE_SCATTER || this == ORDERED_SCATTER;
    }
  }

  /** Types and ops: of BF16 partial results travel as F32, of averages of U8 as I32. */
  private enum Flavor {
    SUM_OF_I32(DataType.I32, ReduceOp.SUM),
    SUM_OF_BF16(DataType.BF16, ReduceOp.SUM),
    AVERAGE_OF_U8(DataType.U8, ReduceOp.AVG),
    MAX_OF_I32(DataType.I32, ReduceOp.MAX),
    /** Whose bits depend on the order. */
    SUM_OF_F32(DataType.F32, ReduceOp.SUM);

    private final DataType type;
    private final ReduceOp op;

    Flavor(DataType type, ReduceOp op) {
      this.type = type;
      this.op = op;
    }

    /** Small enough that sums of BF16 are exact. */
    int value(int seed) {
      if (this == SUM_OF_F32) {
        return Float.floatToIntBits(Math.scalb(seed % 1009 - 500.5f, seed % 31));
      }
      return type == DataType.I32 ? seed : type == DataType.U8 ? seed & 0xFF : seed & 7;
    }

    void write(ByteBuffer to, int at, int value) {
      switch (type) {
        case I32, F32 -> to.putInt(at, value);
        case BF16 -> to.putShort(at, (short) (Float.floatToIntBits(value) >>> 16));
        default -> to.put(at, (byte) value);
      }
    }

    int read(ByteBuffer from, int at) {
      return switch (type) {
        case I32, F32 -> from.getInt(at);
        case BF16 -> (int) Float.intBitsToFloat(from.getShort(at) << 16);
        default -> from.get(at) & 0xFF;
      };
    }
  }

  private static long seed() {
    return Long.getLong("mesh.test.seed", new Random().nextLong());
  }

  /** One operation on all ranks. */
  private static final class Case implements FakeRanks.Contents {
    final Random random;
    final Kind kind;
    final Flavor flavor;
    final int width;
    final int size;
    final int count;
    final boolean isInPlace;
    final BreadthFirstRoutes routes;
    final FakeNetwork network;
    final int root;
    final int other;
    final FakeRanks ranks;

    Case(Kind kind, long seed) {
      this.kind = kind;
      // Random numbers of consecutive seeds begin alike.
      random = new Random(seed * 0x9E3779B97F4A7C15L);
      // What trees reduce has other bits than a loop from rank 0 on.
      int flavors = Flavor.values().length - (kind.isOrdered() ? 0 : 1);
      flavor = Flavor.values()[random.nextInt(flavors)];
      width = flavor.type.bytes();
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
            network.join(rank, neighbour, routes.cables(rank, neighbour));
          }
        }
      }
      ranks = new FakeRanks(network, size, random, isInPlace, this);
      Arithmetic[] arithmetics = new Arithmetic[size];
      Arrays.setAll(arithmetics, rank -> arithmetic());
      ranks.open(blueprint(), rank -> arithmetics[rank]);
    }

    private Arithmetic arithmetic() {
      return Arithmetic.of(flavor.type, flavor.op, Precision.EXACT, size);
    }

    private Blueprint blueprint() {
      List<int[]> shortest = new ArrayList<>();
      for (int rank = 0; rank < size; rank++) {
        shortest.add(routes.shortest(rank));
      }
      int chunk = Math.max(1 + random.nextInt(50), count / MAX_CHUNKS);
      return switch (kind) {
        case ONE_SHOT ->
            new Blueprint(new FloodProgram(shortest, count, FloodProgram.Ending.REDUCE), "");
        case ONE_SHOT_GATHER ->
            new Blueprint(new FloodProgram(shortest, count, FloodProgram.Ending.GATHER), "");
        case ORDERED_ALL_REDUCE -> ordered(OrderedProgram.Ending.TO_ALL, chunk);
        case ORDERED_REDUCE -> ordered(OrderedProgram.Ending.TO_ROOT, chunk);
        case ORDERED_SCATTER -> ordered(OrderedProgram.Ending.STAYS, chunk);
        default -> new Blueprint(new TreeProgram(streams(), chunk), "");
      };
    }

    private Blueprint ordered(OrderedProgram.Ending ending, int chunk) {
      return new Blueprint(Schedules.ordered(routes, ending, root, count, width, chunk), "");
    }

    private List<StreamPlan> streams() {
      return switch (kind) {
        case ALL_REDUCE -> Schedules.allReduce(routes, count, width);
        case REDUCE -> Schedules.reduce(routes, root, count, width);
        case BROADCAST -> Schedules.broadcast(routes, root, count, width);
        case ALL_GATHER -> Schedules.allGather(routes, count, width);
        case REDUCE_SCATTER -> Schedules.reduceScatter(routes, count, width);
        case ALL_TO_ALL -> Schedules.allToAll(routes, count, width);
        case SEND_RECEIVE -> Schedules.sendReceive(routes, root, other, count, width);
        default -> throw new IllegalStateException();
      };
    }

    private int sentElements() {
      return kind.isScatter() || kind == Kind.ALL_TO_ALL ? size * count : count;
    }

    private int receivedElements() {
      boolean isLong =
          kind == Kind.ALL_GATHER || kind == Kind.ONE_SHOT_GATHER || kind == Kind.ALL_TO_ALL;
      return isLong ? size * count : count;
    }

    @Override
    public FakeRanks.Part given(int rank) {
      boolean isGathered = kind == Kind.ALL_GATHER || kind == Kind.ONE_SHOT_GATHER;
      return part(rank, isGathered, sentElements());
    }

    @Override
    public FakeRanks.Part received(int rank) {
      return part(rank, kind.isScatter(), receivedElements());
    }

    /** In place, one block has its place among those of all ranks. */
    private FakeRanks.Part part(int rank, boolean isOneOfAll, int elements) {
      long at = OFFSET_BYTES + (isInPlace && isOneOfAll ? (long) width * rank * count : 0);
      return new FakeRanks.Part(at, (long) width * elements);
    }

    /** Element i of what a rank has to send. */
    private int value(int run, int rank, int i) {
      return flavor.value(run * 31 + (rank + 1) * 1_000_003 + i * 7919);
    }

    @Override
    public void fill(int run, int rank) {
      int at = (int) given(rank).at();
      for (int i = 0; i < sentElements(); i++) {
        flavor.write(ranks.from(rank).bytes, at + width * i, value(run, rank, i));
      }
    }

    @Override
    public void check(int run, int rank, String what) {
      int resultAt = (int) received(rank).at();
      for (int i = 0; i < receivedElements(); i++) {
        if (expects(rank)) {
          int at = i;
          assertEquals(
              expected(run, rank, i),
              flavor.read(ranks.to(rank).bytes, resultAt + width * i),
              () -> what + " rank " + rank + " element " + at);
        }
      }
    }

    private boolean expects(int rank) {
      return switch (kind) {
        case REDUCE, ORDERED_REDUCE -> rank == root;
        case SEND_RECEIVE -> rank == other;
        default -> true;
      };
    }

    private int reduced(int run, int i) {
      if (flavor == Flavor.SUM_OF_F32) {
        float sum = Float.intBitsToFloat(value(run, 0, i));
        for (int rank = 1; rank < size; rank++) {
          sum += Float.intBitsToFloat(value(run, rank, i));
        }
        return Float.floatToIntBits(sum);
      }
      int sum = 0;
      int max = Integer.MIN_VALUE;
      for (int rank = 0; rank < size; rank++) {
        sum += value(run, rank, i);
        max = Math.max(max, value(run, rank, i));
      }
      return switch (flavor.op) {
        case AVG -> sum / size;
        case MAX -> max;
        default -> sum;
      };
    }

    private int expected(int run, int rank, int i) {
      return switch (kind) {
        case ALL_REDUCE, ONE_SHOT, REDUCE, ORDERED_ALL_REDUCE, ORDERED_REDUCE -> reduced(run, i);
        case BROADCAST, SEND_RECEIVE -> value(run, root, i);
        case ALL_GATHER, ONE_SHOT_GATHER -> value(run, i / count, i % count);
        case REDUCE_SCATTER, ORDERED_SCATTER -> reduced(run, rank * count + i);
        case ALL_TO_ALL -> value(run, i / count, rank * count + i % count);
      };
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldGiveEveryRankItsResult(Kind kind) {
    long seed = seed();
    for (int i = 0; i < ROUNDS; i++) {
      new Case(kind, seed + i).ranks.run(kind + " with seed " + (seed + i));
    }
  }

  /** However late one rank is, nothing is lost, and nobody has a result before. */
  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"ALL_REDUCE", "ONE_SHOT", "ALL_GATHER", "ORDERED_ALL_REDUCE", "ALL_TO_ALL"})
  void shouldWaitForARankHoweverLate(Kind kind) {
    long seed = seed();
    for (int i = 0; i < ROUNDS / 4; i++) {
      Case one = new Case(kind, seed + i);
      String what = kind + " with seed " + (seed + i);
      if (one.size == 1 || one.count == 0) {
        continue;
      }
      int late = one.random.nextInt(one.size);
      one.ranks.startWithout(late, what);
      one.ranks.startLate(late, what);
    }
  }

  /** Before its first start a rank allows its children's first chunks, and that they are ready. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldRefuseNoticesThatNoPeerMaySend(Kind kind) {
    Case one = new Case(kind, 5);
    Engine engine = one.network.engine(0);
    for (int stream : new int[] {0, 1, 2, 63, Notice.MAX_STREAMS - 1}) {
      for (int from = 0; from < one.size; from++) {
        assertFalse(engine.notice(from, Notice.of(Notice.CREDIT, 1, stream, ID)));
        assertFalse(engine.notice(from, Notice.of(Notice.DOWN, 0, stream, ID)));
      }
      assertFalse(engine.notice(0, Notice.of(Notice.UP, 0, stream, ID)), "from itself");
      assertFalse(engine.notice(0, Notice.of(Notice.READY, 0, stream, ID)), "from itself");
    }
    one.ranks.run(kind + " after notices that were refused");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldRefuseMoreChunksThanARingHas(Kind kind) {
    Case one = new Case(kind, 5);
    for (int from = 1; from < one.size; from++) {
      int chunk = Notice.of(Notice.UP, 0, 0, ID);
      for (int i = 0; i < 100; i++) {
        one.network.engine(0).notice(from, chunk);
      }
      assertFalse(one.network.engine(0).notice(from, chunk));
    }
  }

  /**
   * One of several cables that streams use: the first between two ranks may be too slow for that.
   */
  @Test
  void shouldSendShortOnesOverACableThatStreamsUse() {
    List<int[]> trees = List.of(new int[] {StreamPlan.ROOT, 0}, new int[] {1, StreamPlan.ROOT});
    List<Program> programs =
        List.of(
            new FloodProgram(trees, 1, FloodProgram.Ending.REDUCE),
            new DoublingProgram(List.of(new int[] {1, 0}), 1));
    for (Program program : programs) {
      List<Integer> used = new ArrayList<>();
      Links links =
          new Links() {
            @Override
            public int link(int rank, int stream) {
              return rank + 2;
            }

            @Override
            public boolean canPut(int link) {
              return true;
            }

            @Override
            public void add(
                RegisteredMemory from, long fromAt, long length, RemoteMemory to, long toAt) {}

            @Override
            public void put(int link, int notice, long userData) {
              used.add(link);
            }
          };
      Arithmetic sum = Arithmetic.of(DataType.I32, ReduceOp.SUM, Precision.EXACT, 2);
      Blueprint blueprint = new Blueprint(program, "");
      FakeMemory memory = new FakeMemory(4 + blueprint.scratchBytes(0, sum));
      Region one = new Region(memory, 0, 4);
      Region scratch = new Region(memory, 4, memory.lengthBytes() - 4);
      RemoteMemory[] both = {memory, memory};
      Engine engine = new Engine(links, 0);
      engine.add(
          7, blueprint, sum, new Local(one, one, scratch), new Peers(both, both, new long[2]));
      engine.open(7);
      engine.start(7);
      assertEquals(List.of(3), used, program.toString());
    }
  }

  /** What each rank waits for leads to the one that is late, over neighbours alone. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldWaitForNeighboursThatWaitForTheOneThatIsLate(Kind kind) {
    long seed = seed();
    for (int i = 0; i < ROUNDS / 4; i++) {
      findTheLateOne(kind, seed + i);
    }
  }

  /** Among them are reduces to a late root whose ranks have filled each other's rings. */
  @Test
  void shouldWaitForAParentBehindFullRings() {
    for (long seed = 53_010; seed < 53_010 + ROUNDS / 4; seed++) {
      findTheLateOne(Kind.REDUCE, seed);
    }
  }

  private static void findTheLateOne(Kind kind, long seed) {
    Case one = new Case(kind, seed);
    String what = kind + " with seed " + (seed);
    int late = one.random.nextInt(one.size);
    for (int rank = 0; rank < one.size; rank++) {
      one.fill(1, rank);
      if (rank != late) {
        one.network.engine(rank).start(ID);
      }
    }
    one.network.settle();
    for (int rank = 0; rank < one.size; rank++) {
      Engine engine = one.network.engine(rank);
      assertTrue(one.routes.neighbours(rank).containsAll(engine.missing(ID)), what);
      assertEquals(rank != late && !engine.isDone(ID), !engine.missing(ID).isEmpty(), what);
      assertEquals(
          !engine.missing(ID).isEmpty(), one.network.waitsFor(rank, ID).contains(late), what);
      assertEquals(engine.missing(ID), engine.missing(), what);
      assertEquals(rank == late ? 0 : 1, engine.starts(ID), what);
    }
  }
}
