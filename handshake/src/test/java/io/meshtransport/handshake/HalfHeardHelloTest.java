// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

/** A HELLO on an idle connection of which one end receives less than the other sent. */
class HalfHeardHelloTest {
  private static final int MAX_HELLO_TIMEOUT_MS = 10_000;

  private static ConditionFactory await() {
    return Awaitility.await().atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS);
  }

  private static HandshakeSettings withoutRetries(int helloTimeoutMs) {
    HandshakeSettings patient = TestNode.patient();
    return new HandshakeSettings(
        0, false, patient.timeoutMs(), helloTimeoutMs, 0, 256, Optional.empty());
  }

  /** Two connections that a relay joins, frame by frame. */
  private record Relay(RawConnection near, RawConnection far) {
    static Relay between(ServerSocket listener, TestNode to) throws Exception {
      return new Relay(new RawConnection(listener.accept()), RawConnection.to(to));
    }

    void passHandshake() throws Exception {
      for (int i = 0; i < 2; i++) {
        far.send(near.receiveBytes());
        near.send(far.receiveBytes());
      }
    }

    void close() throws Exception {
      near.close();
      far.close();
    }
  }

  @Test
  void shouldGiveBackWhatItOfferedToAConnectorThatHasDialledAnewMeanwhile() throws Exception {
    HandshakeSettings settings = withoutRetries(TestNode.patient().helloTimeoutMs());
    try (TestNode a = TestNode.timeless(settings);
        TestNode b = new TestNode(settings);
        ServerSocket way = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      ConnectRequest request = a.requestTo(b.id, way.getLocalPort(), 5);
      CompletableFuture<Established> first = a.handshaker.connect(request, (nonce, peer) -> {});
      Relay kept = Relay.between(way, b);
      kept.passHandshake();
      first.get(TestNode.PATIENCE_S, TimeUnit.SECONDS);

      CompletableFuture<Established> second = a.handshaker.connect(request, (nonce, peer) -> {});
      byte[] heard = kept.near().receiveBytes();
      kept.far().send(heard);
      // The offer, which does not get through: all that a sees is the end of the connection.
      kept.far().receiveBytes();
      kept.near().close();
      Relay fresh = Relay.between(way, b);
      fresh.passHandshake();
      Established established = second.get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
      assertEquals(1, established.attempts());
      await().until(() -> b.established.contains(established.nonce()));

      ConnectionNonce unanswered = ((Hello) HandshakeFrame.decode(heard)).nonce();
      assertTrue(b.offered.containsKey(unanswered));
      assertEquals(1, b.count(Counter.HALF_OPEN));
      kept.far().close();
      await().until(() -> b.abandoned.containsKey(unanswered));
      await().until(() -> b.count(Counter.HALF_OPEN) == 0);
      assertFalse(b.established.contains(unanswered));
      assertEquals(1, b.abandoned.size());
      fresh.close();
    }
  }

  /** On a busy host a first HELLO may be late too, and the acceptor ends the connection then. */
  @Test
  void shouldEndAndCountAKeptConnectionWhoseNextHelloNeverEnds() throws Exception {
    for (int helloTimeoutMs = 200; ; helloTimeoutMs *= 8) {
      try {
        endAndCountAKeptConnection(helloTimeoutMs);
        return;
      } catch (IOException late) {
        if (helloTimeoutMs > MAX_HELLO_TIMEOUT_MS) {
          throw late;
        }
        System.out.println("the first HELLO was not there in " + helloTimeoutMs + " ms: " + late);
      }
    }
  }

  private static void endAndCountAKeptConnection(int helloTimeoutMs) throws Exception {
    try (TestNode b = new TestNode(withoutRetries(helloTimeoutMs));
        RawConnection outsider = RawConnection.to(b)) {
      Hello hello =
          new Hello(
              HandshakeFrameType.HELLO_CONNECT,
              Samples.SENDER,
              b.id,
              new ConnectionNonce(7, 1),
              0,
              0,
              Hello.CAPABILITY_KEEP_CONNECTION,
              TestNode.endpoint(0xA1A2A3));
      outsider.send(hello);
      outsider.receive();
      outsider.send(new Ready(hello.nonce()));
      outsider.receive();
      byte[] next = hello.encode();
      outsider.send(Arrays.copyOf(next, next.length - 1));
      outsider.awaitEnd();
      await().until(() -> b.count(Counter.OPEN_CONNECTIONS) == 0);
      if (b.count(Counter.HELLO_TIMED_OUT) == 0) {
        throw new IOException("it was idle for that long before its next HELLO began");
      }
      assertEquals(1, b.count(Counter.HELLO_TIMED_OUT));
    }
  }
}
