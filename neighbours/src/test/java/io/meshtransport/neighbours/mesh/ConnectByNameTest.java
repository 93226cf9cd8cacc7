// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.VerdictDelay;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link ConnectByName} without sockets: what a node's restart in the middle of it leads to. */
@Timeout(60)
class ConnectByNameTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int MAX_LATE = 10;
  private static final NodeId FIRST = new NodeId(2, 2);
  private static final NodeId SECOND = new NodeId(3, 3);
  private static final Connection CONNECTION =
      (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.getName());
              });

  private final MeshState state =
      new MeshState(MeshReports.SELF, "a", Runnable::run, (node, evidence) -> {});
  private final List<Integer> dialled = new ArrayList<>();

  /** Attempts without a path that had no time left. */
  private int lateAttempts;

  private static NodeRecord record(NodeId id, int handle) {
    return MeshReports.record(id, "b", "store", handle);
  }

  private static NodeVerdict judged(NodeState state) {
    return MeshReports.verdict(FIRST, "b", state, state.description());
  }

  /** What an attempt fails with. */
  private interface Failure {
    TransportException of(String text, Duration left);
  }

  /** Fails the first attempts, after something has happened; the next one succeeds. */
  private ConnectByName connect(Failure failure, int failures, long settleNs, Runnable meanwhile) {
    state.nodeAppeared(record(FIRST, 1));
    return new ConnectByName(
        state,
        settleNs,
        (handle, left) -> {
          dialled.add((int) handle[0]);
          if (dialled.size() > failures) {
            return CONNECTION;
          }
          meanwhile.run();
          throw failure.of("attempt " + dialled.size(), left);
        });
  }

  private ConnectByName connect(Reason failure, int failures, long settleNs, Runnable meanwhile) {
    return connect(
        (text, left) -> new TransportException(failure, text), failures, settleNs, meanwhile);
  }

  /** No path leads there at the first attempts. */
  private ConnectByName withoutPath(int failures, Runnable meanwhile) {
    return connect(
        // Times out as the transport does, whose attempts are made by a thread of its own.
        (text, left) -> {
          if (left.toMillis() == 0) {
            lateAttempts++;
            return new TransportException(Reason.TIMED_OUT, "not done within " + left);
          }
          return new TransportException(Reason.NO_ROUTE, text, true);
        },
        failures,
        VerdictDelay.MAX_NS,
        meanwhile);
  }

  private void assertConnects(ConnectByName connect, Integer... handles) throws TransportException {
    assertSame(CONNECTION, connect.connect("b", "store", LIMIT));
    assertEquals(List.of(handles), dialled);
  }

  private static TransportException failureOf(ConnectByName connect, Duration timeout) {
    return assertThrows(TransportException.class, () -> connect.connect("b", "store", timeout));
  }

  /** Does something on another thread once the calling one waits. */
  private static void onceWaiting(Runnable then) {
    Thread caller = Thread.currentThread();
    CompletableFuture.runAsync(
        () -> {
          long untilNs = System.nanoTime() + LIMIT.toNanos();
          while (caller.getState() != Thread.State.TIMED_WAITING
              && System.nanoTime() - untilNs < 0) {
            Thread.yield();
          }
          then.run();
        });
  }

  /** Its nanoseconds do not fit, and the verdict's time must still end before it. */
  @Test
  void waitsForAsLongAsADurationCanSay() throws Exception {
    Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
    ConnectByName connect =
        connect(
            Reason.PEER_UNREACHABLE,
            1,
            0,
            () -> {
              state.verdict(judged(NodeState.PROCESS_GONE));
              onceWaiting(() -> state.nodeAppeared(record(SECOND, 2)));
            });
    assertSame(CONNECTION, connect.connect("b", "store", forEver));
    assertTrue(state.awaitLiving(1, forEver));
    state.nodeAppeared(record(new NodeId(4, 4), 3));
    assertEquals(Reason.CONFIGURATION, failureOf(connect, forEver).reason());
  }

  @Test
  void connectsToTheNextLifeOfANodeThatRestartsInTheMiddle() throws Exception {
    ConnectByName connect =
        connect(
            Reason.PEER_GONE,
            1,
            VerdictDelay.MAX_NS,
            () -> {
              state.verdict(judged(NodeState.PROCESS_GONE));
              state.nodeAppeared(record(SECOND, 2));
            });
    assertConnects(connect, 1, 2);
  }

  @Test
  void waitsForTheNextLifeForAsLongAsItsCallerDoes() throws Exception {
    ConnectByName connect =
        connect(
            Reason.PEER_UNREACHABLE,
            1,
            0,
            () -> {
              state.verdict(judged(NodeState.PROCESS_GONE));
              onceWaiting(() -> state.nodeAppeared(record(SECOND, 2)));
            });
    assertConnects(connect, 1, 2);
  }

  /** Relays of nodes that have just started find paths a moment later. */
  @Test
  void triesAgainWhileNoPathLeadsThereYet() throws Exception {
    assertConnects(withoutPath(2, () -> {}), 1, 1, 1);
  }

  @Test
  void saysWhyNoPathLedThereWhenItsTimeIsOver() {
    ConnectByName connect = withoutPath(Integer.MAX_VALUE, () -> {});
    Reason reason = failureOf(connect, Duration.ofMillis(150)).reason();
    // A host that stalls in the middle leaves an attempt no time, once and not each time.
    for (int late = 1; lateAttempts == late && late < MAX_LATE; late++) {
      System.out.println("an attempt had no time left; " + late + " of " + MAX_LATE);
      reason = failureOf(connect, Duration.ofMillis(150)).reason();
    }
    assertEquals(Reason.NO_ROUTE, reason);
  }

  @Test
  void connectsToWhatIsPublishedWhileNoPathLedThere() throws Exception {
    assertConnects(withoutPath(1, () -> state.nodeChanged(null, record(FIRST, 2))), 1, 2);
  }

  @Test
  void doesNotWaitForAPathOnceTheMeshIsClosed() {
    ConnectByName connect = withoutPath(Integer.MAX_VALUE, state::close);
    assertEquals(Reason.CLOSED, failureOf(connect, LIMIT).reason());
  }

  @Test
  void doesNotWaitInterruptedForAPath() {
    ConnectByName connect =
        withoutPath(Integer.MAX_VALUE, () -> Thread.currentThread().interrupt());
    assertEquals(Reason.INTERRUPTED, failureOf(connect, LIMIT).reason());
    assertTrue(Thread.interrupted());
  }

  /** The next life is there before the verdict on the one before. */
  @Test
  void waitsForTheVerdictWhereTwoNodesHaveTheName() throws Exception {
    ConnectByName connect =
        connect(
            Reason.WRONG_PEER,
            1,
            LIMIT.toNanos(),
            () -> {
              state.nodeAppeared(record(SECOND, 2));
              onceWaiting(() -> state.verdict(judged(NodeState.PROCESS_GONE)));
            });
    assertConnects(connect, 1, 2);
  }

  @Test
  void waitsForTheVerdictBeforeItsFirstAttempt() throws Exception {
    ConnectByName connect = connect(Reason.PEER_GONE, 0, LIMIT.toNanos(), () -> {});
    state.nodeAppeared(record(SECOND, 2));
    onceWaiting(() -> state.verdict(judged(NodeState.PROCESS_GONE)));
    assertConnects(connect, 2);
  }

  /** No node is left that could say whether the earlier life has ended. */
  @Test
  void connectsToTheNextLifeWhereTheEarlierOneIsOutOfReach() throws Exception {
    ConnectByName connect =
        connect(
            Reason.PEER_UNREACHABLE,
            1,
            LIMIT.toNanos(),
            () -> {
              state.nodeAppeared(record(SECOND, 2));
              onceWaiting(() -> state.verdict(judged(NodeState.UNREACHABLE)));
            });
    assertConnects(connect, 1, 2);
  }

  @Test
  void saysThatTwoNodesHaveTheNameOnceNoVerdictIsToCome() {
    ConnectByName connect =
        connect(Reason.WRONG_PEER, 1, 0, () -> state.nodeAppeared(record(SECOND, 2)));
    TransportException doubled = failureOf(connect, LIMIT);
    assertEquals(Reason.CONFIGURATION, doubled.reason());
    assertEquals("attempt 1", doubled.getSuppressed()[0].getMessage());
    assertEquals(Reason.CONFIGURATION, failureOf(connect, LIMIT).reason());
    assertEquals(List.of(1), dialled);
  }

  @Test
  void failsAsTheAttemptDidWhereItsTimeIsOverBeforeAVerdict() {
    ConnectByName connect =
        connect(Reason.WRONG_PEER, 1, LIMIT.toNanos(), () -> state.nodeAppeared(record(SECOND, 2)));
    assertEquals("attempt 1", failureOf(connect, Duration.ofMillis(200)).getMessage());
  }

  /** The mesh hears no node over the cable that comes back: only a dial can tell. */
  @Test
  void triesAgainWhileTheMeshHasNoPathEither() throws Exception {
    ConnectByName connect = withoutPath(1, () -> {});
    state.verdict(judged(NodeState.UNREACHABLE));
    assertConnects(connect, 1, 1);
  }

  /** Is out of reach during the first attempt, or from then on until the caller waits. */
  private void leaveAndComeBack(NodeState away, boolean isSoon) {
    state.verdict(judged(away));
    if (isSoon) {
      state.verdict(judged(NodeState.ALIVE));
    } else {
      onceWaiting(() -> state.verdict(judged(NodeState.ALIVE)));
    }
  }

  /** As while the only node between is killed and started again; its next try comes too early. */
  @ParameterizedTest
  @CsvSource({"UNREACHABLE, false", "UNREACHABLE, true", "NODE_GONE, false", "NODE_GONE, true"})
  void connectsToANodeThatWasOutOfReachOnceItIsBack(NodeState away, boolean isSoon)
      throws Exception {
    ConnectByName connect =
        connect(
            Reason.PEER_UNREACHABLE,
            2,
            LIMIT.toNanos(),
            () -> {
              if (dialled.size() == 1) {
                leaveAndComeBack(away, isSoon);
              }
            });
    assertConnects(connect, 1, 1, 1);
  }

  @Test
  void failsAsTheAttemptDidWhereTheNodeLivesOn() {
    ConnectByName connect = connect(Reason.PEER_UNREACHABLE, 9, 1_000_000, () -> {});
    assertEquals(Reason.PEER_UNREACHABLE, failureOf(connect, LIMIT).reason());
    assertEquals(List.of(1), dialled);
  }

  /** The node between has its link-local address as well, and relays have no path there yet. */
  @Test
  void triesAgainWhereAnotherNodeHasTheAddressAndNoCableLeadsThere() throws Exception {
    assertConnects(connect(Reason.WRONG_PEER, 2, 0, () -> {}), 1, 1, 1);
  }

  @Test
  void failsWhereACableLeadsThereAndAnotherNodeAnswers() {
    ConnectByName connect =
        connect(
            Reason.WRONG_PEER,
            9,
            1_000_000,
            () ->
                state.cablesChanged(
                    MeshGraph.of(
                        List.of(
                            MeshReports.cabled(MeshReports.SELF, "a", FIRST, 1500),
                            MeshReports.cabled(FIRST, "b", MeshReports.SELF, 1500)))));
    assertEquals(Reason.WRONG_PEER, failureOf(connect, LIMIT).reason());
    assertEquals(List.of(1), dialled);
  }

  @Test
  void failsAtOnceWhereARestartIsNoReason() {
    ConnectByName connect =
        connect(
            Reason.NO_ROUTE, 9, LIMIT.toNanos(), () -> state.nodeChanged(null, record(FIRST, 2)));
    assertEquals(Reason.NO_ROUTE, failureOf(connect, LIMIT).reason());
    assertEquals(List.of(1), dialled);
  }

  @Test
  void endsAtTheDeadlineWhereNoNextLifeComes() {
    ConnectByName connect =
        connect(
            Reason.PEER_GONE,
            9,
            LIMIT.toNanos(),
            () -> state.verdict(judged(NodeState.PROCESS_GONE)));
    assertEquals("attempt 1", failureOf(connect, Duration.ofMillis(200)).getMessage());
  }
}
