// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * {@link LinkProbe} with {@link RateProbe} and {@link RoundTripProbe}, and how {@link ExtraCables}
 * waits, at a neighbour that a test plays.
 */
class LinkProbeTest {
  private final PlayedPair pair;
  private final LocalRank rank;

  LinkProbeTest() throws TransportException {
    pair = new PlayedPair();
    rank = pair.rank;
  }

  /** Else they went on beside the first operations, up to thousands of them. */
  @Test
  void shouldPingOnlyWhileItMeasuresRoundTrips() {
    rank.lock();
    try {
      LinkProbe probe = new LinkProbe(rank, new JoinedGraph(2, List.of()));
      probe.handle(1, new RankMessage(RankMessage.Kind.PING, 1, 0, new byte[0]));
      assertEquals(1, pair.sends.get(), "the neighbour measures");
      probe.handle(1, new RankMessage(RankMessage.Kind.PONG, 1, 0, new byte[0]));
      assertEquals(1, pair.sends.get());
    } finally {
      rank.unlock();
    }
  }

  private CollectiveException failureOfATurn(Duration timeout) {
    rank.lock();
    try {
      RateProbe rates = new RateProbe(rank, pair.memory, System::nanoTime);
      return assertThrows(
          CollectiveException.class, () -> rates.measure(1, false, Deadline.after(timeout)));
    } finally {
      rank.unlock();
    }
  }

  @Test
  void shouldNameTheNeighbourThatIsNotReadyInTime() {
    CollectiveException late = failureOfATurn(Duration.ZERO);
    assertEquals(Reason.TIMED_OUT, late.reason());
    assertEquals(1, late.rank());
    assertEquals(2, pair.sends.get(), "that it is ready, and that the group has failed");
  }

  @Test
  void shouldNotWaitForANeighbourThatHasLeft() {
    rank.lock();
    rank.control(1, Departures.goodbye(1, 0).encode());
    rank.unlock();
    CollectiveException left = failureOfATurn(Duration.ofSeconds(20));
    assertEquals(Reason.ABORTED, left.reason());
    assertEquals(1, left.rank());
  }

  @Test
  void shouldGiveUpAnAttemptWhenTheGroupFailsMeanwhile() {
    Deadline soon = Deadline.after(Duration.ofSeconds(20));
    ExtraCables cables = new ExtraCables(null, rank, MeshGroup.OPTIONS, soon);
    ChannelFuture<Connection> attempt = new ChannelFuture<>();
    rank.lock();
    try {
      rank.fail(new Failure(Reason.ABORTED, 1, "b aborted"));
      assertThrows(CollectiveException.class, () -> cables.connect(() -> attempt, made -> true));
    } finally {
      rank.unlock();
    }
    assertTrue(attempt.isCancelled());
  }

  private Optional<Connection> connected(
      ExtraCables.Attempt attempt, Predicate<Connection> isWanted) throws CollectiveException {
    Deadline soon = Deadline.after(Duration.ofSeconds(20));
    rank.lock();
    try {
      return new ExtraCables(null, rank, MeshGroup.OPTIONS, soon).connect(attempt, isWanted);
    } finally {
      rank.unlock();
    }
  }

  private int attemptsThatFail(TransportException.Reason why) throws CollectiveException {
    AtomicInteger attempts = new AtomicInteger();
    ExtraCables.Attempt failing =
        () -> {
          attempts.incrementAndGet();
          ChannelFuture<Connection> failed = new ChannelFuture<>();
          failed.completeExceptionally(new TransportException(why, "a test's"));
          return failed;
        };
    assertTrue(connected(failing, made -> true).isEmpty());
    return attempts.get();
  }

  /** The first handshake of a process that has just begun may hang on a busy host. */
  @Test
  void shouldTryACableOnceMoreThatDoesNotAnswer() throws Exception {
    assertEquals(2, attemptsThatFail(TransportException.Reason.TIMED_OUT));
    assertEquals(1, attemptsThatFail(TransportException.Reason.NO_ROUTE));
  }

  /** Where the other cable answers sooner, the connection is over that. */
  @Test
  void shouldTryACableOnceMoreWhereAnotherIsConnectedInItsPlace() throws Exception {
    List<Connection> made = new ArrayList<>();
    List<Connection> closed = new ArrayList<>();
    ExtraCables.Attempt attempt =
        () -> {
          made.add(
              Fakes.of(
                  Connection.class,
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                      closed.add((Connection) proxy);
                    }
                    return method.getName().equals("equals") ? proxy == arguments[0] : null;
                  }));
          ChannelFuture<Connection> done = new ChannelFuture<>();
          done.complete(made.get(made.size() - 1));
          return done;
        };
    Optional<Connection> second = connected(attempt, each -> made.size() == 2);
    assertSame(made.get(1), second.orElseThrow());
    assertEquals(List.of(made.get(0)), closed);
    assertTrue(connected(attempt, each -> false).isEmpty());
    assertEquals(4, made.size());
  }
}
