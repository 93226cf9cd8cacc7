// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.InterfaceRoutes;
import io.meshtransport.transport.route.AddressPair;
import io.meshtransport.transport.route.Candidate;
import io.meshtransport.transport.route.Host;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * When which candidate is tried, in virtual time.
 *
 * <p>Also tests {@link Connector}, {@link MeshConnector} and {@link RacePermit}.
 */
class CandidateRaceTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int TIMEOUT_MS = 5000;

  /** Enough that two threads meet within a few nanoseconds. */
  private static final int ROUNDS = 5_000;

  private static final int MAX_SPINS = 16;

  /** The race's log, and the time: everything happens at once, nothing by itself. */
  private static final class Course implements CandidateRace.Attempts {
    private record Due(long atNs, long number, Runnable task) {}

    final List<String> log = new ArrayList<>();
    final Set<String> alive = new HashSet<>();
    private final PriorityQueue<Due> dues =
        new PriorityQueue<>(Comparator.comparingLong(Due::atNs).thenComparingLong(Due::number));
    private long nowNs;
    private long numbers;

    CandidateRace race(List<Candidate> candidates, boolean isSideBySide) {
      return new CandidateRace(candidates, isSideBySide, TIMEOUT_MS * MS, this, () -> nowNs);
    }

    private void note(String what, Candidate candidate) {
      log.add(nowNs / MS + " " + what + " " + name(candidate));
    }

    @Override
    public void begin(Candidate candidate, long untilNs) {
      alive.add(name(candidate));
      note(untilNs == TIMEOUT_MS * MS ? "begin" : "begin until " + untilNs / MS, candidate);
    }

    @Override
    public void cancel(Candidate candidate) {
      note("cancel", candidate);
    }

    @Override
    public void after(long delayNs, Runnable task) {
      dues.add(new Due(nowNs + delayNs, numbers++, task));
    }

    @Override
    public void exhausted() {
      log.add(nowNs / MS + " exhausted");
    }

    long nowMs() {
      return nowNs / MS;
    }

    void fail(CandidateRace race, Candidate candidate) {
      alive.remove(name(candidate));
      race.failed(candidate);
    }

    void passMs(long ms) {
      long until = nowNs + ms * MS;
      while (!dues.isEmpty() && dues.peek().atNs() <= until) {
        Due due = dues.remove();
        nowNs = due.atNs();
        due.task().run();
      }
      nowNs = until;
    }
  }

  private final Course course = new Course();

  private static String name(Candidate candidate) {
    return candidate.nic().device();
  }

  private static List<Candidate> candidates(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                Host.of(Host.nic("eth" + i, "10.0." + i + ".1/24"))
                    .routesTo(Host.of(Host.nic("eth" + i, "10.0." + i + ".2/24")))
                    .candidates()
                    .get(0))
        .toList();
  }

  @Test
  void shouldTryTheNextAQuarterOfASecondAfterTheOneBefore() {
    CandidateRace race = course.race(candidates(3), /* isSideBySide= */ true);
    race.startNext();
    course.passMs(10_000);
    assertEquals(List.of("0 begin eth0", "250 begin eth1", "500 begin eth2"), course.log);
  }

  @Test
  void shouldGiveUpWhatCannotStandAndGoOnWithTheRest() {
    List<Candidate> all = candidates(4);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    course.passMs(250);
    race.drop(each -> each != all.get(3));
    course.fail(race, all.get(0));
    course.fail(race, all.get(1));
    course.passMs(10_000);
    assertTrue(race.hasDropped());
    course.fail(race, all.get(3));
    Collections.sort(course.log.subList(2, 4));
    assertEquals(
        List.of(
            "0 begin eth0",
            "250 begin eth1",
            "250 cancel eth0",
            "250 cancel eth1",
            "250 begin eth3",
            "10250 exhausted"),
        course.log);
  }

  @Test
  void shouldNotGiveUpTheOneThatGoesFurther() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    assertTrue(race.acquire(all.get(0)));
    race.drop(each -> true);
    course.passMs(10_000);
    assertEquals(List.of("0 begin eth0"), course.log);
    race.won(all.get(0));
    assertTrue(race.isOver());
  }

  @Test
  void shouldEndAtOnceWhenNothingThatIsLeftCanStand() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.drop(each -> true);
    assertEquals(List.of("0 exhausted"), course.log);
  }

  @Test
  void shouldGiveAnAttemptWhoseHostIsThereASecond() {
    List<Candidate> all = candidates(3);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    course.passMs(20);
    race.connected(all.get(0));
    course.passMs(10_000);
    assertEquals(List.of("0 begin eth0", "1000 begin eth1", "1250 begin eth2"), course.log);
  }

  @Test
  void shouldTryTheNextAtOnceWhenAnAttemptWhoseHostIsThereFails() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    race.connected(all.get(0));
    course.passMs(300);
    course.fail(race, all.get(0));
    course.passMs(10_000);
    assertEquals(List.of("0 begin eth0", "300 begin eth1"), course.log);
  }

  @Test
  void shouldGiveCablesASecondBeforeTheInterfaceOfTheDefaultRoute() {
    List<Candidate> all = new ArrayList<>(candidates(3));
    Candidate last = all.get(2);
    all.set(
        2,
        new Candidate(
            new AddressPair(
                last.nic().withRoutes(new InterfaceRoutes(/* isDefault= */ true, Set.of())),
                last.local(),
                last.remote()),
            last.why()));
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    course.passMs(10_000);
    assertEquals(List.of("0 begin eth0", "250 begin eth1", "1250 begin eth2"), course.log);
  }

  @Test
  void shouldTryTheNextAtOnceWhenOneHasFailed() {
    List<Candidate> all = candidates(4);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    course.passMs(100);
    course.fail(race, all.get(0));
    course.passMs(100);
    // The timer of the first, due at 250, starts nothing: the second began at 100.
    course.passMs(100);
    course.fail(race, all.get(1));
    course.passMs(1000);
    assertEquals(
        List.of("0 begin eth0", "100 begin eth1", "300 begin eth2", "550 begin eth3"), course.log);
  }

  @Test
  void shouldTryAgainWhatHasNoAddressOfItsOwnYet() {
    List<Candidate> two = candidates(2);
    CandidateRace race = course.race(two, /* isSideBySide= */ true);
    race.startNext();
    assertTrue(race.tryAgainSoon(two.get(0)));
    course.fail(race, two.get(1));
    course.passMs(250);
    assertEquals(List.of("0 begin eth0", "0 begin eth1", "250 begin eth0"), course.log);
    assertTrue(race.tryAgainSoon(two.get(0)));
    course.passMs(2_600);
    assertFalse(race.tryAgainSoon(two.get(0)), "for three seconds");
    course.fail(race, two.get(0));
    assertEquals("2850 exhausted", course.log.get(course.log.size() - 1));
  }

  @Test
  void shouldNotTryAgainOnceTheRaceIsOver() {
    List<Candidate> two = candidates(2);
    CandidateRace race = course.race(two, /* isSideBySide= */ true);
    race.startNext();
    assertTrue(race.tryAgainSoon(two.get(0)));
    race.won(two.get(1));
    assertFalse(race.tryAgainSoon(two.get(0)));
    course.passMs(1_000);
    assertEquals(List.of("0 begin eth0", "0 begin eth1", "0 cancel eth0"), course.log);
  }

  @Test
  void shouldGiveUpTheOthersWhenOneStands() {
    List<Candidate> all = candidates(3);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    course.passMs(300);
    assertTrue(race.acquire(all.get(1)));
    race.won(all.get(1));
    assertFalse(race.isIdle());
    course.fail(race, all.get(0));
    course.passMs(1000);
    assertTrue(race.isIdle());
    assertEquals(List.of("0 begin eth0", "250 begin eth1", "300 cancel eth0"), course.log);
  }

  @Test
  void shouldLetOneAtATimeGoFurtherAndTryTheOthersAgainWhenItFails() {
    List<Candidate> all = candidates(3);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    course.passMs(250);
    assertTrue(race.acquire(all.get(1)));
    assertFalse(race.acquire(all.get(0)));
    assertTrue(race.hasYielded(all.get(0)));
    course.fail(race, all.get(0));
    course.passMs(250);
    assertEquals(List.of("0 begin eth0", "250 begin eth1"), course.log, "nothing while it may win");
    course.fail(race, all.get(1));
    assertEquals("500 begin eth0", course.log.get(2));
    course.passMs(250);
    assertTrue(race.acquire(all.get(0)));
    race.won(all.get(0));
    assertEquals(List.of("750 begin eth2", "750 cancel eth2"), course.log.subList(3, 5));
  }

  /** As where its cable is cut after the peer's answer: no data connection comes up. */
  @Test
  void shouldLetAnotherTakeOverFromOneThatIsNotUpWithinASecond() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    assertTrue(race.acquire(all.get(0)));
    course.passMs(1_000);
    assertTrue(race.acquire(all.get(1)));
    assertFalse(race.confirm(all.get(0)), "the peer would have two channels");
    course.fail(race, all.get(0));
    assertTrue(race.confirm(all.get(1)));
    race.won(all.get(1));
    assertEquals(List.of("0 begin eth0", "1000 begin eth1", "1000 cancel eth0"), course.log);
  }

  @Test
  void shouldTryAgainTheOneThatStoodBackOnceTheFirstIsNotUp() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    course.passMs(250);
    assertTrue(race.acquire(all.get(0)));
    assertFalse(race.acquire(all.get(1)));
    course.fail(race, all.get(1));
    course.passMs(2_000);
    assertTrue(race.acquire(all.get(1)));
    assertEquals(
        List.of("0 begin eth0", "250 begin eth1", "1250 begin eth1", "2250 cancel eth0"),
        course.log);
  }

  /** It may be slow alone: where no other answers it keeps its time. */
  @Test
  void shouldLeaveThePermitToASlowOneWhereNoOtherAnswers() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    assertTrue(race.acquire(all.get(0)));
    course.passMs(3_000);
    assertTrue(race.confirm(all.get(0)));
    assertFalse(race.acquire(all.get(1)));
    race.won(all.get(0));
    assertEquals(List.of("0 begin eth0", "1000 begin eth1", "3000 cancel eth1"), course.log);
  }

  /** From then on the peer may have its channel. */
  @Test
  void shouldTakeThePermitFromNoneThatIsUp() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    course.passMs(250);
    assertTrue(race.acquire(all.get(0)));
    assertTrue(race.confirm(all.get(0)));
    course.passMs(4_000);
    assertFalse(race.acquire(all.get(1)));
    assertEquals(List.of("0 begin eth0", "250 begin eth1"), course.log);
  }

  /** On a busy host every one is slow: two must not take the permit in turns until all is over. */
  @Test
  void shouldNotLetOneThatWasOvertakenTakeThePermitBack() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    assertTrue(race.acquire(all.get(0)));
    course.passMs(1_000);
    assertTrue(race.acquire(all.get(1)));
    course.fail(race, all.get(0));
    course.passMs(3_000);
    assertFalse(course.alive.contains("eth0"), "tried again while the other may win");
    assertFalse(race.acquire(all.get(0)));
    course.fail(race, all.get(1));
    assertEquals("4000 begin eth0", course.log.get(3));
  }

  /** Its handshake was given up while its peer's answer was being read. */
  @Test
  void shouldGiveThePermitToNoneThatHasFailed() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    course.fail(race, all.get(0));
    assertFalse(race.acquire(all.get(0)), "it would have the permit until the deadline");
    assertTrue(race.acquire(all.get(1)));
    assertTrue(race.confirm(all.get(1)));
  }

  /** One thread takes a permit over, while another confirms it: else that one fails for good. */
  @Test
  void shouldHaveYieldedOnceItCannotConfirm() throws Exception {
    List<Candidate> all = candidates(2);
    AtomicReference<CandidateRace> overdue = new AtomicReference<>();
    AtomicInteger taken = new AtomicInteger();
    Thread taking =
        new Thread(
            () -> {
              for (int round = 0; round < ROUNDS && await(() -> overdue.get() != null); round++) {
                taken.addAndGet(overdue.getAndSet(null).acquire(all.get(1)) ? 1 : 0);
              }
            });
    taking.setDaemon(true);
    taking.start();
    Random random = new Random(7);
    int lost = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Course chance = new Course();
      AtomicBoolean isAcquiring = new AtomicBoolean();
      CandidateRace race =
          new CandidateRace(
              all,
              /* isSideBySide= */ true,
              TIMEOUT_MS * MS,
              chance,
              () -> {
                isAcquiring.lazySet(Thread.currentThread() == taking);
                return chance.nowNs;
              });
      race.startNext();
      assertTrue(race.acquire(all.get(0)));
      // The other begins.
      chance.passMs(CandidateRace.PERMIT_MS);
      overdue.set(race);
      assertTrue(await(isAcquiring::get));
      for (int spins = random.nextInt(MAX_SPINS); spins > 0; spins--) {
        Thread.onSpinWait();
      }
      boolean isLost = !race.confirm(all.get(0));
      assertEquals(isLost, race.hasYielded(all.get(0)), "round " + round);
      lost += isLost ? 1 : 0;
    }
    taking.join(TimeUnit.MINUTES.toMillis(1));
    assertEquals(lost, taken.get());
    assertTrue(lost > 0, "the permit was never taken");
  }

  /** Spins at first, so that two threads meet, and then leaves the processor to the other. */
  private static boolean await(BooleanSupplier condition) {
    for (int i = 0; i < 1000 && !condition.getAsBoolean(); i++) {
      Thread.onSpinWait();
    }
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean() && System.nanoTime() - endNs < 0) {
      Thread.yield();
    }
    return condition.getAsBoolean();
  }

  @Test
  void shouldConfirmNoneWhoseRaceIsOver() {
    List<Candidate> all = candidates(1);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    assertFalse(race.confirm(all.get(0)), "it has no permit");
    assertTrue(race.acquire(all.get(0)));
    race.end();
    assertFalse(race.confirm(all.get(0)));
  }

  @Test
  void shouldSayWhenNoneIsLeft() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ true);
    race.startNext();
    course.passMs(250);
    course.fail(race, all.get(0));
    course.fail(race, all.get(1));
    assertEquals("250 exhausted", course.log.get(2));
  }

  @Test
  void shouldHurryWhereTheDeadlineIsNear() {
    CandidateRace race =
        new CandidateRace(candidates(4), /* isSideBySide= */ true, 400 * MS, course, () -> 0);
    race.startNext();
    course.passMs(1000);
    // Shares of what is left, for the clock of this race stands still.
    assertEquals(
        List.of("0", "100", "233", "433"), course.log.stream().map(s -> s.split(" ")[0]).toList());
  }

  @Test
  void shouldTryOneAfterTheOtherWithSharesOfTheDeadlineWhereTwoWouldBeTooMany() {
    List<Candidate> all = candidates(2);
    CandidateRace race = course.race(all, /* isSideBySide= */ false);
    race.startNext();
    course.passMs(2500);
    course.fail(race, all.get(0));
    assertEquals(List.of("0 begin until 2500 eth0", "2500 begin eth1"), course.log);
  }

  @Test
  void shouldTryAnAddressThatIsGivenTwiceOnce() {
    List<Candidate> all = candidates(1);
    CandidateRace race = course.race(List.of(all.get(0), all.get(0)), /* isSideBySide= */ true);
    race.startNext();
    course.passMs(1000);
    assertEquals(List.of("0 begin eth0"), course.log);
  }

  /** Its peer answers at the moment when the caller gives up: no channel may come of it. */
  @Test
  void shouldLetNoAttemptGoFurtherWhenTheRaceIsOver() {
    List<Candidate> all = candidates(2);
    CandidateRace given = course.race(all, /* isSideBySide= */ true);
    given.startNext();
    given.end();
    assertFalse(given.acquire(all.get(0)));

    CandidateRace late = course.race(all, /* isSideBySide= */ true);
    late.startNext();
    course.passMs(CandidateRace.ATTEMPT_DELAY_MS);
    assertTrue(late.acquire(all.get(0)));
    late.end();
    course.fail(late, all.get(0));
    assertFalse(
        late.acquire(all.get(1)), "the one that failed had the permit when it was given up");
  }

  /** Whatever happens when: one ends it, or each was tried, and nothing stays. */
  @Test
  void shouldEndInEveryOrderOfEvents() {
    for (long seed = 0; seed < 2000; seed++) {
      Course chance = new Course();
      Random random = new Random(seed);
      List<Candidate> all = candidates(1 + random.nextInt(5));
      CandidateRace race = chance.race(all, /* isSideBySide= */ true);
      race.startNext();
      Candidate holder = null;
      long heldUntilMs = 0;
      Set<Candidate> overtaken = new HashSet<>();
      boolean won = false;
      for (int step = 0; step < 200 && !chance.log.contains("x"); step++) {
        chance.passMs(random.nextInt(200));
        List<Candidate> alive = all.stream().filter(c -> chance.alive.contains(name(c))).toList();
        if (alive.isEmpty()) {
          break;
        }
        Candidate one = alive.get(random.nextInt(alive.size()));
        if (one == holder && random.nextBoolean()) {
          assertTrue(race.confirm(one), "seed " + seed);
          race.won(one);
          chance.alive.remove(name(one));
          won = true;
          holder = null;
        } else if (!won && one != holder && random.nextBoolean()) {
          boolean mayTake = chance.nowMs() >= heldUntilMs && !overtaken.contains(one);
          boolean mayGoOn = race.acquire(one);
          assertEquals(holder == null || mayTake, mayGoOn, "seed " + seed);
          if (mayGoOn) {
            if (holder != null) {
              assertFalse(race.confirm(holder), "seed " + seed);
              overtaken.add(holder);
              chance.fail(race, holder);
            }
            holder = one;
            long leftMs = Math.max(0, TIMEOUT_MS - chance.nowMs());
            heldUntilMs = chance.nowMs() + (Math.min(2 * CandidateRace.PERMIT_MS, leftMs) + 1) / 2;
          } else {
            chance.fail(race, one);
          }
        } else {
          holder = one == holder ? null : holder;
          chance.fail(race, one);
        }
      }
      assertTrue(race.isIdle(), "seed " + seed + ": " + chance.log);
      boolean exhausted = chance.log.stream().anyMatch(line -> line.endsWith("exhausted"));
      assertEquals(!won, exhausted, "seed " + seed + ": " + chance.log);
      Set<String> begun = new HashSet<>();
      chance.log.stream()
          .filter(line -> line.contains("begin"))
          .forEach(line -> begun.add(line.split(" ")[2]));
      assertTrue(won || begun.size() == all.size(), "seed " + seed + ": " + chance.log);
    }
  }
}
