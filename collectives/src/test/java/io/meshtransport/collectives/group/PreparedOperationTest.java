// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.exec.Arithmetic;
import io.meshtransport.collectives.exec.Blueprint;
import io.meshtransport.collectives.exec.FloodProgram;
import io.meshtransport.collectives.exec.Local;
import io.meshtransport.collectives.exec.Peers;
import io.meshtransport.collectives.exec.Region;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.TransportException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link PreparedOperation}: a barrier of two ranks, the other of which the test plays. */
class PreparedOperationTest {
  private static final long SOON_S = 20;
  private final AtomicReference<Object> result = new AtomicReference<>();
  private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 1_000_000);
  private final PlayedPair pair;
  private final LocalRank rank;
  private final PreparedOperation barrier;

  PreparedOperationTest() throws TransportException {
    pair = new PlayedPair();
    rank = pair.rank;
    FloodProgram program =
        new FloodProgram(
            List.of(new int[] {-1, 0}, new int[] {1, -1}), 0, FloodProgram.Ending.REDUCE);
    Peers peers = new Peers(new RemoteMemory[2], new RemoteMemory[2], new long[2]);
    Local local = new Local(nothing(), nothing(), nothing());
    rank.lock();
    rank.engine().add(0, new Blueprint(program, ""), Arithmetic.none(1), local, peers);
    rank.engine().open(0);
    rank.unlock();
    OperationSpec spec = OperationSpec.of(OperationSpec.Kind.BARRIER, 0, DataType.I8);
    barrier = new PreparedOperation(rank, 0, spec, "", List.of(), nowNs::get);
  }

  private Region nothing() {
    return new Region(pair.memory, 0, 0);
  }

  private Thread waiting() throws InterruptedException {
    Thread waiter =
        new Thread(
            () -> {
              try {
                result.set(barrier.await(Long.MAX_VALUE));
              } catch (CollectiveException | RuntimeException e) {
                result.set(e);
              }
            });
    waiter.start();
    assertTrue(pair.waits.tryAcquire(SOON_S, TimeUnit.SECONDS));
    return waiter;
  }

  private static void end(Thread thread) throws InterruptedException {
    thread.join(TimeUnit.SECONDS.toMillis(SOON_S));
    assertFalse(thread.isAlive());
  }

  /** A third thread handles the last notice, and the closing one is there before the waiting. */
  @Test
  void shouldEndTheWaitForARunThatIsCompleteAndClosedSince() throws Exception {
    barrier.start(Collective.NO_DEADLINE);
    Thread waiter = waiting();
    rank.lock();
    rank.notice(1, 1 << 12);
    rank.engine().advance();
    assertTrue(rank.isDone(0));
    barrier.close();
    pair.wakeups.release();
    rank.unlock();
    end(waiter);
    assertEquals(true, result.get());
  }

  private CollectiveException timedOut() {
    CollectiveException late = assertThrows(CollectiveException.class, () -> barrier.await(0));
    assertEquals(CollectiveException.Reason.TIMED_OUT, late.reason());
    return late;
  }

  @Test
  void shouldTimeOutAtOnceWhereTheTimeIsOver() throws Exception {
    barrier.start(Long.MIN_VALUE);
    nowNs.incrementAndGet();
    timedOut();
  }

  private void reportOfNeighbour(int round) {
    byte[] report = new ProgressReport(0, 1, 0, 0).encode();
    rank.lock();
    rank.control(1, new RankMessage(RankMessage.Kind.PROGRESS, 1, round, report).encode());
    rank.unlock();
  }

  @Test
  void shouldNameTheRankThatReportsThatItHasNotStarted() throws Exception {
    barrier.start(TimeUnit.MILLISECONDS.toNanos(400));
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(300));
    assertFalse(barrier.await(0));
    reportOfNeighbour(1);
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
    assertFalse(barrier.await(0));
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
    CollectiveException late = timedOut();
    assertEquals(1, late.rank());
    String ending = "; " + rank.membership().member(1) + " had not started it a moment before.";
    assertTrue(late.getMessage().endsWith(ending), late.getMessage());
  }

  /** Its own round began so late that no rank can have reported. */
  @Test
  void shouldBlameNobodyWhoHadNoTimeToReport() throws Exception {
    barrier.start(TimeUnit.MILLISECONDS.toNanos(400));
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(400) - 1);
    assertFalse(barrier.await(0));
    assertEquals(1, pair.sends.get());
    nowNs.incrementAndGet();
    assertEquals(CollectiveException.NO_RANK, timedOut().rank());
  }

  /** A report in a round of long ago, which another rank began, is none in its own. */
  @Test
  void shouldBeginARoundThoughItHasReportedBefore() throws Exception {
    barrier.start(TimeUnit.MINUTES.toNanos(1));
    reportOfNeighbour(1);
    assertEquals(1, pair.sends.get(), "in the other's round");
    nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1) - TimeUnit.MILLISECONDS.toNanos(100));
    assertFalse(barrier.await(0));
    assertEquals(2, pair.sends.get(), "in its own");
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
    assertFalse(barrier.await(0));
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
    CollectiveException late = timedOut();
    assertTrue(late.getMessage().contains("reported nothing"), late.getMessage());
  }

  /** As where it was stopped from its round's beginning until after its deadline. */
  @Test
  void shouldBlameNobodyWhereItHasNotPolledForReports() throws Exception {
    barrier.start(TimeUnit.MILLISECONDS.toNanos(400));
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(300));
    assertFalse(barrier.await(0));
    nowNs.addAndGet(TimeUnit.SECONDS.toNanos(10));
    assertEquals(CollectiveException.NO_RANK, timedOut().rank());
  }

  @Test
  void shouldReportNothingOnceItsGroupHasFailed() throws Exception {
    barrier.start(TimeUnit.MILLISECONDS.toNanos(400));
    rank.lock();
    rank.fail(new Failure(CollectiveException.Reason.ABORTED, 1, "b aborted"));
    rank.unlock();
    int sends = pair.sends.get();
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(350));
    assertThrows(CollectiveException.class, () -> barrier.await(0));
    assertEquals(sends, pair.sends.get());
  }

  /** A thread that comes only after the deadline has begun no round. */
  @Test
  void shouldBlameNobodyWithoutReports() throws Exception {
    barrier.start(0);
    CollectiveException late = timedOut();
    assertEquals(CollectiveException.NO_RANK, late.rank());
    String ending =
        "; it waited for " + rank.membership().member(1) + ", which may have waited for others.";
    assertTrue(late.getMessage().endsWith(ending), late.getMessage());
  }

  /** In the last quarter of its time, and no longer than others need: it begins a round. */
  @ParameterizedTest
  @CsvSource({"400, 100", "3600000, 250"})
  void shouldReportBeforeItsDeadline(long deadlineMs, long reportingMs) throws Exception {
    barrier.start(TimeUnit.MILLISECONDS.toNanos(deadlineMs));
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(deadlineMs - reportingMs) - 1);
    assertFalse(barrier.await(0));
    assertEquals(1, barrier.leftNs(), "until it reports");
    assertEquals(0, pair.sends.get());
    nowNs.incrementAndGet();
    for (int i = 0; i < 3; i++) {
      assertFalse(barrier.await(0));
      assertEquals(1, pair.sends.get(), "once");
    }
    assertEquals(TimeUnit.MILLISECONDS.toNanos(10), barrier.leftNs(), "until reports are here");
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
    assertFalse(barrier.await(0));
    assertEquals(TimeUnit.MILLISECONDS.toNanos(reportingMs - 10), barrier.leftNs());
    assertEquals(Set.of(1), rank.reports().stragglers(0, 1).silent());
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(reportingMs - 10));
    assertEquals(1, timedOut().rank());
    assertEquals(2, pair.sends.get(), "the failure");
  }

  @Test
  void shouldEndTheWaitForARunThatIsClosedMeanwhile() throws Exception {
    barrier.start(Collective.NO_DEADLINE);
    Thread waiter = waiting();
    barrier.close();
    end(waiter);
    CollectiveException failed = (CollectiveException) result.get();
    assertEquals(CollectiveException.Reason.ABORTED, failed.reason());
  }
}
