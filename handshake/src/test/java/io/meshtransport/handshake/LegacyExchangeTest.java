// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import io.meshtransport.nic.Gid;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Both roles of the C plugin's handshake, against a peer made of bytes and a plain socket.
 *
 * <p>Also tests {@link LegacyBringUp}, {@link LegacyInbound}, {@link LegacyOutbound} and {@link
 * MessageAssembler}.
 */
class LegacyExchangeTest {
  private static final String FROM_PEER =
      "0002000a0000000000000000000000000000ffff7f0000017f00000103000000";
  private static final String ANSWER_OF_PEER =
      "0003000b00000000000000000000000000000000000000007f00000100020000";
  private static final Inet4Address LOCALHOST = localhost();

  private final List<TestNode> nodes = new ArrayList<>();

  private static Inet4Address localhost() {
    try {
      return (Inet4Address) InetAddress.getByName("127.0.0.1");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private TestNode node(HandshakeSettings settings) throws HandshakeException {
    TestNode node = new TestNode(settings);
    nodes.add(node);
    return node;
  }

  @AfterEach
  void close() {
    nodes.forEach(TestNode::close);
  }

  private static LegacyEndpoint endpoint(int qpNumber, int nicIndex) {
    return new LegacyEndpoint(qpNumber, 0, Gid.ZERO, LOCALHOST, 0, nicIndex);
  }

  /** Keeps books of queue pairs that do not exist. */
  private static class Books implements LegacyAcceptor {
    final Map<ConnectionNonce, LegacyEndpoint> offered = new ConcurrentHashMap<>();
    final Map<ConnectionNonce, HandshakeException> abandoned = new ConcurrentHashMap<>();
    final AtomicInteger established = new AtomicInteger();

    @Override
    public LegacyEndpoint offer(
        ConnectionNonce nonce,
        LegacyEndpoint theirs,
        InetSocketAddress local,
        InetSocketAddress remote)
        throws RefusedException {
      offered.put(nonce, theirs);
      return endpoint(0x40011, theirs.nicIndex());
    }

    @Override
    public void established(ConnectionNonce nonce) {
      established.incrementAndGet();
    }

    @Override
    public void abandoned(ConnectionNonce nonce, HandshakeException why) {
      abandoned.put(nonce, why);
    }
  }

  private static Socket dial(LegacyPort port) throws IOException {
    Socket socket = new Socket(LOCALHOST, port.port());
    socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TestNode.PATIENCE_S));
    return socket;
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  @Test
  void shouldAnswerACPluginWithAQueuePairAndHangUp() throws Exception {
    Books books = new Books();
    LegacyPort port = node(TestNode.patient()).handshaker.listenLegacy(books);

    try (Socket peer = dial(port)) {
      peer.getOutputStream().write(hex(FROM_PEER));
      DataInputStream in = new DataInputStream(peer.getInputStream());
      byte[] answer = in.readNBytes(32);

      assertArrayEquals(endpoint(0x40011, 0).encode(), answer);
      assertEquals(-1, in.read(), "the listener hangs up after its answer");
    }
    await().atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS).until(() -> books.established.get() == 1);
    assertEquals(0x2000a, books.offered.values().iterator().next().qpNumber());
    assertTrue(books.abandoned.isEmpty());
  }

  @Test
  void shouldAcceptNoConnectionAfterThePortIsClosed() throws Exception {
    LegacyPort port = node(TestNode.patient()).handshaker.listenLegacy(new Books());
    port.close();
    port.close();

    await().atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS).until(() -> refuses(port));
  }

  private static boolean refuses(LegacyPort port) throws IOException {
    try {
      dial(port).close();
      return false;
    } catch (ConnectException e) {
      return true;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "4141414141414141414141414141414141414141414141414141414141414141",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0002000aff000000000000000000000000000000000000000000000000000000",
        "4d",
        "0002000a0000000000000000000000000000ffff7f0000017f0000010300000000"
      })
  void shouldGiveGarbageNoQueuePairAndNoAnswer(String garbage) throws Exception {
    Books books = new Books();
    TestNode node = node(TestNode.patient());
    LegacyPort port = node.handshaker.listenLegacy(books);

    try (Socket peer = dial(port)) {
      peer.getOutputStream().write(hex(garbage));
      assertEquals(0, bytesUntilEnd(peer));
    }
    await()
        .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
        .until(() -> node.handshaker.counters().inboundFailures(Reason.GARBAGE) == 1);
    assertTrue(books.offered.isEmpty());
  }

  /** Reads until the peer ends the connection, by closing or by reset. */
  private static int bytesUntilEnd(Socket peer) throws IOException {
    int count = 0;
    try {
      while (peer.getInputStream().read() >= 0) {
        count++;
      }
    } catch (SocketException reset) {
      // Also an end.
    }
    return count;
  }

  @Test
  @Tag("slow")
  void shouldServeOthersWhileOneIsSilentAndDropItInTheEnd() throws Exception {
    int timeoutMs = (int) TimeUnit.SECONDS.toMillis(TestNode.PATIENCE_S);
    HandshakeSettings hasty =
        new HandshakeSettings(0, false, timeoutMs, 1000, 3, 256, Optional.empty());
    TestNode node = node(hasty);
    LegacyPort port = node.handshaker.listenLegacy(new Books());

    try (Socket silent = dial(port);
        Socket halfway = dial(port);
        Socket peer = dial(port)) {
      halfway.getOutputStream().write(new byte[31]);
      peer.getOutputStream().write(hex(FROM_PEER));
      assertEquals(32, peer.getInputStream().readNBytes(32).length);
      assertEquals(0, bytesUntilEnd(silent));
      assertEquals(0, bytesUntilEnd(halfway));
    }
    assertEquals(2, node.count(Counter.HELLO_TIMED_OUT));
  }

  @Test
  void shouldRefuseInSilenceWhatTheOwnerRefuses() throws Exception {
    LegacyPort port =
        node(TestNode.patient())
            .handshaker
            .listenLegacy(
                new Books() {
                  @Override
                  public LegacyEndpoint offer(
                      ConnectionNonce nonce,
                      LegacyEndpoint theirs,
                      InetSocketAddress local,
                      InetSocketAddress remote)
                      throws RefusedException {
                    throw new RefusedException("not today");
                  }
                });

    try (Socket peer = dial(port)) {
      peer.getOutputStream().write(hex(FROM_PEER));
      assertEquals(0, bytesUntilEnd(peer));
    }
  }

  @Test
  void shouldGiveBackWhatAPeerThatLeftDidNotWaitFor() throws Exception {
    CountDownLatch gone = new CountDownLatch(1);
    Books books =
        new Books() {
          @Override
          public LegacyEndpoint offer(
              ConnectionNonce nonce,
              LegacyEndpoint theirs,
              InetSocketAddress local,
              InetSocketAddress remote)
              throws RefusedException {
            LegacyEndpoint mine = super.offer(nonce, theirs, local, remote);
            awaitQuietly(gone);
            return mine;
          }
        };
    TestNode node = node(TestNode.patient());
    LegacyPort port = node.handshaker.listenLegacy(books);

    try (Socket peer = dial(port)) {
      peer.getOutputStream().write(hex(FROM_PEER));
      await().atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS).until(() -> books.offered.size() == 1);
    }
    await()
        .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
        .until(() -> node.handshaker.counters().inboundFailures(Reason.PEER_CLOSED) == 1);
    gone.countDown();
    await().atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS).until(() -> books.abandoned.size() == 1);
    assertEquals(0, books.established.get());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertTrue(latch.await(TestNode.PATIENCE_S, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A C plugin's listener: accepts one connection per script and plays it. */
  private static CompletableFuture<byte[]> listener(ServerSocket server, byte[]... answers) {
    return CompletableFuture.supplyAsync(
        () -> {
          byte[] said = new byte[0];
          for (byte[] answer : answers) {
            try (Socket peer = server.accept()) {
              said = peer.getInputStream().readNBytes(32);
              peer.getOutputStream().write(answer);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
          return said;
        });
  }

  private static LegacyConnectRequest requestTo(ServerSocket server, long patienceNs) {
    return new LegacyConnectRequest(
        LOCALHOST,
        new InetSocketAddress(LOCALHOST, server.getLocalPort()),
        endpoint(0x50012, 2),
        System.nanoTime() + patienceNs);
  }

  private static LegacyConnectRequest requestTo(ServerSocket server) {
    return requestTo(server, TimeUnit.SECONDS.toNanos(TestNode.PATIENCE_S));
  }

  private static Reason failure(CompletableFuture<LegacyEstablished> connect) throws Exception {
    ExecutionException failed =
        assertThrows(
            ExecutionException.class, () -> connect.get(TestNode.PATIENCE_S, TimeUnit.SECONDS));
    return assertInstanceOf(HandshakeException.class, failed.getCause()).reason();
  }

  @Test
  void shouldConnectToACPlugin() throws Exception {
    TestNode node = node(TestNode.patient());
    try (ServerSocket server = new ServerSocket(0, 16, LOCALHOST)) {
      CompletableFuture<byte[]> said = listener(server, hex(ANSWER_OF_PEER));
      CompletableFuture<LegacyEndpoint> broughtUp = new CompletableFuture<>();

      LegacyEstablished established =
          node.handshaker
              .connectLegacy(requestTo(server), broughtUp::complete)
              .get(TestNode.PATIENCE_S, TimeUnit.SECONDS);

      assertEquals(endpoint(0x3000b, 2), established.peer());
      assertEquals(established.peer(), broughtUp.get());
      assertEquals(1, established.attempts());
      assertArrayEquals(endpoint(0x50012, 2).encode(), said.get());
    }
  }

  @Test
  void shouldConnectWhileTheListenerHangsUpDuringBringUp() throws Exception {
    TestNode node = node(TestNode.patient());
    try (ServerSocket server = new ServerSocket(0, 16, LOCALHOST)) {
      CompletableFuture<byte[]> said = listener(server, hex(ANSWER_OF_PEER));

      node.handshaker
          .connectLegacy(
              requestTo(server),
              peer -> {
                said.join();
                await()
                    .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
                    .until(() -> node.count(Counter.OPEN_CONNECTIONS) == 0);
              })
          .get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldTryAgainWhenTheListenerHangsUpAndFailWhenItAlwaysDoes() throws Exception {
    TestNode node = node(TestNode.patient());
    try (ServerSocket server = new ServerSocket(0, 16, LOCALHOST)) {
      listener(server, new byte[0], new byte[0], hex(ANSWER_OF_PEER));
      assertEquals(
          3,
          node.handshaker
              .connectLegacy(requestTo(server), peer -> {})
              .get(TestNode.PATIENCE_S, TimeUnit.SECONDS)
              .attempts());

      listener(server, new byte[0], new byte[0], new byte[0], new byte[31]);
      assertEquals(
          Reason.PEER_CLOSED,
          failure(node.handshaker.connectLegacy(requestTo(server), peer -> {})));
    }
  }

  @Test
  void shouldRefuseAnAnswerThatDescribesNoQueuePair() throws Exception {
    TestNode node = node(TestNode.patient());
    try (ServerSocket server = new ServerSocket(0, 16, LOCALHOST)) {
      listener(server, new byte[32]);
      assertEquals(
          Reason.GARBAGE, failure(node.handshaker.connectLegacy(requestTo(server), peer -> {})));
    }
  }

  @Test
  void shouldNotWaitForASilentListenerBeyondTheDeadline() throws Exception {
    TestNode node = node(TestNode.patient());
    try (ServerSocket server = new ServerSocket(0, 16, LOCALHOST)) {
      CompletableFuture<LegacyEstablished> connect =
          node.handshaker.connectLegacy(
              requestTo(server, TimeUnit.MILLISECONDS.toNanos(50)), peer -> {});
      assertEquals(Reason.TIMED_OUT, failure(connect));
    }
  }

  @Test
  void shouldFailWhenOurQueuePairCannotBeBroughtUp() throws Exception {
    TestNode node = node(TestNode.patient());
    try (ServerSocket server = new ServerSocket(0, 16, LOCALHOST)) {
      listener(server, hex(ANSWER_OF_PEER));
      CompletableFuture<LegacyEstablished> connect =
          node.handshaker.connectLegacy(
              requestTo(server),
              peer -> {
                throw new RefusedException("no");
              });
      assertEquals(Reason.REFUSED_HERE, failure(connect));
    }
  }

  @Test
  void shouldStillRefuseACPluginAtThePortOfOurOwnWire() throws Exception {
    TestNode node = node(TestNode.patient());
    try (Socket peer = new Socket(LOCALHOST, node.handshaker.port())) {
      peer.getOutputStream().write(hex(FROM_PEER));
      assertEquals(0, bytesUntilEnd(peer));
    }
    await()
        .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
        .until(() -> node.handshaker.counters().inboundFailures(Reason.LEGACY) == 1);
  }
}
