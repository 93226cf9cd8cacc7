// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * Tests {@link CollectivePlan}, {@link Planner}, {@link PlanCodec}, {@link PlanReader}, {@link
 * PlanCheck}, {@link ShortestRoutes}, {@link RoutedPath}.
 */
class CollectivePlanTest {
  private static final int HASH_BYTES = 8;
  private static final CollectivePlan RING = Planner.plan(Graphs.ring(4, 1), 0);

  private static final String STAR_OF_A = "0001" + "00000001" + "ff00";
  private static final String STAR_OF_B = "0001" + "00000001" + "01ff";

  /**
   * Version, ranks with limits, the link, fold rate and bound; trees; paths; thresholds; no
   * recursive doubling; shared or not; hash.
   */
  private static final String GOLDEN =
      "4d504c4e03"
          + ("02" + "0161" + "0000000000000000" + "0162" + "0000000200000000")
          + ("0001" + "0001" + "0000000007735940" + "0000000000001000")
          + ("000000012a05f200" + "0000000007735940")
          + STAR_OF_A
          + (STAR_OF_A + STAR_OF_B)
          + (STAR_OF_A + STAR_OF_B)
          + (STAR_OF_A + STAR_OF_B)
          + ("0000" + "0001" + "00000001" + "02" + "0001")
          + ("0001" + "00000001" + "02" + "0100" + "0000")
          + ("7fffffffffffffff" + "7fffffffffffffff" + "000000000000a000")
          + ("0000000000334000" + "7fffffffffffffff" + "0000000000014000")
          + "ffffffffffffffff"
          + ("00" + "ffffffffffffffff")
          + ("00" + "6a305e6ed986a6bf");

  private static String trees(String... parents) {
    String all = "%04x".formatted(parents.length);
    return Arrays.stream(parents).reduce(all, (before, each) -> before + "00000001" + each);
  }

  private static String paths(String... ranks) {
    String all = "%04x".formatted(ranks.length);
    return Arrays.stream(ranks)
        .reduce(
            all,
            (before, each) -> before + "00000001" + "%02x".formatted(each.length() / 2) + each);
  }

  /** As the other, of a ring of four: with two rounds of recursive doubling up to 16 KiB. */
  private static final String GOLDEN_RING =
      "4d504c4e03"
          + ("04" + "026e30" + "0000000000000000" + "026e31" + "0000000000000000")
          + ("026e32" + "0000000000000000" + "026e33" + "0000000000000000" + "0004")
          + ("0001" + "00000000000f4240" + "0000000000001388")
          + ("0003" + "00000000000f4240" + "0000000000001388")
          + ("0102" + "00000000000f4240" + "0000000000001388")
          + ("0203" + "00000000000f4240" + "0000000000001388")
          + ("0000000000000000" + "0000000000145855")
          + trees("ff000100", "01ff0102", "0302ff02", "030003ff")
          + (trees("ff000100") + trees("01ff0100") + trees("0302ff02") + trees("030203ff"))
          + (trees("ff000102", "ff020300") + trees("01ff0300", "03ff0102"))
          + (trees("0102ff00", "0300ff02") + trees("010203ff", "030001ff"))
          + (trees("ff000100", "ff000300") + trees("01ff0100", "01ff0102"))
          + (trees("0102ff02", "0302ff02") + trees("030003ff", "030203ff"))
          + (paths() + paths("0001") + paths("000102", "000302") + paths("0003"))
          + (paths("0100") + paths() + paths("0102") + paths("010003", "010203"))
          + (paths("020100", "020300") + paths("0201") + paths() + paths("0203"))
          + (paths("0300") + paths("030001", "030201") + paths("0302") + paths())
          + ("7fffffffffffffff" + "000000000000000a" + "000000000000000a")
          + ("0000000000004000" + "0000000000000000" + "0000000000000000")
          + "ffffffffffffffff"
          + ("02" + "01000302" + "03020100" + "0000000000004000")
          + ("00" + "2bdb473ac1e0ac3f");

  /** Each rank exchanges with one neighbour, then passes on both elements to the other. */
  @Test
  void shouldFloodARingInTwoRoundsOfPairs() {
    assertEquals(
        List.of(
            List.of(-1, 0, 1, 0), List.of(1, -1, 1, 0), List.of(3, 2, -1, 2), List.of(3, 2, 3, -1)),
        RING.flood().stream().map(SpanningTree::parents).toList());
  }

  @Test
  void shouldKeepItsBytes() {
    LinkGraph pair =
        new LinkGraph(
            List.of("a", "b"),
            List.of(new GraphLink(0, 1, 125_000_000, 4096)),
            List.of(0L, 1L << 33));
    CollectivePlan plan = Planner.plan(pair, 5_000_000_000L);
    assertEquals(GOLDEN, HexFormat.of().formatHex(plan.encoded()));
    assertEquals(plan, CollectivePlan.decoded(HexFormat.of().parseHex(GOLDEN)));
  }

  @Test
  void shouldKeepTheBytesOfRecursiveDoubling() {
    assertEquals(GOLDEN_RING, HexFormat.of().formatHex(RING.encoded()));
    assertEquals(RING, CollectivePlan.decoded(HexFormat.of().parseHex(GOLDEN_RING)));
  }

  @Test
  void shouldEndWithItsHash() throws Exception {
    byte[] bytes = RING.encoded();
    byte[] body = Arrays.copyOf(bytes, bytes.length - HASH_BYTES);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
    assertEquals(ByteBuffer.wrap(digest).getLong(), RING.hash());
    assertEquals(RING.hash(), ByteBuffer.wrap(bytes).getLong(body.length));
    assertNotEquals(RING.hash(), Planner.plan(Graphs.ring(4, 0.5), 0).hash());
  }

  @Property(tries = 25)
  void shouldReadWhatItWrote(@ForAll long seed, @ForAll @IntRange(min = 1, max = 7) int ranks) {
    CollectivePlan plan = Planner.plan(Graphs.random(new Random(seed), ranks), 1 << 20);
    assertEquals(plan, CollectivePlan.decoded(plan.encoded()), "seed " + seed);
  }

  @Test
  void shouldRefuseEveryTruncationAndMore() {
    byte[] bytes = RING.encoded();
    for (int length = 0; length < bytes.length; length++) {
      assertRefused(Arrays.copyOf(bytes, length));
    }
    assertRefused(Arrays.copyOf(bytes, bytes.length + 1));
  }

  @Test
  void shouldRefuseEveryFlippedByte() {
    byte[] bytes = RING.encoded();
    for (int i = 0; i < bytes.length; i++) {
      for (int mask : new int[] {1, 0x80, 0xFF}) {
        byte[] flipped = bytes.clone();
        flipped[i] ^= (byte) mask;
        assertRefused(flipped);
      }
    }
  }

  /** With the right hash: only what fits the graph is a plan. */
  @Test
  void shouldJudgeWhatAHostileRankHashed() throws Exception {
    byte[] bytes = RING.encoded();
    int plans = 0;
    for (int i = 0; i < bytes.length - HASH_BYTES; i++) {
      byte[] changed = bytes.clone();
      changed[i] ^= 0x15;
      byte[] body = Arrays.copyOf(changed, bytes.length - HASH_BYTES);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
      System.arraycopy(digest, 0, changed, body.length, HASH_BYTES);
      try {
        CollectivePlan other = CollectivePlan.decoded(changed);
        assertNotEquals(RING, other);
        assertEquals(other, CollectivePlan.decoded(other.encoded()));
        plans++;
      } catch (IllegalArgumentException e) {
        assertTrue(e.getMessage().length() > 10, e.getMessage());
      }
    }
    assertTrue(plans > 0 && plans < bytes.length - HASH_BYTES - 100, plans + " of " + bytes.length);
  }

  private static void assertRefused(byte[] bytes) {
    assertThrows(IllegalArgumentException.class, () -> CollectivePlan.decoded(bytes));
  }

  @Test
  void shouldSayWhyItRefuses() {
    byte[] bytes = RING.encoded();
    bytes[4] = 9;
    assertEquals(
        "no plan: byte 5: the version is 9, not 3",
        assertThrows(IllegalArgumentException.class, () -> CollectivePlan.decoded(bytes))
            .getMessage());
    assertEquals(
        "no plan: it ends at byte 3, within the beginning of a plan",
        assertThrows(IllegalArgumentException.class, () -> CollectivePlan.decoded(new byte[3]))
            .getMessage());
  }

  /** Of the plan of a ring: where its rounds, its partners, its size and what follows begin. */
  private static final int ROUNDS_AT = RING.encoded().length - HASH_BYTES - 1 - 8 - 2 * 4 - 1;

  private static final int PARTNERS_AT = ROUNDS_AT + 1;
  private static final int MAX_AT = PARTNERS_AT + 2 * 4;
  private static final int SHARED_AT = MAX_AT + 8;

  /** The plan of a ring with other bytes, and the hash of those. */
  private static byte[] changed(int at, int... to) throws Exception {
    byte[] bytes = RING.encoded();
    for (int i = 0; i < to.length; i++) {
      bytes[at + i] = (byte) to[i];
    }
    int length = bytes.length - HASH_BYTES;
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Arrays.copyOf(bytes, length));
    System.arraycopy(digest, 0, bytes, length, HASH_BYTES);
    return bytes;
  }

  private static String refusal(byte[] bytes) {
    return assertThrows(IllegalArgumentException.class, () -> CollectivePlan.decoded(bytes))
        .getMessage();
  }

  private static void assertNoDoubling(String why, byte[] bytes) {
    assertEquals(
        "no plan: from byte " + ROUNDS_AT + " on: no recursive doubling: " + why, refusal(bytes));
  }

  @Test
  void shouldRefuseARecursiveDoublingThatIsNone() throws Exception {
    for (int rank = 0; rank < 4; rank++) {
      for (int partner : new int[] {rank, 4, 255}) {
        int first = rank & ~1;
        assertNoDoubling(
            "round 0: rank %d and partner %d are no pair"
                .formatted(first, rank == first ? partner : rank),
            changed(PARTNERS_AT + rank, partner));
      }
    }
    assertNoDoubling(
        "round 1 does not double what rank 0 has", changed(PARTNERS_AT + 4, 1, 0, 3, 2));
    assertEquals(
        "no plan: recursive doubling: round 1 uses a link of ranks 0 and 2, which have none",
        refusal(changed(PARTNERS_AT + 4, 2, 3, 0, 1)));
    assertNoDoubling(
        "up to 1048577 bytes, and -1 to 1048576 are possible with 2 rounds",
        changed(MAX_AT, 0, 0, 0, 0, 0, 0x10, 0, 1));
    assertNoDoubling(
        "up to -2 bytes, and -1 to 1048576 are possible with 2 rounds",
        changed(MAX_AT, 255, 255, 255, 255, 255, 255, 255, 254));
    assertEquals(
        "no plan: byte " + (SHARED_AT + 1) + ": whether it is oversubscribed is 2, not 1",
        refusal(changed(SHARED_AT, 2)));
    assertEquals(7, CollectivePlan.decoded(changed(MAX_AT + 7, 7)).doubling().maxBytes() & 0xFF);
  }

  /** What follows is read as partners, or partners as what follows. */
  @Test
  void shouldRefuseOtherNumbersOfRounds() throws Exception {
    assertNoDoubling(
        "up to %d bytes, and -1 to -1 are possible with 0 rounds".formatted(0x0100030203020100L),
        changed(ROUNDS_AT, 0));
    assertTrue(refusal(changed(ROUNDS_AT, 1)).contains("are possible with 1 rounds"));
    assertTrue(refusal(changed(ROUNDS_AT, 3)).contains("are possible with 3 rounds"));
    byte[] bytes = changed(ROUNDS_AT, 255);
    assertEquals("no plan: it ends at byte " + bytes.length + ", within a partner", refusal(bytes));
    String[] within = {"the number of rounds", "a partner", "a threshold"};
    int[] begins = {ROUNDS_AT, PARTNERS_AT, MAX_AT, SHARED_AT};
    for (int i = 0; i < within.length; i++) {
      for (int length = begins[i]; length < begins[i + 1]; length++) {
        assertEquals(
            "no plan: it ends at byte " + length + ", within " + within[i],
            refusal(Arrays.copyOf(RING.encoded(), length)));
      }
    }
  }

  @Test
  void shouldRefusePartsThatDoNotFitTheGraph() {
    List<SpanningTree> diagonal = List.of(new SpanningTree(0, List.of(-1, 0, 0, 0), 1));
    assertEquals(
        "no plan: all-reduce: a tree uses a link of ranks 2 and 0, which have none",
        refusal(diagonal, RING.flood(), RING.allToAll(), RING.oneShotMaxBytes()));
    List<SpanningTree> twice = new ArrayList<>(RING.flood());
    twice.set(1, twice.get(0));
    assertTrue(
        refusal(RING.allReduce(), twice, RING.allToAll(), RING.oneShotMaxBytes())
            .contains("flood: a tree of root 1 with root 0"));
    List<List<RoutedPath>> paths = new ArrayList<>(RING.allToAll());
    paths.set(1, List.of(new RoutedPath(List.of(0, 2, 1), 1)));
    assertTrue(
        refusal(RING.allReduce(), RING.flood(), paths, RING.oneShotMaxBytes())
            .contains("a path uses a link of ranks 0 and 2"));
    assertTrue(
        refusal(RING.allReduce(), RING.flood(), RING.allToAll(), List.of(1L))
            .contains("one-shot up to [1]"));
  }

  private static String refusal(
      List<SpanningTree> allReduce,
      List<SpanningTree> flood,
      List<List<RoutedPath>> paths,
      List<Long> thresholds) {
    return assertThrows(
            IllegalArgumentException.class,
            () ->
                new CollectivePlan(
                    RING.graph(),
                    0,
                    1,
                    allReduce,
                    flood,
                    RING.broadcast(),
                    RING.allGather(),
                    paths,
                    thresholds,
                    RecursiveDoubling.NONE,
                    false))
        .getMessage();
  }

  @Test
  void shouldSplitPathsOverEquals() {
    assertEquals(
        List.of(new RoutedPath(List.of(0, 1, 2), 1), new RoutedPath(List.of(0, 3, 2), 1)),
        RING.paths(0, 2));
    assertEquals(List.of(new RoutedPath(List.of(1, 0), 1)), RING.paths(1, 0));
    assertEquals(List.of(), RING.paths(3, 3));
    assertEquals(6, Planner.plan(Graphs.cube(3), 0).paths(0, 7).size());
    assertThrows(IllegalArgumentException.class, () -> new RoutedPath(List.of(0, 1, 0), 1));
    assertThrows(IllegalArgumentException.class, () -> new RoutedPath(List.of(0), 1));
  }

  @Test
  void shouldFloodOverBreadthFirstTreesThatShareTheLinks() {
    int[] uses = new int[16];
    for (SpanningTree each : RING.flood()) {
      assertEquals(2, each.depth());
      for (int rank = 0; rank < each.size(); rank++) {
        if (rank != each.root()) {
          uses[each.parents().get(rank) * 4 + rank]++;
        }
      }
    }
    assertEquals(2, Arrays.stream(uses).max().orElse(0));
  }
}
