// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.nic.Gid;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** One node on loopback: a handshaker and an owner of queue pairs that only keeps books. */
final class TestNode implements AutoCloseable, Acceptor {
  static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  /** Long enough for the slowest machine; no test waits for it to pass. */
  static final long PATIENCE_S = 120;

  final NodeId id = NodeId.random(new SecureRandom());
  final Map<ConnectionNonce, PeerHello> offered = new ConcurrentHashMap<>();
  final Set<ConnectionNonce> established = ConcurrentHashMap.newKeySet();
  final Map<ConnectionNonce, HandshakeException> abandoned = new ConcurrentHashMap<>();
  final Handshaker handshaker;
  private final AtomicInteger qpNumbers = new AtomicInteger();

  TestNode(HandshakeSettings settings) throws HandshakeException {
    handshaker = Handshaker.open(settings, Set.of(LOOPBACK), id, this);
  }

  TestNode(HandshakeSettings settings, Set<InetAddress> addresses) throws HandshakeException {
    handshaker = Handshaker.open(settings, addresses, id, this);
  }

  TestNode(HandshakeSettings settings, Acceptor acceptor) throws HandshakeException {
    handshaker = Handshaker.open(settings, Set.of(LOOPBACK), id, acceptor);
  }

  /** One for which no time passes, so that it keeps a connection for as long as the peer does. */
  static TestNode timeless(HandshakeSettings settings) throws HandshakeException {
    long nowNs = System.nanoTime();
    return new TestNode(settings, () -> nowNs);
  }

  TestNode(HandshakeSettings settings, LongSupplier clockNs) throws HandshakeException {
    handshaker = Handshaker.open(settings, Set.of(LOOPBACK), id, this, new SecureRandom(), clockNs);
  }

  /** Deadlines as long as a test may take, so that only a stall can reach them. */
  static HandshakeSettings patient() {
    return patient(256);
  }

  static HandshakeSettings patient(int maxHalfOpen) {
    int patienceMs = (int) TimeUnit.SECONDS.toMillis(PATIENCE_S);
    return new HandshakeSettings(
        0, false, patienceMs, patienceMs, 3, maxHalfOpen, Optional.empty());
  }

  static QueuePairAddress endpoint(int qpNumber) {
    return endpointAt(LOOPBACK, qpNumber);
  }

  static QueuePairAddress endpointAt(InetAddress address, int qpNumber) {
    return new QueuePairAddress(qpNumber, 0x123456, Gid.of(address), 1024, 0, new byte[] {1, 2, 3});
  }

  ConnectRequest requestTo(TestNode peer, int qpNumber) {
    return requestTo(peer.id, peer.handshaker.port(), qpNumber);
  }

  ConnectRequest requestTo(NodeId peer, int port, int qpNumber) {
    return new ConnectRequest(
        LOOPBACK,
        new InetSocketAddress(LOOPBACK, port),
        peer,
        "",
        0,
        1,
        endpoint(qpNumber),
        System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S));
  }

  CompletableFuture<Established> connectTo(TestNode peer, int qpNumber) {
    return handshaker.connect(requestTo(peer, qpNumber), (nonce, endpoint) -> {});
  }

  long count(Counter counter) {
    return handshaker.counters().get(counter);
  }

  @Override
  public QueuePairAddress offer(PeerHello hello, InetSocketAddress local, InetSocketAddress remote)
      throws RefusedException {
    offered.put(hello.nonce(), hello);
    return endpointAt(local.getAddress(), qpNumbers.incrementAndGet());
  }

  @Override
  public void established(ConnectionNonce nonce) {
    established.add(nonce);
  }

  @Override
  public void abandoned(ConnectionNonce nonce, HandshakeException why) {
    abandoned.put(nonce, why);
  }

  @Override
  public void close() {
    handshaker.close();
  }
}
