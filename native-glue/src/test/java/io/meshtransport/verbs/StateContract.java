// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.CompletionStatus.WR_FLUSH_ERR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.verbs.Endpoint.Setup;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** States of a queue pair, and what may be posted in which. */
interface StateContract {
  List<QueuePairState> USED =
      List.of(
          QueuePairState.RESET,
          QueuePairState.INIT,
          QueuePairState.RTR,
          QueuePairState.RTS,
          QueuePairState.ERR);

  ContractPair pair();

  /** Requests a state, by any transition that leads there. */
  private void move(QueuePairState next) throws VerbsException {
    Endpoint a = pair().a;
    switch (next) {
      case RESET -> a.queuePair.toReset();
      case INIT -> a.toInit();
      case RTR -> a.toReadyToReceive(pair().b);
      case RTS -> a.toReadyToSend();
      default -> a.queuePair.toError();
    }
  }

  /** From wherever it is, by the straight way. */
  private void bringTo(QueuePairState state) throws VerbsException {
    move(QueuePairState.RESET);
    if (state == QueuePairState.ERR) {
      move(QueuePairState.ERR);
    }
    for (QueuePairState step : USED.subList(1, 4)) {
      if (state != QueuePairState.ERR && step.code() <= state.code()) {
        move(step);
      }
    }
    assertEquals(state, pair().a.queuePair.state());
  }

  @Test
  default void shouldAllowExactlyTheArrowsDrawn() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    for (QueuePairState from : USED) {
      for (QueuePairState to : USED) {
        bringTo(from);
        if (from.mayBecome(to)) {
          move(to);
          assertEquals(to, pair().a.queuePair.state(), from + " to " + to);
        } else {
          VerbsException refusal =
              assertThrows(VerbsException.class, () -> move(to), from + " to " + to);
          assertEquals(Errno.EINVAL, refusal.errno());
          assertEquals(from, pair().a.queuePair.state());
        }
      }
    }
  }

  private int trySend(long id) {
    pair().a.begin(id, SendOpcode.RDMA_WRITE);
    pair().a.sge(0, 1).remote(pair().b, 0);
    return pair().a.queuePair.postSend(pair().a.chain);
  }

  @Test
  default void shouldRefuseSendsBeforeReadyToSend() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    for (QueuePairState state : USED.subList(0, 3)) {
      bringTo(state);
      assertEquals(Errno.EINVAL, trySend(1), "in " + state);
      assertEquals(0, pair().a.chain.refusedIndex());
    }
  }

  @Test
  default void shouldKeepNothingOfARefusedSend() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    pair().a.toInit();
    pair().b.toInit();
    assertEquals(Errno.EINVAL, trySend(1));
    pair().a.toReadyToReceive(pair().b);
    assertEquals(Errno.EINVAL, trySend(2));
    pair().b.toReadyToReceive(pair().a);
    pair().a.toReadyToSend();
    assertEquals(0, trySend(3));
    pair().expectSent(pair().a, 3, SUCCESS);
  }

  @Test
  default void shouldRefuseReceivesInReset() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    assertEquals(Errno.EINVAL, pair().a.tryReceive(1, 0, 1));
    pair().a.toInit();
    assertEquals(0, pair().a.tryReceive(2, 0, 1));
    pair().a.queuePair.toError();
    pair().expectReceived(pair().a, 2, WR_FLUSH_ERR);
  }

  @Test
  default void shouldFlushWhatIsPostedInError() throws Exception {
    pair().connect();
    pair().a.queuePair.toError();
    assertEquals(0, trySend(1));
    pair().expectSent(pair().a, 1, WR_FLUSH_ERR);
    assertEquals(0, pair().a.tryReceive(2, 0, 1));
    pair().expectReceived(pair().a, 2, WR_FLUSH_ERR);
  }

  @Test
  default void shouldFlushEverythingOutstandingOnTheTransitionToError() throws Exception {
    pair().connect(Setup.usual().withRnr(7, 31));
    for (int i = 0; i < 5; i++) {
      pair().a.postSend(i, 0, 10);
      pair().a.postReceive(10 + i, 0, 10);
    }
    pair().a.queuePair.toError();
    for (int i = 0; i < 5; i++) {
      pair().expectSent(pair().a, i, WR_FLUSH_ERR);
      pair().expectReceived(pair().a, 10 + i, WR_FLUSH_ERR);
    }
  }

  @Test
  default void shouldDropEverythingOnTheTransitionToResetAndConnectAgain() throws Exception {
    pair().connect(Setup.usual().withRnr(7, 31));
    pair().a.postReceive(1, 0, 10);
    pair().a.postSend(2, 0, 10);
    pair().a.queuePair.toReset();
    pair().b.queuePair.toReset();
    Endpoint.connect(pair().a, pair().b);
    pair().b.postReceive(3, 0, 10);
    pair().a.postSend(4, 0, 10);
    pair().expectSent(pair().a, 4, SUCCESS);
    pair().b.queuePair.toError();
    pair().expectReceived(pair().b, 3, SUCCESS);
  }

  /**
   * a and b reset a side, A and B connect it again. Nothing was said before, so one side may do.
   */
  @ParameterizedTest
  @ValueSource(strings = {"abAB", "abBA", "baAB", "baBA", "aAbB", "bBaA", "aA", "bB"})
  default void shouldConnectAgainWhateverTheOrderOfResets(String order) throws Exception {
    pair().connect();
    for (char step : order.toCharArray()) {
      switch (step) {
        case 'a' -> pair().a.queuePair.toReset();
        case 'b' -> pair().b.queuePair.toReset();
        case 'A' -> connectAgain(pair().a, pair().b);
        default -> connectAgain(pair().b, pair().a);
      }
    }
    sendOne(pair().a, pair().b);
    sendOne(pair().b, pair().a);
  }

  private static void connectAgain(Endpoint one, Endpoint other) throws VerbsException {
    one.toInit();
    one.toReadyToReceive(other);
    one.toReadyToSend();
  }

  private void sendOne(Endpoint sender, Endpoint receiver) {
    receiver.postReceive(1, 0, 10);
    sender.postSend(2, 0, 10);
    pair().expectSent(sender, 2, SUCCESS);
    pair().expectReceived(receiver, 1, SUCCESS);
  }

  @Test
  default void shouldRefuseAPortThatIsNotThere() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    VerbsException refusal =
        assertThrows(
            VerbsException.class, () -> pair().a.queuePair.toInit(new InitAttributes(7, 0, 0)));
    assertEquals(Errno.EINVAL, refusal.errno());
    assertEquals(QueuePairState.RESET, pair().a.queuePair.state());
  }

  @Test
  default void shouldRefuseAGidRowThatIsEmpty() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    pair().a.toInit();
    PeerAddress peer =
        new PeerAddress(pair().b.gid().gid(), pair().right.wirePort(), 255, 64, 0, 0);
    ReadyToReceiveAttributes attributes =
        new ReadyToReceiveAttributes(peer, pair().b.queuePair.number(), 0, 1024, 1, 12);
    VerbsException refusal =
        assertThrows(VerbsException.class, () -> pair().a.queuePair.toReadyToReceive(attributes));
    assertEquals(Errno.EINVAL, refusal.errno());
    assertEquals(QueuePairState.INIT, pair().a.queuePair.state());
  }
}
