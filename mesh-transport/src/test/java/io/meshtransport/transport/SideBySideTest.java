// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.Acceptor;
import io.meshtransport.handshake.ConnectionNonce;
import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.HandshakeSettings;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.handshake.PeerHello;
import io.meshtransport.handshake.QueuePairAddress;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.route.Host;
import io.meshtransport.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several ways to one peer, on addresses of this host. */
class SideBySideTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final String SLOW = "127.77.18.2";
  private static final String QUICK = "127.77.19.2";

  /** Far above what a connect takes, so that one that waited for a share of it is found out. */
  private static final String TIMEOUT_MS = "120000";

  private static MeshTransport open(String addresses) throws Exception {
    return (MeshTransport)
        Transport.open(
            Map.of(
                "MESH_LOOPBACK", addresses,
                "MESH_TIMEOUT_MS", TIMEOUT_MS,
                "MESH_HANDSHAKE_PORT", "0"));
  }

  /** The peer's handle, with another address before its own. */
  private static byte[] withDead(byte[] handle, String deadAddress) throws Exception {
    PeerHandle real = PeerHandle.decodePadded(handle);
    List<HandleAddress> addresses = new ArrayList<>();
    addresses.add(new HandleAddress(Host.address(deadAddress), 1, 400_000));
    addresses.addAll(real.addresses());
    return new PeerHandle(real.node(), real.listenerId(), real.handshakePort(), addresses).encode();
  }

  @Test
  @Tag("slow")
  void shouldNotWaitForACandidateThatIsDead() throws Exception {
    try (MeshTransport here = open("127.77.18.1/24,127.77.19.1/24");
        MeshTransport there = open("127.77.19.2/24");
        Listener listener = there.listen();
        // It takes the connection and says nothing.
        ServerSocket dead =
            new ServerSocket(there.handshakePort(), 5, InetAddress.getByName("127.77.18.2"))) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      try (SendChannel out =
              here.connect(withDead(listener.handle(), "127.77.18.2/24"), Duration.ofSeconds(30));
          ReceiveChannel in = accepting.await(LIMIT)) {
        assertEquals("127.77.19.2", out.route().peerAddress(), () -> dead + " " + in);
        // What is left of the other, closing the transport would complain of.
        Awaitility.await()
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> here.handshaker().counters().get(Counter.CONNECTING) == 0);
      }
    }
  }

  /** Two addresses of a peer, at one of which it takes its time. */
  private static final class Reluctant implements Acceptor, AutoCloseable {
    final List<HandshakeException> abandoned = new CopyOnWriteArrayList<>();
    final AtomicInteger established = new AtomicInteger();
    final CountDownLatch slowOffer = new CountDownLatch(1);

    /** READY of a handshake is here, so that one has the permit. */
    final CountDownLatch ready = new CountDownLatch(1);

    final CountDownLatch slowReady;

    /** Where the slow address claims to take data connections, if that is not so. */
    volatile OptionalInt silentPort = OptionalInt.empty();

    final Handshaker handshaker;
    private final NodeId id = NodeId.random(new SecureRandom());

    private final Map<String, PlayedEnd> ends =
        Map.of(SLOW, new PlayedEnd(SLOW), QUICK, new PlayedEnd(QUICK));

    Reluctant(int readyAfter) throws Exception {
      slowReady = new CountDownLatch(readyAfter);
      handshaker =
          Handshaker.open(
              HandshakeSettings.DEFAULT,
              List.of(InetAddress.getByName(SLOW), InetAddress.getByName(QUICK)),
              id,
              this);
    }

    byte[] handle() {
      return new PeerHandle(
              id,
              1,
              handshaker.port(),
              List.of(
                  new HandleAddress(Host.address(SLOW + "/24"), 0, 400_000),
                  new HandleAddress(Host.address(QUICK + "/24"), 1, 1_000)))
          .encode();
    }

    @Override
    public QueuePairAddress offer(
        PeerHello hello, InetSocketAddress local, InetSocketAddress remote) {
      boolean isSlow = local.getAddress().getHostAddress().equals(SLOW);
      if (isSlow) {
        await(slowOffer);
      }
      QueuePairAddress offered = ends.get(local.getAddress().getHostAddress()).offer(hello);
      return isSlow && silentPort.isPresent() ? at(silentPort.getAsInt(), offered) : offered;
    }

    private static QueuePairAddress at(int port, QueuePairAddress real) {
      return new QueuePairAddress(
          real.qpNumber(), real.psn(), real.gid(), real.mtuBytes(), port, real.parameters());
    }

    private static void await(CountDownLatch latch) {
      try {
        assertTrue(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void established(ConnectionNonce nonce) {
      ready.countDown();
      await(slowReady);
      established.incrementAndGet();
    }

    @Override
    public void abandoned(ConnectionNonce nonce, HandshakeException why) {
      abandoned.add(why);
    }

    @Override
    public void close() throws VerbsException {
      handshaker.close();
      for (PlayedEnd end : ends.values()) {
        end.close();
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldGiveUpTheSlowOneAtBothEndsWhenAnotherStands() throws Exception {
    try (MeshTransport here = open("127.77.18.1/24,127.77.19.1/24");
        Reluctant peer = new Reluctant(0)) {
      try (SendChannel out = here.connect(peer.handle(), LIMIT)) {
        assertEquals(QUICK, out.route().peerAddress());
        peer.slowOffer.countDown();
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> peer.abandoned.size() == 1);
        assertEquals(1, peer.established.get());
        Awaitility.await()
            .atMost(60, TimeUnit.SECONDS)
            .untilAsserted(
                () -> {
                  assertEquals(0, here.handshaker().counters().get(Counter.CONNECTING));
                  assertEquals(0, peer.handshaker.counters().get(Counter.HALF_OPEN));
                });
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldHaveThePeerMakeOneChannelThoughTwoHandshakesAreAtTheirEnd() throws Exception {
    try (MeshTransport here = open("127.77.18.1/24,127.77.19.1/24");
        Reluctant peer = new Reluctant(1)) {
      try (ChannelFuture<SendChannel> opening = here.connect(peer.handle())) {
        // The quick one waits for READY, and the slow one's answer comes.
        Awaitility.await()
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> peer.handshaker.counters().get(Counter.HALF_OPEN) == 2);
        Reluctant.await(peer.ready);
        peer.slowOffer.countDown();
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> peer.abandoned.size() == 1);
        assertTrue(
            peer.abandoned.get(0).getMessage().contains("goes on over another address"),
            peer.abandoned.get(0).getMessage());
        peer.slowReady.countDown();
        assertEquals(QUICK, opening.await(LIMIT).route().peerAddress());
        assertEquals(1, peer.established.get());
        opening.get().close();
      }
    }
  }

  /** As where a firewall lets the port of handshakes through, and drops what is for the data. */
  @Test
  void shouldGoOnOverAnotherWhereTheDataConnectionOfTheFirstIsSilent() throws Exception {
    try (MeshTransport here = open("127.77.18.1/24,127.77.19.1/24");
        Reluctant peer = new Reluctant(0);
        // The smaller address dials, which is ours.
        ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName(SLOW))) {
      peer.silentPort = OptionalInt.of(silent.getLocalPort());
      peer.slowOffer.countDown();
      // The first would have had three quarters of TIMEOUT_MS, which is more than LIMIT.
      try (SendChannel out = here.connect(peer.handle(), LIMIT)) {
        assertEquals(QUICK, out.route().peerAddress());
        Awaitility.await()
            .atMost(60, TimeUnit.SECONDS)
            .untilAsserted(
                () -> {
                  assertEquals(1, peer.abandoned.size());
                  assertEquals(0, here.handshaker().counters().get(Counter.CONNECTING));
                  assertEquals(0, peer.handshaker.counters().get(Counter.HALF_OPEN));
                });
        // Not its time-out, until which it would have kept a permit: the overtaken attempt is
        // cancelled, or fails for want of its endpoint before that, and then says so.
        HandshakeException.Reason why = peer.abandoned.get(0).reason();
        assertTrue(
            why == HandshakeException.Reason.PEER_CLOSED
                || why == HandshakeException.Reason.REFUSED_BY_PEER,
            why.toString());
        assertEquals(1, peer.established.get());
      }
    }
  }

  @Test
  void shouldTakeTheNetworkThatTheCallerNamed() throws Exception {
    try (MeshTransport here = open("127.77.18.1/26,127.77.19.1/24");
        MeshTransport there = open("127.77.18.2/26,127.77.19.2/24");
        Listener listener = there.listen()) {
      for (String named : List.of("127.77.19.2", "127.77.18.2")) {
        ChannelFuture<ReceiveChannel> accepting = listener.accept();
        try (SendChannel out =
                here.connect(listener.handle(), InetAddress.getByName(named)).await(LIMIT);
            ReceiveChannel in = accepting.await(LIMIT)) {
          assertEquals(named, out.route().peerAddress(), () -> in.toString());
        }
      }
    }
  }
}
