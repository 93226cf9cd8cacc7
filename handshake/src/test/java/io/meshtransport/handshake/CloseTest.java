// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The end of a handshaker, at any moment and from any thread. */
class CloseTest {
  private static final HandshakeSettings PATIENT = TestNode.patient();

  private static List<Thread> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("mesh-handshake"))
        .toList();
  }

  @Test
  void shouldLeaveNoThread() throws Exception {
    for (int i = 0; i < 20; i++) {
      try (TestNode a = new TestNode(PATIENT);
          TestNode b = new TestNode(PATIENT)) {
        a.connectTo(b, 1).get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
      }
    }
    assertEquals(List.of(), ownThreads());
  }

  @Test
  void shouldFreeItsPort() throws Exception {
    TestNode first = new TestNode(PATIENT);
    int port = first.handshaker.port();
    first.connectTo(first, 1).get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
    HandshakeSettings same = PATIENT.withPort(port);
    HandshakeException taken = assertThrows(HandshakeException.class, () -> new TestNode(same));
    assertEquals(Reason.LOCAL_SOCKET, taken.reason());
    assertTrue(taken.getMessage().contains(String.valueOf(port)), taken.getMessage());
    first.close();
    new TestNode(same).close();
  }

  @Test
  @Tag("slow")
  void shouldEndEveryConnectAndEveryOfferInTheMidstOfAStorm() throws Exception {
    for (int round = 0; round < 5; round++) {
      TestNode a = new TestNode(PATIENT);
      TestNode b = new TestNode(PATIENT);
      List<CompletableFuture<Established>> connects = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        connects.add(a.connectTo(b, i));
        connects.add(b.connectTo(a, i));
      }
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> b.established.size() > 50);
      a.close();
      b.close();
      for (CompletableFuture<Established> connect : connects) {
        assertTrue(connect.isDone());
      }
      for (TestNode node : List.of(a, b)) {
        assertEquals(node.offered.size(), node.established.size() + node.abandoned.size());
      }
    }
    assertEquals(List.of(), ownThreads());
  }

  @Test
  void shouldCloseTwiceAndRefuseConnectsAfterwards() throws Exception {
    TestNode a = new TestNode(PATIENT);
    a.close();
    a.close();
    assertEquals(Reason.CLOSED, HandshakerTest.reasonOf(a.connectTo(a, 1)));
  }

  @Test
  void shouldCloseFromItsOwnCallback() throws Exception {
    TestNode a = new TestNode(PATIENT);
    try (TestNode b = new TestNode(PATIENT)) {
      a.connectTo(b, 1).thenRun(a::close).get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
      // Waits for the close that has begun.
      a.close();
      assertEquals(Reason.CLOSED, HandshakerTest.reasonOf(a.connectTo(b, 1)));
    }
    assertEquals(List.of(), ownThreads());
  }

  @Test
  @Tag("slow")
  void shouldInterruptACallbackThatHangsAndCloseAllTheSame() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    CompletableFuture<Established> connect;
    try (TestNode b = new TestNode(PATIENT)) {
      try (TestNode a = new TestNode(PATIENT)) {
        connect =
            a.handshaker.connect(
                a.requestTo(b, 1),
                (nonce, peer) -> {
                  begun.countDown();
                  try {
                    never.await();
                  } catch (InterruptedException e) {
                    throw new RefusedException("interrupted", e);
                  }
                });
        begun.await();
      }
      assertTrue(connect.isDone());
      assertEquals(Reason.CLOSED, HandshakerTest.reasonOf(connect));
    }
    assertEquals(List.of(), ownThreads());
  }
}
