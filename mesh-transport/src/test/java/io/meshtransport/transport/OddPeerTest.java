// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.handshake.Acceptor;
import io.meshtransport.handshake.ConnectRequest;
import io.meshtransport.handshake.ConnectionNonce;
import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.HandshakeSettings;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.handshake.PeerHello;
import io.meshtransport.handshake.QueuePairAddress;
import io.meshtransport.nic.Gid;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.connect.ChannelParameters;
import io.meshtransport.transport.endpoint.WireToken;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Peers that shake hands as they should and then describe an end that cannot be. Whatever was made
 * for them is closed again: closing the transport would say so otherwise.
 */
class OddPeerTest {
  private static final String OURS = "127.77.12.1";
  private static final String THEIRS = "127.77.12.2";
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int ODD_MTU_BYTES = 1000;

  @Test
  void shouldRefuseAPeerWithAnMtuThatDoesNotExist() throws Exception {
    try (Transport ours = open();
        Listener listener = ours.listen();
        Handshaker theirs = handshaker(new Offering(new byte[0]))) {
      PeerHandle handle = PeerHandle.decodePadded(listener.handle());
      byte[] parameters =
          new ChannelParameters(handle.listenerId(), 1 << 30, 1, WireToken.NONE).encode();
      ConnectRequest request =
          new ConnectRequest(
              InetAddress.getByName(THEIRS),
              new InetSocketAddress(OURS, handle.handshakePort()),
              handle.node(),
              0,
              0,
              endpoint(ODD_MTU_BYTES, parameters),
              System.nanoTime() + SOON.toNanos());

      ExecutionException refused =
          assertThrows(
              ExecutionException.class,
              () ->
                  theirs
                      .connect(request, (nonce, peer) -> {})
                      .get(SOON.toMillis(), TimeUnit.MILLISECONDS));

      HandshakeException why =
          assertInstanceOf(HandshakeException.class, refused.getCause(), refused.toString());
      assertEquals(HandshakeException.Reason.REFUSED_BY_PEER, why.reason());
    }
  }

  @Test
  void shouldEndAConnectWhosePeerAnswersWithForeignParameters() throws Exception {
    try (Transport ours = open();
        Transport borrowed =
            Transport.open(Map.of("MESH_PROVIDER", "soft", "MESH_LOOPBACK", THEIRS + "/24"));
        Listener listener = borrowed.listen();
        Handshaker theirs = handshaker(new Offering(new byte[] {1, 2, 3}))) {
      PeerHandle real = PeerHandle.decodePadded(listener.handle());
      byte[] handle = new PeerHandle(theirs.self(), 1, theirs.port(), real.addresses()).encode();
      ChannelFuture<? extends Channel> opening = ours.connect(handle);

      TransportException why =
          assertThrows(TransportException.class, () -> opening.await(SOON), "never ended");
      assertEquals(Reason.PROTOCOL, why.reason(), why.getMessage());
    }
  }

  private static Transport open() throws TransportException {
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            OURS + "/24",
            "MESH_TIMEOUT_MS",
            Long.toString(SOON.toMillis())));
  }

  private static Handshaker handshaker(Acceptor acceptor) throws Exception {
    return Handshaker.open(
        HandshakeSettings.DEFAULT.withPort(0),
        List.of(InetAddress.getByName(THEIRS)),
        NodeId.random(new SecureRandom()),
        acceptor);
  }

  private static QueuePairAddress endpoint(int mtuBytes, byte[] parameters) throws Exception {
    return new QueuePairAddress(
        1, 1, Gid.of(InetAddress.getByName(THEIRS)), mtuBytes, 1, parameters);
  }

  /** Lets everybody in, with an end that there is not. */
  private record Offering(byte[] parameters) implements Acceptor {
    @Override
    public QueuePairAddress offer(
        PeerHello hello, InetSocketAddress local, InetSocketAddress remote) {
      try {
        return endpoint(1024, parameters);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void established(ConnectionNonce nonce) {}

    @Override
    public void abandoned(ConnectionNonce nonce, HandshakeException why) {}
  }
}
