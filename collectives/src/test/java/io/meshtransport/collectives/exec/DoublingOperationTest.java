// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Precision;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Reducer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@link DoublingProgram} and {@link DoublingOperation} on all ranks over a {@link FakeNetwork}, on
 * hypercubes whose corners are any ranks: each rank has the bits of one and the same tree of folds.
 */
class DoublingOperationTest {
  private static final int ROUNDS = 60;
  private static final int ID = FakeRanks.OPERATION;

  /** Of a rank's memory, before its elements. */
  private static final int OFFSET_BYTES = 8;

  /** Bits of floats depend on the order, of texts even on which operand comes first. */
  private enum Flavor {
    FLOATS(4),
    HALVES(2),
    AVERAGES(1),
    TEXTS(8);

    private final int width;

    Flavor(int width) {
      this.width = width;
    }

    Arithmetic arithmetic(int size) {
      return switch (this) {
        case FLOATS -> Arithmetic.of(DataType.F32, ReduceOp.SUM, Precision.EXACT, size);
        case HALVES -> Arithmetic.of(DataType.BF16, ReduceOp.SUM, Precision.EXACT, size);
        case AVERAGES -> Arithmetic.of(DataType.U8, ReduceOp.AVG, Precision.EXACT, size);
        case TEXTS -> Arithmetic.of(DataType.I64, CONCATENATION, Precision.EXACT, size);
      };
    }
  }

  /** Associative, and not commutative: which operand comes first shows. */
  private static final Reducer CONCATENATION =
      new Reducer() {
        @Override
        public int elementBytes() {
          return 8;
        }

        @Override
        public void reduce(ByteBuffer accumulator, ByteBuffer operand) {
          while (operand.hasRemaining()) {
            long own = accumulator.getLong(accumulator.position());
            accumulator.putLong(concatenated(own, operand.getLong()));
          }
        }
      };

  /** Of hexadecimal digits, in front of their number, which is the last; long ones are cut. */
  private static long concatenated(long one, long other) {
    long length = (one & 0xF) + (other & 0xF);
    long shifted = (one & ~0xFL) << 4 * (other & 0xF) | other & ~0xFL;
    return (shifted & ~0xFL) | length & 0xF;
  }

  private static final class Case implements FakeRanks.Contents {
    final Random random;
    final Flavor flavor;
    final int size;
    final int count;
    final DoublingProgram program;
    final FakeNetwork network;
    final FakeRanks ranks;

    Case(Flavor flavor, long seed) {
      this.flavor = flavor;
      random = new Random(seed * 0x9E3779B97F4A7C15L);
      int dimensions = 1 + random.nextInt(4);
      size = 1 << dimensions;
      count = random.nextInt(8) == 0 ? random.nextInt(2) : 1 + random.nextInt(150);
      boolean isInPlace = random.nextBoolean();
      program = new DoublingProgram(partners(dimensions), count);
      network = new FakeNetwork(size, 1 + random.nextInt(4), random);
      for (int[] round : program.partners()) {
        for (int rank = 0; rank < size; rank++) {
          if (rank < round[rank]) {
            network.join(rank, round[rank], 1);
          }
        }
      }
      ranks = new FakeRanks(network, size, random, isInPlace, this);
      Arithmetic arithmetic = flavor.arithmetic(size);
      Blueprint blueprint = new Blueprint(program, "");
      ranks.open(blueprint, rank -> arithmetic);
      for (int rank = 0; rank < size; rank++) {
        assertFalse(blueprint.writesResults(rank));
      }
    }

    private List<int[]> partners(int dimensions) {
      List<Integer> corners = new ArrayList<>(IntStream.range(0, size).boxed().toList());
      Collections.shuffle(corners, random);
      List<int[]> rounds = new ArrayList<>();
      for (int bit = 0; bit < dimensions; bit++) {
        int[] round = new int[size];
        for (int corner = 0; corner < size; corner++) {
          round[corners.get(corner)] = corners.get(corner ^ 1 << bit);
        }
        rounds.add(round);
      }
      return rounds;
    }

    @Override
    public FakeRanks.Part given(int rank) {
      return new FakeRanks.Part(OFFSET_BYTES, (long) flavor.width * count);
    }

    @Override
    public FakeRanks.Part received(int rank) {
      return given(rank);
    }

    private int value(int run, int rank, int i) {
      return run * 31 + (rank + 1) * 1_000_003 + i * 7919;
    }

    private void write(int run, int rank, int i) {
      ByteBuffer bytes = ranks.from(rank).bytes;
      int value = value(run, rank, i);
      int at = OFFSET_BYTES + flavor.width * i;
      switch (flavor) {
        case FLOATS -> bytes.putFloat(at, number(value));
        case HALVES -> bytes.putShort(at, (short) (Float.floatToIntBits(value & 7) >>> 16));
        case AVERAGES -> bytes.put(at, (byte) value);
        case TEXTS -> bytes.putLong(at, rank << 4 | 1);
      }
    }

    private static float number(int value) {
      return Math.scalb(Math.floorMod(value, 1009) - 500.5f, Math.floorMod(value, 31));
    }

    @Override
    public void fill(int run, int rank) {
      for (int i = 0; i < count; i++) {
        write(run, rank, i);
      }
    }

    @Override
    public void check(int run, int rank, String what) {
      ByteBuffer bytes = ranks.to(rank).bytes;
      for (int i = 0; i < count; i++) {
        int at = OFFSET_BYTES + flavor.width * i;
        String where = what + ", run " + run + ", rank " + rank + ", element " + i;
        switch (flavor) {
          case FLOATS ->
              assertEquals(
                  Float.floatToRawIntBits(folded(run, program.rounds(), 0, i)),
                  bytes.getInt(at),
                  where);
          case HALVES ->
              assertEquals(
                  sum(run, i, 7), (int) Float.intBitsToFloat(bytes.getShort(at) << 16), where);
          case AVERAGES -> assertEquals(sum(run, i, 0xFF) / size, bytes.get(at) & 0xFF, where);
          case TEXTS -> assertEquals(text(program.rounds(), 0), bytes.getLong(at), where);
        }
      }
    }

    private int sum(int run, int i, int mask) {
      return IntStream.range(0, size).map(rank -> value(run, rank, i) & mask).sum();
    }

    /** The blocks of a rank and its partner, the one with the lowest rank first. */
    private float folded(int run, int rounds, int rank, int i) {
      if (rounds == 0) {
        return number(value(run, rank, i));
      }
      int partner = program.partners().get(rounds - 1)[rank];
      boolean isFirst = lowest(rounds - 1, rank) < lowest(rounds - 1, partner);
      float one = folded(run, rounds - 1, isFirst ? rank : partner, i);
      return one + folded(run, rounds - 1, isFirst ? partner : rank, i);
    }

    private long text(int rounds, int rank) {
      if (rounds == 0) {
        return rank << 4 | 1;
      }
      int partner = program.partners().get(rounds - 1)[rank];
      boolean isFirst = lowest(rounds - 1, rank) < lowest(rounds - 1, partner);
      return concatenated(
          text(rounds - 1, isFirst ? rank : partner), text(rounds - 1, isFirst ? partner : rank));
    }

    /** Of the block that a rank has after so many rounds. */
    private int lowest(int rounds, int rank) {
      TreeSet<Integer> block = new TreeSet<>(List.of(rank));
      for (int[] each : program.partners().subList(0, rounds)) {
        for (int member : List.copyOf(block)) {
          block.add(each[member]);
        }
      }
      return block.first();
    }
  }

  @ParameterizedTest
  @EnumSource(Flavor.class)
  void shouldGiveEveryRankTheSameBits(Flavor flavor) {
    long seed = Long.getLong("mesh.test.seed", new Random().nextLong());
    for (int i = 0; i < ROUNDS; i++) {
      new Case(flavor, seed + i).ranks.run(flavor + " with seed " + (seed + i));
    }
  }

  @Test
  void shouldWaitForARankHoweverLate() {
    for (int seed = 0; seed < ROUNDS; seed++) {
      Case one = new Case(Flavor.FLOATS, seed);
      String what = "seed " + seed;
      int late = one.random.nextInt(one.size);
      one.ranks.startWithout(late, what);
      for (int rank = 0; rank < one.size; rank++) {
        assertTrue(
            rank == late || one.network.waitsFor(rank, ID).contains(late), what + ", rank " + rank);
      }
      int partner = one.program.partners().get(0)[late];
      assertEquals(new TreeSet<>(List.of(late)), one.network.engine(partner).missing(ID));
      assertEquals(new TreeSet<>(), one.network.engine(late).missing(ID), "it has not begun");
      one.ranks.startLate(late, what);
    }
  }

  /** A partner is a run ahead at most; only partners send, and only blocks. */
  @Test
  void shouldRefuseNoticesThatNoPartnerMaySend() {
    Case one = new Case(Flavor.FLOATS, 1);
    Engine engine = one.network.engine(0);
    for (int round = 0; round < one.program.rounds(); round++) {
      int partner = one.program.partners().get(round)[0];
      for (int from = 0; from < one.size; from++) {
        assertEquals(
            from == partner, engine.notice(from, Notice.of(Notice.UP, 0, round, ID)), "at first");
        assertFalse(engine.notice(from, Notice.of(Notice.UP, 0, round, ID)), "two runs ahead");
        assertFalse(engine.notice(from, Notice.of(Notice.DOWN, 0, round, ID)));
        assertFalse(engine.notice(from, Notice.of(Notice.CREDIT, 1, round, ID)));
        assertFalse(engine.notice(from, Notice.of(Notice.READY, 0, round, ID)));
      }
    }
    int beyond = one.program.rounds();
    int partner = one.program.partners().get(0)[0];
    assertFalse(engine.notice(partner, Notice.of(Notice.UP, 0, beyond, ID)));
  }

  @Test
  void shouldNeedRoundsAndBeInNoRankOrder() {
    assertThrows(IllegalArgumentException.class, () -> new DoublingProgram(List.of(), 1));
    List<int[]> pairs = List.of(new int[] {1, 0, 3, 2}, new int[] {3, 2, 1, 0});
    assertThrows(IllegalArgumentException.class, () -> new DoublingProgram(pairs, -1));
    DoublingProgram program = new DoublingProgram(pairs, 1);
    assertFalse(program.isInRankOrder());
    for (int rank = 0; rank < 4; rank++) {
      boolean[] isLower = program.isLower(rank);
      assertEquals(rank % 2 == 0, isLower[0], "of a pair");
      assertEquals(rank < 2, isLower[1], "of both");
    }
  }
}
