// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Owners of queue pairs that are slow, hang or make mistakes. */
class AcceptCallbackTest {
  private static final HandshakeSettings PATIENT = TestNode.patient();

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(TestNode.PATIENCE_S, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Offers, except where a test overrides. */
  private static class Owner implements Acceptor {
    final AtomicInteger offers = new AtomicInteger();
    final AtomicInteger established = new AtomicInteger();
    final AtomicInteger abandoned = new AtomicInteger();

    @Override
    public QueuePairAddress offer(
        PeerHello hello, InetSocketAddress local, InetSocketAddress remote)
        throws RefusedException {
      return TestNode.endpoint(offers.incrementAndGet());
    }

    @Override
    public void established(ConnectionNonce nonce) {
      established.incrementAndGet();
    }

    @Override
    public void abandoned(ConnectionNonce nonce, HandshakeException why) {
      abandoned.incrementAndGet();
    }
  }

  @Test
  void shouldNotDelayOthersByOneSlowOffer() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    Owner owner =
        new Owner() {
          @Override
          public QueuePairAddress offer(
              PeerHello hello, InetSocketAddress local, InetSocketAddress remote)
              throws RefusedException {
            if (hello.endpoint().qpNumber() == 1) {
              await(slow);
            }
            return super.offer(hello, local, remote);
          }
        };
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT, owner)) {
      CompletableFuture<Established> first = a.connectTo(b, 1);
      for (int i = 2; i < 100; i++) {
        a.connectTo(b, i).get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
      }
      assertFalse(first.isDone());
      slow.countDown();
      first.get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldGiveBackWhatWasOfferedAfterThePeerHadGone() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gone = new CountDownLatch(1);
    Owner owner =
        new Owner() {
          @Override
          public QueuePairAddress offer(
              PeerHello hello, InetSocketAddress local, InetSocketAddress remote)
              throws RefusedException {
            asked.countDown();
            await(gone);
            return super.offer(hello, local, remote);
          }
        };
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT, owner)) {
      CompletableFuture<Established> connect = a.connectTo(b, 1);
      await(asked);
      connect.cancel(false);
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> b.handshaker.counters().inboundFailures(Reason.PEER_CLOSED) == 1);
      assertEquals(0, owner.abandoned.get(), "never while the offer is being made");
      gone.countDown();
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> owner.abandoned.get() == 1);
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> b.count(Counter.HALF_OPEN) == 0);
    }
  }

  @Test
  void shouldNotifyThePeerThatAnOwnerFailedByAMistake() throws Exception {
    Owner owner =
        new Owner() {
          @Override
          public QueuePairAddress offer(
              PeerHello hello, InetSocketAddress local, InetSocketAddress remote) {
            throw new UnsatisfiedLinkError("a mistake made on purpose by this test");
          }
        };
    try (LogWatch watch = new LogWatch();
        TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT, owner)) {
      assertEquals(Reason.REFUSED_BY_PEER, HandshakerTest.reasonOf(a.connectTo(b, 1)));
      assertEquals(1, b.handshaker.counters().inboundFailures(Reason.REFUSED_HERE));
      assertEquals(1, watch.alarms().size(), "its own log says more");
    }
  }

  @Test
  void shouldFailTheConnectWhenTheOwnerCannotAcceptTheConnectionAfterAll() throws Exception {
    Owner owner =
        new Owner() {
          @Override
          public void established(ConnectionNonce nonce) {
            throw new IllegalStateException("a mistake made on purpose by this test");
          }
        };
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT, owner)) {
      assertEquals(Reason.REFUSED_BY_PEER, HandshakerTest.reasonOf(a.connectTo(b, 1)));
    }
  }

  @Test
  void shouldPassTheOwnersMistakeToTheConnector() throws Exception {
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT)) {
      CompletableFuture<Established> connect =
          a.handshaker.connect(
              a.requestTo(b, 1),
              (nonce, peer) -> {
                throw new IllegalStateException("on purpose");
              });
      assertEquals(Reason.REFUSED_HERE, HandshakerTest.reasonOf(connect));
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> b.abandoned.size() == 1);
    }
  }

  @Test
  void shouldNotFailTheConnectWhileItsQueuePairIsBeingBroughtUp() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    TestNode b = new TestNode(PATIENT);
    try (TestNode a = new TestNode(PATIENT)) {
      CompletableFuture<Established> connect =
          a.handshaker.connect(
              a.requestTo(b, 1),
              (nonce, peer) -> {
                begun.countDown();
                await(goOn);
              });
      await(begun);
      b.close();
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> a.count(Counter.OPEN_CONNECTIONS) == 0);
      assertFalse(connect.isDone());
      goOn.countDown();
      assertTrue(
          List.of(Reason.CLOSED, Reason.PEER_CLOSED).contains(HandshakerTest.reasonOf(connect)));
    }
  }

  @Test
  void shouldAllowAConnectFromTheCompletionOfAnother() throws Exception {
    try (TestNode a = new TestNode(PATIENT);
        TestNode b = new TestNode(PATIENT)) {
      CompletableFuture<Established> chain = a.connectTo(b, 0);
      for (int i = 1; i < 100; i++) {
        int qpNumber = i;
        chain = chain.thenCompose(before -> a.connectTo(b, qpNumber));
      }
      chain.get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
      assertEquals(100, b.established.size());
    }
  }
}
