// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.exec.Arithmetic;
import io.meshtransport.collectives.exec.Blueprint;
import io.meshtransport.collectives.exec.FloodProgram;
import io.meshtransport.collectives.exec.Local;
import io.meshtransport.collectives.exec.Peers;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@link LocalRank} without neighbours, at a poller that waits until it is woken, with {@link
 * PollerTurn} for its threads.
 */
class LocalRankTest {
  private static final long SOON_S = 20;
  private static final GroupMembership PAIR =
      new GroupMembership("g", "g", 0, List.of("a", "b"), 0);

  private final Semaphore waits = new Semaphore(0);
  private final Semaphore wakeups = new Semaphore(0);
  private final AtomicBoolean isBroken = new AtomicBoolean();
  private final LocalRank rank = rank(PAIR);

  private LocalRank rank(GroupMembership membership) {
    Poller poller =
        Fakes.of(
            Poller.class,
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "poll" -> 0;
                  case "await" -> awaitWakeup();
                  case "wakeup" -> {
                    wakeups.release();
                    yield null;
                  }
                  case "close" -> null;
                  default -> throw new UnsupportedOperationException(method.toString());
                });
    Transport transport = Fakes.of(Transport.class, (proxy, method, arguments) -> poller);
    try {
      return new LocalRank(membership, new MemberLinks(transport, membership.size()));
    } catch (TransportException e) {
      throw new AssertionError(e);
    }
  }

  private int awaitWakeup() {
    waits.release();
    wakeups.acquireUninterruptibly();
    if (isBroken.getAndSet(false)) {
      throw new IllegalStateException("broken");
    }
    return 0;
  }

  private Thread waiting() {
    Thread thread =
        new Thread(
            () -> {
              rank.lock();
              try {
                rank.await(new Never(), Long.MAX_VALUE);
              } catch (CollectiveException | IllegalStateException e) {
                // How it ends is not what is tested.
              } finally {
                rank.unlock();
              }
            });
    thread.start();
    return thread;
  }

  private static final class Never implements LocalRank.Goal {
    @Override
    public boolean advance() {
      return false;
    }

    @Override
    public long leftNs() {
      return Long.MAX_VALUE;
    }
  }

  private static void end(Thread thread) throws InterruptedException {
    thread.join(TimeUnit.SECONDS.toMillis(SOON_S));
    assertFalse(thread.isAlive());
  }

  @Test
  void shouldCloseThoughItsThreadIsInterrupted() throws Exception {
    Thread poller = waiting();
    assertTrue(waits.tryAcquire(SOON_S, TimeUnit.SECONDS));
    AtomicBoolean isInterrupted = new AtomicBoolean();
    Thread closer =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              rank.close(0);
              isInterrupted.set(Thread.interrupted());
            });
    closer.start();
    end(closer);
    end(poller);
    assertTrue(isInterrupted.get(), "the interrupt is the program's, and stays");
  }

  @Test
  void shouldWakeTheOthersWhenThePollerThrows() throws Exception {
    Thread first = waiting();
    assertTrue(waits.tryAcquire(SOON_S, TimeUnit.SECONDS));
    Thread second = waiting();
    await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> second.getState() == Thread.State.TIMED_WAITING);
    isBroken.set(true);
    wakeups.release();
    end(first);
    assertTrue(waits.tryAcquire(SOON_S, TimeUnit.SECONDS), "the second is at the poller");
    rank.close(0);
    end(second);
  }

  /** Without neighbours that acknowledge what they hear, nothing else wakes it. */
  @Test
  void shouldWakeTheThreadAtThePollerWhenAnotherFailsTheGroup() throws Exception {
    Thread poller = waiting();
    assertTrue(waits.tryAcquire(SOON_S, TimeUnit.SECONDS));
    rank.lock();
    try {
      rank.fail(new Failure(Reason.ABORTED, 0, "a aborted"));
    } finally {
      rank.unlock();
    }
    end(poller);
    rank.close(0);
  }

  /** {@link PlanExchange} at rank 1, of what rank 0 has sent. */
  @ParameterizedTest
  @ValueSource(
      strings = {"", "00", "00000000", "00400001", "ffffffff", "00000003,", "00000001,0203"})
  void shouldRefuseAPlanThatCannotBeOne(String records) throws Exception {
    LocalRank other = rank(new GroupMembership("g", "g", 0, List.of("a", "b"), 1));
    int round = 0;
    for (String each : records.split(",", -1)) {
      byte[] body = HexFormat.of().parseHex("0" + RoundKind.PLAN.ordinal() + each);
      other.control(0, new RankMessage(RankMessage.Kind.RECORD, 0, round++, body).encode());
    }
    other.lock();
    try {
      CollectiveException refused =
          assertThrows(
              CollectiveException.class,
              () ->
                  PlanExchange.share(
                      other, new byte[0], Deadline.after(Duration.ofSeconds(SOON_S))));
      assertEquals(Reason.MISMATCH, refused.reason());
      assertEquals(0, refused.rank());
    } finally {
      other.unlock();
      other.close(0);
    }
  }

  @Test
  void shouldFailTheGroupAtAGoodbyeThatCountsNoRuns() {
    rank.lock();
    try {
      rank.control(1, Departures.goodbye(1, -1).encode());
      CollectiveException failed = assertThrows(CollectiveException.class, rank::check);
      assertEquals(Reason.MISMATCH, failed.reason());
      assertEquals(1, failed.rank());
    } finally {
      rank.unlock();
      rank.close(0);
    }
  }

  @Test
  void shouldFailTheGroupAtANoticeThatNoOperationAllows() throws Exception {
    FloodProgram barrier =
        new FloodProgram(
            List.of(new int[] {-1, 0}, new int[] {1, -1}), 0, FloodProgram.Ending.REDUCE);
    Peers peers = new Peers(new RemoteMemory[2], new RemoteMemory[2], new long[2]);
    rank.lock();
    try {
      rank.engine()
          .add(
              0,
              new Blueprint(barrier, ""),
              Arithmetic.none(1),
              new Local(null, null, null),
              peers);
      rank.notice(1, 1 << 12);
      rank.check();
      rank.notice(1, 4095 << 12);
      CollectiveException failed = assertThrows(CollectiveException.class, rank::check);
      assertEquals(Reason.ABORTED, failed.reason());
      assertEquals(1, failed.rank());
      assertTrue(failed.getMessage().contains("00fff000"), failed.getMessage());
    } finally {
      rank.unlock();
      rank.close(0);
    }
  }
}
