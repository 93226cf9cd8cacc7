// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.NicDescription;
import io.meshtransport.spi.Traffic;
import io.meshtransport.spi.TransportException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@link ExtraCables} between two ranks by their {@link CableSubnets}, which {@link
 * NeighbourCables} connects, and how a rank waits for them, at a neighbour that a test plays:
 * {@link CableConnector} of {@link CableAttempts}, which are {@link CableConnect}s. How streams
 * share them {@code EngineTest} shows.
 */
class ExtraCablesTest {
  private static final int MANY = 1 << 20;

  private static final int MANY_TURNS = 1000;

  private final PlayedPair pair;
  private final LocalRank rank;

  ExtraCablesTest() throws TransportException {
    pair = new PlayedPair();
    rank = pair.rank;
  }

  @Test
  void shouldKnowTheSubnetsThatTwoNodesShare() {
    List<String> own = List.of("10.0.1.1/24", "10.0.2.1/24", "fe80::1/64", "10.1.0.9/30");
    List<String> theirs = List.of("10.0.2.7/24", "10.0.1.7/24", "fe80::2/64", "10.1.0.13/30");
    assertEquals(
        List.of("/10.0.1.7", "/10.0.2.7"),
        CableSubnets.shared(own, theirs).values().stream().map(Object::toString).toList());
    assertEquals(
        CableSubnets.shared(own, theirs).keySet(), CableSubnets.shared(theirs, own).keySet());
    assertEquals(CableSubnets.subnet("10.1.0.9/30"), CableSubnets.subnet("10.1.0.10/30"));
    assertEquals(CableSubnets.subnet("fe80::%to-b/64"), CableSubnets.subnet("fe80::7/64"));
    assertTrue(CableSubnets.shared(own, List.of("10.0.1.1/24")).isEmpty());
  }

  @Tag("slow")
  @Test
  void shouldShareTwoCables() throws Exception {
    try (LoopbackGroup pair = LoopbackGroup.on(List.of(List.of(1, 2), List.of(1, 2), List.of(2)))) {
      pair.together(
          group -> {
            for (int run = 0; run < 4; run++) {
              float[] values = new float[MANY];
              values[0] = group.rank();
              values[MANY - 1] = 1;
              group.allReduce(values, ReduceOp.SUM);
              assertArrayEquals(new float[] {3, 3}, new float[] {values[0], values[MANY - 1]});
              int[] mine = {group.rank(), 7};
              assertArrayEquals(new int[] {0, 7, 1, 7, 2, 7}, group.allGather(mine));
            }
            return null;
          });
      List<Traffic> nics = pair.transports.get(0).statistics().nics();
      for (Traffic each : nics) {
        // At least what joining measures.
        assertTrue(each.sent().get(Counter.BYTES) > 100_000, nics.toString());
      }
    }
  }

  @Test
  void shouldGiveUpAnAttemptWhenTheGroupFailsMeanwhile() {
    Deadline soon = Deadline.after(Duration.ofSeconds(20));
    CableConnector connector = new CableConnector(rank, soon);
    ChannelFuture<Connection> attempt = new ChannelFuture<>();
    rank.lock();
    try {
      rank.fail(new Failure(Reason.ABORTED, 1, "b aborted"));
      List<CableAttempts> dialled = List.of(attempts(soon, () -> attempt, made -> true));
      assertThrows(CollectiveException.class, () -> connector.connect(dialled));
    } finally {
      rank.unlock();
    }
    assertTrue(attempt.isCancelled());
  }

  private Optional<Connection> connected(
      CableAttempts.Attempt attempt, Predicate<Connection> isWanted)
      throws CollectiveException, TransportException {
    return connected(Deadline.after(Duration.ofSeconds(20)), attempt, isWanted);
  }

  private Optional<Connection> connected(
      Deadline deadline, CableAttempts.Attempt attempt, Predicate<Connection> isWanted)
      throws CollectiveException, TransportException {
    CableAttempts attempts = attempts(deadline, attempt, isWanted);
    connectAll(deadline, List.of(attempts));
    return attempts.made();
  }

  private static CableAttempts attempts(
      Deadline deadline, CableAttempts.Attempt attempt, Predicate<Connection> isWanted) {
    return new CableAttempts("group", attempt, isWanted, deadline);
  }

  private void connectAll(Deadline deadline, List<CableAttempts> attempts)
      throws CollectiveException, TransportException {
    rank.lock();
    try {
      new CableConnector(rank, deadline).connect(attempts);
    } finally {
      rank.unlock();
    }
  }

  /** Of two cables to a neighbour it is the one that people have to look at. */
  @Test
  void shouldNameTheInterfaceOfACableThatIsLeftOut() throws Exception {
    GroupMembership membership = new GroupMembership("g", "g", 0, List.of("a", "b"), 0);
    List<NicDescription> nics = List.of(nic("eth1", "10.0.1.1/24"), nic("eth2", "10.0.2.1/24"));
    Map<String, InetAddress> shared =
        CableSubnets.shared(List.of("10.0.2.1/24"), List.of("10.0.2.7/24"));
    Map.Entry<String, InetAddress> second = shared.entrySet().iterator().next();
    String cable =
        NeighbourCables.describe(membership, 1, nics, second.getKey(), second.getValue());
    Deadline soon = Deadline.after(Duration.ofSeconds(20));
    CableAttempts attempts =
        new CableAttempts(
            cable,
            () -> failed(TransportException.Reason.NO_ROUTE, "a test's"),
            made -> true,
            soon);
    try (JoinLines lines = new JoinLines(CableAttempts.class, "group 'g' of 2 members [a, b]")) {
      connectAll(soon, List.of(attempts));
      assertEquals(
          List.of(
              "WARN group 'g' of 2 members [a, b]: the cable at eth2 to rank 1 (b), 10.0.2.7, is left out: a test's"),
          lines.get());
    }
    String gone =
        NeighbourCables.describe(membership, 1, List.of(), second.getKey(), second.getValue());
    assertTrue(gone.contains(" the cable at an interface that is gone to "), gone);
  }

  private static NicDescription nic(String netdev, String address) {
    return new NicDescription("soft-" + netdev, netdev, "soft", List.of(address), 0, 1 << 20);
  }

  private static ChannelFuture<Connection> failed(TransportException.Reason why, String text) {
    ChannelFuture<Connection> failed = new ChannelFuture<>();
    failed.completeExceptionally(new TransportException(why, text));
    return failed;
  }

  private int attemptsThatFail(TransportException.Reason why)
      throws CollectiveException, TransportException {
    AtomicInteger attempts = new AtomicInteger();
    CableAttempts.Attempt failing =
        () -> {
          attempts.incrementAndGet();
          return failed(why, "a test's");
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
    CableAttempts.Attempt attempt =
        sooner(
            made,
            unwanted -> {
              closed.add(unwanted);
              return CompletableFuture.completedFuture(null);
            });
    Optional<Connection> second = connected(attempt, each -> made.size() == 2);
    assertSame(made.get(1), second.orElseThrow());
    assertEquals(List.of(made.get(0)), closed);
    assertTrue(connected(attempt, each -> false).isEmpty());
    assertEquals(4, made.size());
  }

  /**
   * Connects at once.
   *
   * @param made gets each connection
   * @param closeAsync of one
   */
  private static CableAttempts.Attempt sooner(
      List<Connection> made, Function<Connection, CompletionStage<Void>> closeAsync) {
    return () -> {
      made.add(
          Fakes.of(
              Connection.class,
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "close" -> throw new AssertionError("it waits");
                    case "closeAsync" -> closeAsync.apply((Connection) proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> null;
                  }));
      ChannelFuture<Connection> done = new ChannelFuture<>();
      done.complete(made.get(made.size() - 1));
      return done;
    };
  }

  /** Which takes half a second, or more where a driver is slow, with the member's lock. */
  @Test
  void shouldNotHoldUpOthersWhileAConnectionCloses() throws Exception {
    List<Connection> made = new ArrayList<>();
    CompletableFuture<Void> closing = new CompletableFuture<>();
    List<Integer> madeBefore = new ArrayList<>();
    Deadline deadline =
        heldUp(
            reading -> {
              if (reading == 20) {
                madeBefore.add(made.size());
                closing.complete(null);
              }
            });
    CableAttempts attempts =
        attempts(deadline, sooner(made, unwanted -> closing), each -> made.size() == 2);
    Connection other = Fakes.of(Connection.class, (proxy, method, arguments) -> null);
    CableAttempts beside =
        attempts(deadline, () -> done(other), each -> !closing.isDone() && made.size() == 1);
    pair.wakeups.release(MANY_TURNS);
    connectAll(deadline, List.of(attempts, beside));
    assertEquals(List.of(1), madeBefore, "the next attempt has begun before that");
    assertSame(made.get(1), attempts.made().orElseThrow());
    assertSame(other, beside.made().orElseThrow());
  }

  private static ChannelFuture<Connection> done(Connection connection) {
    ChannelFuture<Connection> done = new ChannelFuture<>();
    done.complete(connection);
    return done;
  }

  @Test
  void shouldNotWaitBeyondTheDeadlineUntilAConnectionIsClosed() throws Exception {
    List<Connection> made = new ArrayList<>();
    AtomicInteger readings = new AtomicInteger();
    Deadline deadline = new Deadline(20, readings::incrementAndGet);
    pair.wakeups.release(MANY_TURNS);
    assertTrue(
        connected(deadline, sooner(made, unwanted -> new CompletableFuture<>()), each -> false)
            .isEmpty());
    assertEquals(1, made.size());
  }

  /** It has come, and its turn has not. */
  @Test
  void shouldNotWaitUntilAConnectionIsClosedThatIsGivenUp() throws Exception {
    List<Connection> made = new ArrayList<>();
    List<Connection> closed = new ArrayList<>();
    ChannelFuture<Connection> late = new ChannelFuture<>();
    CableAttempts attempts =
        attempts(Deadline.after(Duration.ofSeconds(20)), () -> late, each -> true);
    assertFalse(attempts.advance(0));
    late.complete(
        sooner(
                made,
                unused -> {
                  closed.add(unused);
                  return new CompletableFuture<>();
                })
            .begin()
            .join());
    attempts.giveUp();
    assertEquals(made, closed);
  }

  /** A deadline that is far, on a clock that goes on by 10 s at each reading. */
  private static Deadline heldUp(Consumer<Integer> onReading) {
    AtomicInteger readings = new AtomicInteger();
    return new Deadline(
        Long.MAX_VALUE,
        () -> {
          onReading.accept(readings.incrementAndGet());
          return TimeUnit.SECONDS.toNanos(10) * readings.get();
        });
  }

  /** What a process slept through, as a virtual machine that is paused does, it has not waited. */
  @Test
  void shouldNotCountAsWaitedWhatItWasHeldUp() throws Exception {
    Connection made = Fakes.of(Connection.class, (proxy, method, arguments) -> null);
    ChannelFuture<Connection> begun = new ChannelFuture<>();
    AtomicInteger attempts = new AtomicInteger();
    Deadline deadline =
        heldUp(
            reading -> {
              if (reading == 20) {
                begun.complete(made);
              }
            });
    CableAttempts.Attempt attempt =
        () -> {
          attempts.incrementAndGet();
          return begun;
        };
    pair.wakeups.release(MANY_TURNS);
    assertSame(made, connected(deadline, attempt, each -> true).orElseThrow());
    assertEquals(1, attempts.get());
  }

  @Test
  void shouldGiveUpACableThatDoesNotAnswerThoughItIsHeldUpEachTurn() throws Exception {
    List<ChannelFuture<Connection>> begun = new ArrayList<>();
    CableAttempts.Attempt silent =
        () -> {
          begun.add(new ChannelFuture<>());
          return begun.get(begun.size() - 1);
        };
    pair.wakeups.release(MANY_TURNS);
    assertTrue(connected(heldUp(reading -> {}), silent, made -> true).isEmpty());
    assertEquals(2, begun.size());
    assertTrue(begun.stream().allMatch(ChannelFuture::isDone), "an attempt goes on");
  }

  /** A cable that is dead takes seconds, at each of many neighbours perhaps. */
  @Test
  void shouldNotHoldUpOneNeighbourWhileTheCableOfAnotherDoesNotAnswer() throws Exception {
    List<ChannelFuture<Connection>> begun = new ArrayList<>();
    CableAttempts.Attempt silent =
        () -> {
          begun.add(new ChannelFuture<>());
          return begun.get(begun.size() - 1);
        };
    Connection made = Fakes.of(Connection.class, (proxy, method, arguments) -> null);
    ChannelFuture<Connection> later = new ChannelFuture<>();
    Deadline deadline =
        heldUp(
            reading -> {
              if (reading == 20) {
                later.complete(made);
              }
            });
    CableAttempts dead = attempts(deadline, silent, each -> true);
    List<Boolean> wasDeadUnderWay = new ArrayList<>();
    CableAttempts live =
        attempts(
            deadline,
            () -> later,
            each -> wasDeadUnderWay.add(begun.size() == 1 && !begun.get(0).isDone()));
    pair.wakeups.release(MANY_TURNS);
    connectAll(deadline, List.of(dead, live));
    assertSame(made, live.made().orElseThrow());
    assertEquals(List.of(true), wasDeadUnderWay);
    assertTrue(dead.made().isEmpty());
    assertEquals(2, begun.size());
  }

  @Test
  void shouldGiveUpAllAttemptsWhenOneCannotBegin() {
    ChannelFuture<Connection> pending = new ChannelFuture<>();
    Deadline soon = Deadline.after(Duration.ofSeconds(20));
    List<CableAttempts> both =
        List.of(
            attempts(soon, () -> pending, made -> true),
            attempts(
                soon,
                () -> {
                  throw new TransportException(TransportException.Reason.CLOSED, "a test's");
                },
                made -> true));
    assertThrows(TransportException.class, () -> connectAll(soon, both));
    assertTrue(pending.isCancelled());
  }

  /** As where the transport is closed meanwhile. */
  @Test
  void shouldThrowWhereNoAttemptCanBegin() {
    CableAttempts.Attempt closed =
        () -> {
          throw new TransportException(TransportException.Reason.CLOSED, "a test's");
        };
    TransportException why =
        assertThrows(TransportException.class, () -> connected(closed, made -> true));
    assertEquals(TransportException.Reason.CLOSED, why.reason());
  }
}
