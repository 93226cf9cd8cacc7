// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Contract: {@link Transport#peerGone} ends what leads to one node, and nothing else. */
abstract class GoneChapter extends ContractChapter {
  private static final String EVIDENCE = "no sign of life for 1.3 s";

  @Override
  boolean needsConnections() {
    return true;
  }

  private void rightIsGone() {
    left.peerGone(right.self().id(), EVIDENCE);
  }

  private static void assertGone(Pending.Outcome outcome) {
    assertEquals(Reason.PEER_GONE, outcome.reason());
    assertTrue(outcome.failure().getMessage().contains(EVIDENCE), "" + outcome.failure());
    assertTrue(outcome.failure().retryHelps());
  }

  @Test
  void shouldFailAllRequestsOfAConnectionWithTheEvidence() throws TransportException {
    ConnectionPair pair = ConnectionPair.between(left, right);
    Pending receive = pair.back(64).receive(0, 64, 1);
    Pending send = pair.forth(64).send(0, 64, 2);
    rightIsGone();
    Pending.finish(receive, send).forEach(GoneChapter::assertGone);
    assertEquals(ChannelState.FAILED, pair.opened().state());
    assertEquals(Channel.FAILED, pair.opened().isend(memory(left, 64), 0, 64, 1));
    assertTrue(pair.opened().failure().getMessage().contains(EVIDENCE));
  }

  @Test
  void shouldFailAConnectionThatWasAccepted() throws TransportException {
    ConnectionPair pair = ConnectionPair.between(right, left);
    Pending receive = pair.forth(64).receive(0, 64, 1);
    rightIsGone();
    assertGone(receive.finish());
  }

  @Test
  void shouldFailBothKindsOfOneWayChannels() throws TransportException {
    Pending send = channel(left, right, 64).send(0, 64, 1);
    Pending receive = channel(right, left, 64).receive(0, 64, 1);
    rightIsGone();
    Pending.finish(send, receive).forEach(GoneChapter::assertGone);
  }

  @Test
  void shouldWakeAThreadThatWaits() throws Exception {
    ConnectionPair pair = ConnectionPair.between(left, right);
    ByteBuffer buffer = ByteBuffer.allocateDirect(64);
    long receive = pair.opened().irecv(buffer, 1, Connection.NO_DEADLINE);
    CompletableFuture<Long> outcome =
        CompletableFuture.supplyAsync(() -> pair.opened().await(receive, PATIENCE));
    rightIsGone();
    assertEquals(Channel.FAILED, Blocking.get(outcome, PATIENCE, "waiting"));
  }

  @Test
  void shouldReportItToAPoller() throws TransportException {
    ConnectionPair pair = ConnectionPair.between(left, right);
    try (Poller poller = left.newPoller()) {
      poller.add(pair.opened());
      pair.opened().irecv(memory(left, 64), 0, 64, 1, Connection.NO_DEADLINE, 7);
      rightIsGone();
      Completions ends = new Completions(8);
      eventually().until(() -> poller.poll(ends) > 0);
      assertEquals(7, ends.userData(0));
      assertEquals(CompletionKind.FAILED, ends.kind(0));
      assertTrue(ends.failure(0).getMessage().contains(EVIDENCE));
    }
  }

  @Test
  void shouldKeepWhatLeadsToOthers() throws Exception {
    ConnectionPair pair = ConnectionPair.between(left, right);
    try (Transport other = contract().openNode("other")) {
      ConnectionPair kept = ConnectionPair.between(left, other);
      rightIsGone();
      eventually().until(() -> pair.opened().state() == ChannelState.FAILED);
      kept.assertAlive();
    }
  }

  /** A node that has restarted has another id. */
  @Test
  void shouldKeepWhatLeadsToTheNextLifeOfANode() throws Exception {
    ConnectionPair pair = ConnectionPair.between(left, right);
    String before = right.self().id();
    right.close();
    right = contract().openNode("right");
    ConnectionPair next = ConnectionPair.between(left, right);
    left.peerGone(before, EVIDENCE);
    eventually().until(() -> pair.opened().state() == ChannelState.FAILED || hasMoved(pair));
    next.assertAlive();
  }

  /** Lets a channel that nobody tests see that its peer has closed. Always false. */
  private static boolean hasMoved(ConnectionPair pair) {
    pair.opened().awaitProgress(pair.opened().progressCount(), SLICE);
    return false;
  }

  /** The evidence may have been wrong: all cables were cut, and are plugged in again. */
  @Test
  void shouldConnectToTheNodeAgain() throws TransportException {
    ConnectionPair pair = ConnectionPair.between(left, right);
    rightIsGone();
    eventually().until(() -> pair.opened().state() == ChannelState.FAILED);
    ConnectionPair.between(left, right).assertAlive();
  }

  @Test
  void shouldIgnoreANodeThatNothingLeadsToAndRefuseWhatIsNoId() throws TransportException {
    ConnectionPair pair = ConnectionPair.between(left, right);
    left.peerGone("0123456789abcdef0123456789abcdef", EVIDENCE);
    assertThrows(IllegalArgumentException.class, () -> left.peerGone("right", EVIDENCE));
    pair.assertAlive();
    String id = right.self().id();
    left.close();
    left.peerGone(id, EVIDENCE);
  }
}
