// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.connect.ChannelParameters;
import io.meshtransport.transport.endpoint.WireToken;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    refused(
        ODD_MTU_BYTES,
        listenerId -> new ChannelParameters(listenerId, 1 << 30, 1, WireToken.NONE).encode());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, ConnectOptions.MAX_REQUESTS + 1, 0xFFFF})
  void shouldRefuseAPeerWithANumberOfRequestsThatCannotBe(int requests) throws Exception {
    HandshakeException why =
        refused(1024, listenerId -> withRequests(connection(listenerId, 1), requests));

    assertTrue(why.getMessage().contains(requests + " requests at once"), why.getMessage());
  }

  /** Parameters for a listener. */
  private interface Parameters {
    byte[] of(int listenerId);
  }

  private static byte[] connection(int listenerId, int requests) {
    return new ChannelParameters(
            listenerId,
            1 << 30,
            1,
            Optional.empty(),
            WireToken.NONE,
            "",
            Optional.of(ByteBuffer.allocate(0)),
            requests)
        .encode();
  }

  /** They stand before the length of the hello, which is empty. */
  private static byte[] withRequests(byte[] parameters, int requests) {
    ByteBuffer.wrap(parameters).putShort(parameters.length - 2 * Short.BYTES, (short) requests);
    return parameters;
  }

  private static HandshakeException refused(int mtuBytes, Parameters parameters) throws Exception {
    try (Transport ours = open();
        Listener listener = ours.listen();
        Handshaker theirs = handshaker(new Offering(new byte[0]))) {
      PeerHandle handle = PeerHandle.decodePadded(listener.handle());
      ConnectRequest request =
          new ConnectRequest(
              InetAddress.getByName(THEIRS),
              new InetSocketAddress(OURS, handle.handshakePort()),
              handle.node(),
              "",
              0,
              0,
              endpoint(mtuBytes, parameters.of(handle.listenerId())),
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
      return why;
    }
  }

  @Test
  void shouldEndAConnectWhosePeerAnswersWithForeignParameters() throws Exception {
    answered(new byte[] {1, 2, 3}, (ours, handle) -> ours.connect(handle).await(SOON));
  }

  @Test
  void shouldEndAConnectWhosePeerAnswersWithMoreRequestsThanWanted() throws Exception {
    TransportException why =
        answered(
            connection(1, 101),
            (ours, handle) -> ours.connect(handle, ConnectOptions.DEFAULT.requests(100), SOON));

    assertTrue(
        why.getMessage().contains("100 requests at once at most, got 101"), why.getMessage());
  }

  /** Connects to a peer. */
  private interface Connect {
    void to(Transport ours, byte[] handle) throws TransportException;
  }

  private static TransportException answered(byte[] parameters, Connect connect) throws Exception {
    try (Transport ours = open();
        Transport borrowed =
            Transport.open(Map.of("MESH_PROVIDER", "soft", "MESH_LOOPBACK", THEIRS + "/24"));
        Listener listener = borrowed.listen();
        Handshaker theirs = handshaker(new Offering(parameters))) {
      PeerHandle real = PeerHandle.decodePadded(listener.handle());
      byte[] handle = new PeerHandle(theirs.self(), 1, theirs.port(), real.addresses()).encode();

      TransportException why =
          assertThrows(TransportException.class, () -> connect.to(ours, handle), "never ended");
      assertEquals(Reason.PROTOCOL, why.reason(), why.getMessage());
      return why;
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
