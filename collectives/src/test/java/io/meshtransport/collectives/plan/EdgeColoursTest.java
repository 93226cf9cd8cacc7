// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link EdgeColours} on random graphs, and on those that machines are cabled as. */
class EdgeColoursTest {
  private static boolean[][] random(int size, long seed, int percent) {
    Random random = new Random(seed);
    boolean[][] isLinked = new boolean[size][size];
    for (int low = 0; low < size; low++) {
      for (int high = low + 1; high < size; high++) {
        isLinked[low][high] = isLinked[high][low] = random.nextInt(100) < percent;
      }
    }
    return isLinked;
  }

  private static int degree(boolean[][] isLinked) {
    return Arrays.stream(isLinked).mapToInt(EdgeColoursTest::count).max().orElse(0);
  }

  private static int count(boolean[] neighbours) {
    return (int) IntStream.range(0, neighbours.length).filter(i -> neighbours[i]).count();
  }

  private static int max(int[][] colours) {
    return Arrays.stream(colours).flatMapToInt(Arrays::stream).max().orElse(0);
  }

  @Property(tries = 500)
  void shouldGiveTheLinksOfARankDifferentColours(
      @ForAll @IntRange(min = 1, max = 64) int size,
      @ForAll @IntRange(min = 0, max = 100) int percent,
      @ForAll long seed) {
    boolean[][] isLinked = random(size, seed, percent);
    int[][] colours = EdgeColours.of(size, (one, other) -> isLinked[one][other]);
    for (int rank = 0; rank < size; rank++) {
      boolean[] isUsed = new boolean[max(colours) + 1];
      for (int other = 0; other < size; other++) {
        int colour = colours[rank][other];
        assertEquals(isLinked[rank][other], colour != EdgeColours.NONE);
        assertEquals(colour, colours[other][rank]);
        assertTrue(colour == EdgeColours.NONE || !isUsed[colour], "twice at rank " + rank);
        isUsed[colour] = true;
      }
    }
    assertTrue(max(colours) <= Math.max(0, 2 * degree(isLinked) - 1));
  }

  /** Each rank finds them for itself. */
  @Property(tries = 50)
  void shouldFindTheSameAgain(@ForAll @IntRange(min = 1, max = 16) int size, @ForAll long seed) {
    boolean[][] isLinked = random(size, seed, 50);
    int[][] colours = EdgeColours.of(size, (one, other) -> isLinked[one][other]);
    assertArrayEquals(colours, EdgeColours.of(size, (one, other) -> isLinked[other][one]));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8, 16, 32, 64})
  void shouldPairRanksByTheirBits(int size) {
    int[][] colours = EdgeColours.of(size, (one, other) -> true);
    for (int one = 0; one < size; one++) {
      for (int other = 0; other < size; other++) {
        assertEquals(one ^ other, colours[one][other]);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5, 6, 7, 8, 16})
  void shouldNeedNoColourTooManyOnLinesAndRings(int size) {
    assertEquals(2, max(EdgeColours.of(size, (one, other) -> other - one == 1)));
    int[][] ring =
        EdgeColours.of(size, (one, other) -> other - one == 1 || one == 0 && other == size - 1);
    assertEquals(2 + size % 2, max(ring));
  }
}
