package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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
        0,
        0,
        loopback.mine(),
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
      // TEST-NET-1 (RFC 5737) is nobody's.
      ConnectRequest request = between(InetAddress.getByName("192.0.2.1"), TestNode.LOOPBACK, a, a);
      assertEquals(
          Reason.LOCAL_SOCKET,
          HandshakerTest.reasonOf(a.handshaker.connect(request, (nonce, peer) -> {})));
    }
  }

  @Test
  void shouldConnectToItself() throws Exception {
    try (TestNode a = new TestNode(TestNode.patient())) {
      assertEquals(a.id, a.connectTo(a, 1).get(TestNode.PATIENCE_S, TimeUnit.SECONDS).peer());
    }
  }
}
