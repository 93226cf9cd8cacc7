// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.exec.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Groups of 2 to 8 ranks on random graphs in virtual time: the ranks' {@link LocalRank}s with
 * {@link MemberLinks}, {@link RecordRounds}, {@link LostLinks} and {@link
 * io.meshtransport.collectives.exec.Engine} over a {@link VirtualNetwork}, and plans of {@link
 * Planning} for them. Ranks enter at random, some ten seconds late; one is killed at a random
 * moment, three times over. {@code -Dmesh.test.seed} repeats one case, {@code -Dmesh.test.seeds}
 * says how many there are.
 *
 * <p>Not in virtual time is what asks for the time itself, or waits in threads: finding and
 * connecting members ({@link GroupJoin}, {@link Reception}), measuring links ({@link LinkProbe};
 * {@link RateProbeTest} has its turns), sending the plan and keys of memory ({@link PlanExchange},
 * {@link Preparation}; here ranks know both, and meet in the rounds of both), deadlines of
 * operations ({@link PreparedOperation}), threads that take turns at the poller ({@link
 * PollerTurn}), closing and goodbyes ({@link Departures}), and a verdict that does not come in
 * three seconds ({@link LostLinks}). {@link RandomGroupsTest} has those on the same graphs, with
 * threads and in real time.
 */
class VirtualTimeTest {
  private static final long FIRST = Long.getLong("mesh.test.seed", new Random().nextInt());

  private static LongStream seeds(int count) {
    int seeds = System.getProperty("mesh.test.seed") != null ? 1 : count;
    return LongStream.range(0, Integer.getInteger("mesh.test.seeds", seeds)).map(i -> FIRST + i);
  }

  /** At moments of the run that another group of the same times has had undisturbed. */
  private static List<VirtualGroup> killed(long seed, int kills) {
    VirtualCase one = VirtualCase.of(seed);
    VirtualGroup whole = new VirtualGroup(one, 0);
    long endNs = whole.run(VirtualGroup.NEVER);
    List<VirtualGroup> all = new ArrayList<>();
    Random random = new Random(seed);
    for (int i = 0; i < kills; i++) {
      VirtualGroup killed = new VirtualGroup(one, 0);
      killed.run(whole.metAtNs() + (long) (random.nextDouble() * (endNs - whole.metAtNs())));
      requireSame(whole, killed);
      all.add(killed);
    }
    return all;
  }

  /** As far as both have completed their operations. */
  private static void requireSame(VirtualGroup one, VirtualGroup other) {
    List<byte[][]> some = one.results();
    List<byte[][]> others = other.results();
    for (int epoch = 0; epoch < some.size(); epoch++) {
      for (int i = 0; i < some.get(epoch).length; i++) {
        byte[] mine = some.get(epoch)[i];
        byte[] theirs = others.get(epoch)[i];
        boolean isSame = mine == null || theirs == null || Arrays.equals(mine, theirs);
        assertTrue(isSame, one + " and " + other + ": operation " + i + " has other bits");
      }
    }
  }

  @Tag("slow")
  @Test
  void shouldGoOnWithoutARankThatIsKilledAtAnyMoment() {
    seeds(50).forEach(seed -> killed(seed, 3));
  }

  @Tag("slow")
  @Test
  void shouldHaveTheSameBitsHoweverLongAnythingTakes() {
    seeds(40)
        .forEach(
            seed -> {
              VirtualCase both = VirtualCase.of(seed);
              VirtualGroup one = new VirtualGroup(both, 0);
              VirtualGroup other = new VirtualGroup(both, 1);
              one.run(VirtualGroup.NEVER);
              other.run(VirtualGroup.NEVER);
              assertNotEquals(one.trace(), other.trace(), "other times");
              requireSame(one, other);
            });
  }

  @Test
  void shouldRepeatACaseByItsNumber() {
    seeds(2)
        .forEach(
            seed ->
                assertEquals(
                    killed(seed, 1).get(0).trace(), killed(seed, 1).get(0).trace(), "of " + seed));
  }

  /** Else what goes by pairs, or in blocks, would hardly ever be among the cases. */
  @Test
  void shouldMeetEachProgram() {
    Set<Class<?>> met = new HashSet<>();
    for (int seed = 0; seed < 100; seed++) {
      for (VirtualCase.Part part : VirtualCase.of(seed).parts()) {
        part.blueprints().forEach(each -> met.add(each.program().getClass()));
      }
    }
    assertEquals(Set.of(Program.class.getPermittedSubclasses()), met);
  }

  /** Whatever the graph, the operation and the moment; some wait in a run before the others'. */
  @Test
  void shouldFindTheRankThatHangs() {
    int[] found = new int[1];
    seeds(30)
        .forEach(
            seed -> {
              VirtualCase one = VirtualCase.of(seed);
              VirtualGroup whole = new VirtualGroup(one, 0);
              long endNs = whole.run(VirtualGroup.NEVER);
              VirtualGroup group = new VirtualGroup(one, 0);
              long spentNs = (endNs - whole.metAtNs()) / (1 + new Random(seed).nextInt(10));
              for (Stragglers each : group.hang(whole.metAtNs() + spentNs)) {
                assertEquals(Set.of(group.victim()), each.silent(), one.toString());
                assertEquals(Set.of(), each.idle(), one.toString());
                assertEquals(group.victim(), each.rank(), one.toString());
                found[0]++;
              }
            });
    assertTrue(found[0] > 0 || System.getProperty("mesh.test.seed") != null, "none waited");
  }

  @Test
  void shouldNoticeANoticeThatIsLost() {
    VirtualGroup group = new VirtualGroup(VirtualCase.of(3), 0);
    group.network().loseNotice(5);
    AssertionError hangs = assertThrows(AssertionError.class, () -> group.run(VirtualGroup.NEVER));
    assertTrue(hangs.getMessage().contains("hangs"), hangs::getMessage);
  }
}
