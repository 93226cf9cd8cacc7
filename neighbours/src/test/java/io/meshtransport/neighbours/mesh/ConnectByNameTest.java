// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.ServiceEntry;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link ConnectByName} without sockets: what a node's restart in the middle of it leads to. */
@Timeout(60)
class ConnectByNameTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
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
      new MeshState(new NodeId(1, 1), Runnable::run, (node, evidence) -> {});
  private final List<Integer> dialled = new ArrayList<>();

  private static NodeRecord record(NodeId id, int handle) {
    List<ServiceEntry> services = List.of(new ServiceEntry("store", new byte[] {(byte) handle}));
    return new NodeRecord(id, 1, 1, false, "b", List.of(), List.of(), services);
  }

  private static NodeVerdict gone() {
    return new NodeVerdict(FIRST, "b", 1, NodeState.PROCESS_GONE, "its host refuses connections");
  }

  /** Fails the first attempts, after something has happened; the next one succeeds. */
  private ConnectByName connect(Reason failure, int failures, long settleNs, Runnable meanwhile) {
    return new ConnectByName(
        state,
        settleNs,
        (handle, left) -> {
          dialled.add((int) handle[0]);
          if (dialled.size() <= failures) {
            meanwhile.run();
            throw new TransportException(failure, "attempt " + dialled.size());
          }
          return CONNECTION;
        });
  }

  @Test
  void connectsToTheNextLifeOfANodeThatRestartsInTheMiddle() throws Exception {
    state.nodeAppeared(record(FIRST, 1));
    ConnectByName connect =
        connect(
            Reason.PEER_GONE,
            1,
            ConnectByName.SETTLE_NS,
            () -> {
              state.verdict(gone());
              state.nodeAppeared(record(SECOND, 2));
            });
    assertSame(CONNECTION, connect.connect("b", "store", LIMIT));
    assertEquals(List.of(1, 2), dialled);
  }

  @Test
  void waitsForTheNextLifeForAsLongAsItsCallerDoes() throws Exception {
    state.nodeAppeared(record(FIRST, 1));
    ConnectByName connect =
        connect(
            Reason.PEER_UNREACHABLE,
            1,
            0,
            () -> {
              state.verdict(gone());
              CompletableFuture.runAsync(
                  () -> state.nodeAppeared(record(SECOND, 2)),
                  CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS));
            });
    assertSame(CONNECTION, connect.connect("b", "store", LIMIT));
    assertEquals(List.of(1, 2), dialled);
  }

  /** Relays of nodes that have just started find paths a moment later. */
  @Test
  void triesAgainWhileNoPathLeadsThereYet() throws Exception {
    state.nodeAppeared(record(FIRST, 1));
    List<Integer> tries = new ArrayList<>();
    ConnectByName connect =
        new ConnectByName(
            state,
            ConnectByName.SETTLE_NS,
            (handle, left) -> {
              tries.add((int) handle[0]);
              if (tries.size() < 3) {
                throw new TransportException(Reason.NO_ROUTE, "no path now", true);
              }
              return CONNECTION;
            });
    assertSame(CONNECTION, connect.connect("b", "store", LIMIT));
    assertEquals(List.of(1, 1, 1), tries);
  }

  /** No path leads to the node, whatever happens at each attempt. */
  private ConnectByName withoutPath(Runnable meanwhile) {
    state.nodeAppeared(record(FIRST, 1));
    return new ConnectByName(
        state,
        ConnectByName.SETTLE_NS,
        (handle, left) -> {
          meanwhile.run();
          // As the transport does, whose attempts are made by a thread of its own.
          throw left.toMillis() == 0
              ? new TransportException(Reason.TIMED_OUT, "not done within " + left)
              : new TransportException(Reason.NO_ROUTE, "no path now", true);
        });
  }

  @Test
  void saysWhyNoPathLedThereWhenItsTimeIsOver() {
    ConnectByName connect = withoutPath(() -> {});
    TransportException none =
        assertThrows(
            TransportException.class, () -> connect.connect("b", "store", Duration.ofMillis(150)));
    assertEquals(Reason.NO_ROUTE, none.reason());
  }

  @Test
  void connectsToWhatIsPublishedWhileNoPathLedThere() throws Exception {
    state.nodeAppeared(record(FIRST, 1));
    ConnectByName connect =
        new ConnectByName(
            state,
            ConnectByName.SETTLE_NS,
            (handle, left) -> {
              dialled.add((int) handle[0]);
              if (handle[0] == 1) {
                state.nodeChanged(null, record(FIRST, 2));
                throw new TransportException(Reason.NO_ROUTE, "no path now", true);
              }
              return CONNECTION;
            });
    assertSame(CONNECTION, connect.connect("b", "store", LIMIT));
    assertEquals(List.of(1, 2), dialled);
  }

  @Test
  void doesNotWaitForAPathOnceTheMeshIsClosed() {
    ConnectByName connect = withoutPath(state::close);
    TransportException ended =
        assertThrows(TransportException.class, () -> connect.connect("b", "store", LIMIT));
    assertEquals(Reason.CLOSED, ended.reason());
  }

  @Test
  void doesNotWaitInterruptedForAPath() {
    ConnectByName connect = withoutPath(() -> Thread.currentThread().interrupt());
    TransportException ended =
        assertThrows(TransportException.class, () -> connect.connect("b", "store", LIMIT));
    assertEquals(Reason.INTERRUPTED, ended.reason());
    assertTrue(Thread.interrupted());
  }

  /** The next life is there before the verdict on the one before. */
  @Test
  void waitsForTheVerdictWhereTwoNodesHaveTheName() throws Exception {
    state.nodeAppeared(record(FIRST, 1));
    ConnectByName connect =
        connect(
            Reason.WRONG_PEER,
            1,
            LIMIT.toNanos(),
            () -> {
              state.nodeAppeared(record(SECOND, 2));
              CompletableFuture.runAsync(
                  () -> state.verdict(gone()),
                  CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS));
            });
    assertSame(CONNECTION, connect.connect("b", "store", LIMIT));
    assertEquals(List.of(1, 2), dialled);
  }

  /** The mesh hears no node over the cable that comes back: only a dial can tell. */
  @Test
  void triesAgainWhileTheMeshHasNoPathEither() throws Exception {
    state.nodeAppeared(record(FIRST, 1));
    state.verdict(new NodeVerdict(FIRST, "b", 1, NodeState.UNREACHABLE, ""));
    ConnectByName connect =
        new ConnectByName(
            state,
            ConnectByName.SETTLE_NS,
            (handle, left) -> {
              dialled.add((int) handle[0]);
              if (dialled.size() == 1) {
                throw new TransportException(Reason.NO_ROUTE, "no carrier", true);
              }
              return CONNECTION;
            });
    assertSame(CONNECTION, connect.connect("b", "store", LIMIT));
    assertEquals(List.of(1, 1), dialled);
  }

  /** Is out of reach during the first attempt, or from then on until the caller waits. */
  private void leaveAndComeBack(NodeState away, boolean isSoon) {
    state.verdict(new NodeVerdict(FIRST, "b", 1, away, ""));
    Runnable back = () -> state.verdict(new NodeVerdict(FIRST, "b", 1, NodeState.ALIVE, ""));
    Thread caller = Thread.currentThread();
    if (isSoon) {
      back.run();
    } else {
      CompletableFuture.runAsync(
          () -> {
            long untilNs = System.nanoTime() + LIMIT.toNanos();
            while (caller.getState() != Thread.State.TIMED_WAITING
                && System.nanoTime() - untilNs < 0) {
              Thread.onSpinWait();
            }
            back.run();
          });
    }
  }

  /** As while the only node between is killed and started again; its next try comes too early. */
  @ParameterizedTest
  @CsvSource({"UNREACHABLE, false", "UNREACHABLE, true", "NODE_GONE, false", "NODE_GONE, true"})
  void connectsToANodeThatWasOutOfReachOnceItIsBack(NodeState away, boolean isSoon)
      throws Exception {
    state.nodeAppeared(record(FIRST, 1));
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
    assertSame(CONNECTION, connect.connect("b", "store", LIMIT));
    assertEquals(List.of(1, 1, 1), dialled);
  }

  @Test
  void failsAsTheAttemptDidWhereTheNodeLivesOn() {
    state.nodeAppeared(record(FIRST, 1));
    ConnectByName connect = connect(Reason.PEER_UNREACHABLE, 9, 1_000_000, () -> {});
    TransportException failure =
        assertThrows(TransportException.class, () -> connect.connect("b", "store", LIMIT));
    assertEquals(Reason.PEER_UNREACHABLE, failure.reason());
    assertEquals(List.of(1), dialled);
  }

  @Test
  void failsAtOnceWhereARestartIsNoReason() {
    state.nodeAppeared(record(FIRST, 1));
    ConnectByName connect =
        connect(
            Reason.NO_ROUTE, 9, LIMIT.toNanos(), () -> state.nodeChanged(null, record(FIRST, 2)));
    TransportException failure =
        assertThrows(TransportException.class, () -> connect.connect("b", "store", LIMIT));
    assertEquals(Reason.NO_ROUTE, failure.reason());
    assertEquals(List.of(1), dialled);
  }

  @Test
  void endsAtTheDeadlineWhereNoNextLifeComes() {
    state.nodeAppeared(record(FIRST, 1));
    ConnectByName connect =
        connect(Reason.PEER_GONE, 9, LIMIT.toNanos(), () -> state.verdict(gone()));
    TransportException failure =
        assertThrows(
            TransportException.class, () -> connect.connect("b", "store", Duration.ofMillis(200)));
    assertEquals("attempt 1", failure.getMessage());
  }
}
