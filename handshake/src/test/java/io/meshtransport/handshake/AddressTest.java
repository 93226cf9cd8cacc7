// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The addresses a connect may be given. */
class AddressTest {
  private static ConnectRequest between(
      InetAddress local, InetAddress remote, TestNode from, TestNode to) {
    ConnectRequest loopback = from.requestTo(to, 1);
    return new ConnectRequest(
        local,
        new InetSocketAddress(remote, to.handshaker.port()),
        to.id,
        "",
        0,
        0,
        TestNode.endpointAt(local, 1),
        loopback.deadlineNs());
  }

  private static void shouldConnect(InetAddress local, InetAddress remote) throws Exception {
    try (TestNode a = new TestNode(TestNode.patient());
        TestNode b = new TestNode(TestNode.patient(), Set.of(remote))) {
      Established outcome =
          a.handshaker
              .connect(between(local, remote, a, b), (nonce, peer) -> {})
              .get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
      assertEquals(local, outcome.local().getAddress());
      assertEquals(remote, outcome.remote().getAddress());
    }
  }

  @Test
  void shouldDialFromTheGivenAddress() throws Exception {
    shouldConnect(InetAddress.getByName("127.0.1.1"), InetAddress.getByName("127.0.2.1"));
  }

  @Test
  void shouldConnectOverIpv6() throws Exception {
    InetAddress loopback = InetAddress.getByName("::1");
    Assumptions.assumeTrue(
        NetworkInterface.getByInetAddress(loopback) != null, "this host has no IPv6 loopback");
    shouldConnect(loopback, loopback);
  }

  @Test
  void shouldConnectOverLinkLocalAddressesInTheScopeOfTheLocalOne() throws Exception {
    Optional<InetAddress> linkLocal =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(address -> address.getAddress().length == 16 && address.isLinkLocalAddress())
            .findFirst();
    Assumptions.assumeTrue(linkLocal.isPresent(), "this host has no IPv6 link-local address");
    // As it comes out of a handle: without a scope.
    InetAddress remote =
        Inet6Address.getByAddress(null, linkLocal.get().getAddress(), /* scope_id= */ 0);
    shouldConnect(linkLocal.get(), remote);
  }

  @Test
  void shouldSayThatTheLocalAddressIsNotOurs() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      // No host has an address of TEST-NET-1 (RFC 5737).
      ConnectRequest request = between(InetAddress.getByName("192.0.2.1"), TestNode.LOOPBACK, a, a);
      assertEquals(
          Reason.LOCAL_SOCKET,
          HandshakerTest.reasonOf(a.handshaker.connect(request, (nonce, peer) -> {})));
    }
  }

  @Test
  void shouldRefuseAnEndpointThatIsNotWhereItsHelloComesFrom() throws Exception {
    InetAddress third = InetAddress.getByName("127.0.9.9");
    try (TestNode a = new TestNode(TestNode.patient());
        TestNode b = new TestNode(TestNode.patient())) {
      ConnectRequest honest = a.requestTo(b, 1);
      ConnectRequest forged =
          new ConnectRequest(
              honest.local(),
              honest.remote(),
              honest.peer(),
              "",
              0,
              1,
              TestNode.endpointAt(third, 1),
              honest.deadlineNs());
      assertEquals(
          Reason.WRONG_ENDPOINT,
          HandshakerTest.reasonOf(a.handshaker.connect(forged, (nonce, peer) -> {})));
      assertTrue(b.offered.isEmpty(), "no queue pair for it");
    }
  }

  @Test
  void shouldRefuseAnAnswerThatNamesAThird() throws Exception {
    Acceptor forging =
        new Acceptor() {
          @Override
          public QueuePairAddress offer(
              PeerHello hello, InetSocketAddress local, InetSocketAddress remote)
              throws RefusedException {
            try {
              return TestNode.endpointAt(InetAddress.getByName("127.0.9.9"), 1);
            } catch (UnknownHostException e) {
              throw new RefusedException("cannot be", e);
            }
          }

          @Override
          public void established(ConnectionNonce nonce) {}

          @Override
          public void abandoned(ConnectionNonce nonce, HandshakeException why) {}
        };
    AtomicBoolean broughtUp = new AtomicBoolean();
    try (TestNode a = new TestNode(TestNode.patient());
        TestNode b = new TestNode(TestNode.patient(), forging)) {
      assertEquals(
          Reason.WRONG_ENDPOINT,
          HandshakerTest.reasonOf(
              a.handshaker.connect(a.requestTo(b, 1), (nonce, peer) -> broughtUp.set(true))));
      assertFalse(broughtUp.get());
    }
  }

  @Test
  void shouldConnectToItself() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      assertEquals(a.id, a.connectTo(a, 1).get(TestNode.PATIENCE_S, TimeUnit.SECONDS).peer());
    }
  }
}
