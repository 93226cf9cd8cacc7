// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.Acceptor;
import io.meshtransport.handshake.ConnectionNonce;
import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.HandshakeSettings;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.handshake.PeerHello;
import io.meshtransport.handshake.QueuePairAddress;
import io.meshtransport.nic.Gid;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.connect.ChannelParameters;
import io.meshtransport.transport.endpoint.WireToken;
import io.meshtransport.transport.route.Host;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connection that carries the data in software: made before READY, by nobody but the peer. */
class DataConnectionTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String OURS = "127.77.21.1";
  private static final String THEIRS = "127.77.21.2";
  private static final int ROUNDS = 12;
  private static final int THREADS = 3;

  private static Transport open(String address, Map<String, String> more) throws Exception {
    Map<String, String> all = new HashMap<>(more);
    all.put("MESH_PROVIDER", "soft");
    all.put("MESH_LOOPBACK", address + "/24");
    all.put("MESH_HANDSHAKE_PORT", "0");
    return Transport.open(all);
  }

  private static int dataPort(Transport transport) {
    return ((MeshTransport) transport).context().nics().now().get(0).device().wirePort();
  }

  /** Somebody at the peer's address who read no handshake, and says what the peer would say. */
  private static final class Outsider implements AutoCloseable {
    final AtomicLong tries = new AtomicLong();
    final List<String> learned = new CopyOnWriteArrayList<>();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();

    Outsider(String from, int fromPort, String to, int toPort) throws Exception {
      ByteBuffer preamble = ByteBuffer.allocate(80);
      preamble.putInt(0, 0x4D535750).putShort(4, (short) 5);
      preamble.putShort(8, (short) fromPort).putShort(10, (short) toPort);
      preamble.put(16, Gid.of(InetAddress.getByName(from)).toBytes());
      preamble.put(32, Gid.of(InetAddress.getByName(to)).toBytes());
      for (int i = 0; i < THREADS; i++) {
        Thread thread = new Thread(() -> knock(from, to, toPort, preamble), "outsider");
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
      }
    }

    private void knock(String from, String to, int toPort, ByteBuffer preamble) {
      while (!isOver.get()) {
        try (SocketChannel channel = SocketChannel.open()) {
          channel.bind(new InetSocketAddress(from, 0));
          channel.connect(new InetSocketAddress(to, toPort));
          tries.incrementAndGet();
          channel.write(preamble.duplicate());
          channel.socket().setSoTimeout(50);
          int first = channel.socket().getInputStream().read();
          if (first >= 0) {
            learned.add("byte " + first);
          }
        } catch (IOException e) {
          // It is turned away, or not let in at all.
          Thread.onSpinWait();
        }
      }
    }

    @Override
    public void close() {
      isOver.set(true);
      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> threads.stream().noneMatch(Thread::isAlive));
    }
  }

  @Test
  void shouldSetUpAndDeliverWhileOutsidersAtThePeersAddressKnock() throws Exception {
    Map<String, String> secret = Map.of("MESH_SECRET", "a secret of sixteen bytes");
    try (Transport ours = open(OURS, secret);
        Transport theirs = open(THEIRS, secret);
        Listener listener = ours.listen();
        // The smaller address dials, so the larger takes connections.
        Outsider outsider = new Outsider(OURS, dataPort(ours), THEIRS, dataPort(theirs))) {
      RegisteredMemory shared = ours.allocate(64, Set.of(RemoteAccess.PUT));
      RemoteMemory remote = theirs.remoteMemory(shared.remoteKey());
      for (int round = 0; round < ROUNDS; round++) {
        byte[] text = ("for one alone, " + round).getBytes(StandardCharsets.US_ASCII);
        RegisteredMemory mine = theirs.register(ByteBuffer.allocateDirect(text.length).put(text));
        ChannelFuture<ReceiveChannel> accepting = listener.accept();
        try (SendChannel out = theirs.connect(listener.handle(), SOON)) {
          out.put(mine, 0, text.length, remote, 0, SOON);
          byte[] arrived = new byte[text.length];
          shared.segments().get(0).get(0, arrived);
          assertEquals(
              new String(text, StandardCharsets.US_ASCII),
              new String(arrived, StandardCharsets.US_ASCII));
          accepting.await(SOON).close();
        }
        mine.close();
      }
      shared.close();
      assertTrue(outsider.tries.get() > 0);
      assertEquals(List.of(), outsider.learned);
    }
  }

  /** A peer that shakes hands, and whose data port is where the test wants it. */
  private static TransportException refusal(int dataPort, List<HandshakeException> toldPeer)
      throws Exception {
    Acceptor acceptor =
        new Acceptor() {
          @Override
          public QueuePairAddress offer(
              PeerHello hello, InetSocketAddress local, InetSocketAddress from) {
            return new QueuePairAddress(
                1,
                1,
                Gid.of(local.getAddress()),
                1024,
                dataPort,
                new ChannelParameters(1, 1 << 30, 1, WireToken.draw()).encode());
          }

          @Override
          public void established(ConnectionNonce nonce) {}

          @Override
          public void abandoned(ConnectionNonce nonce, HandshakeException why) {
            toldPeer.add(why);
          }
        };
    try (Transport ours = open(OURS, Map.of("MESH_TIMEOUT_MS", "4000"));
        Handshaker theirs =
            Handshaker.open(
                HandshakeSettings.DEFAULT.withPort(0),
                List.of(InetAddress.getByName(THEIRS)),
                NodeId.random(new SecureRandom()),
                acceptor)) {
      byte[] handle =
          new PeerHandle(
                  theirs.self(),
                  1,
                  theirs.port(),
                  List.of(new HandleAddress(Host.address(THEIRS + "/24"), 0, 100)))
              .encode();
      return assertThrows(TransportException.class, () -> ours.connect(handle, SOON));
    }
  }

  private static void assertTellsThePort(
      TransportException why, int port, List<HandshakeException> toldPeer) {
    assertEquals(Reason.PEER_UNREACHABLE, why.reason(), why.getMessage());
    assertTrue(why.getMessage().contains(THEIRS + " TCP port " + port), why.getMessage());
    assertTrue(why.getMessage().contains("MESH_DATA_PORT"), why.getMessage());
    assertEquals(1, toldPeer.size());
    assertTrue(toldPeer.get(0).getMessage().contains("data connection"), toldPeer.toString());
  }

  @Test
  @Tag("slow")
  void shouldFailTheSetUpWhenTheDataPortRefuses() throws Exception {
    ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(THEIRS));
    int port = socket.getLocalPort();
    socket.close();
    List<HandshakeException> toldPeer = new CopyOnWriteArrayList<>();
    TransportException why = refusal(port, toldPeer);
    assertTellsThePort(why, port, toldPeer);
  }

  @Test
  @Tag("slow")
  void shouldFailTheSetUpWhenTheDataPortIsSilent() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getByName(THEIRS))) {
      List<HandshakeException> toldPeer = new CopyOnWriteArrayList<>();
      TransportException why = refusal(socket.getLocalPort(), toldPeer);
      assertTellsThePort(why, socket.getLocalPort(), toldPeer);
    }
  }

  @Test
  void shouldTakeThePortAskedForOrSayWhoseItIs() throws Exception {
    ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(OURS));
    int port = free.getLocalPort();
    free.close();
    Map<String, String> asked = Map.of("MESH_DATA_PORT", Integer.toString(port));
    try (Transport first = open(OURS, asked)) {
      assertEquals(port, dataPort(first));
      TransportException why =
          assertThrows(TransportException.class, () -> open(OURS, asked).close());
      assertEquals(Reason.NO_RESOURCES, why.reason());
      assertTrue(
          why.getMessage().contains("TCP port " + port + " of MESH_DATA_PORT"), why.getMessage());
    }
  }

  @Test
  void shouldShareTheDefaultPortBetweenAddressesAndGiveWayOnOne() throws Exception {
    try (Transport first = open(OURS, Map.of());
        Transport elsewhere = open(THEIRS, Map.of());
        Transport second = open(OURS, Map.of())) {
      assertEquals(4792, dataPort(first));
      assertEquals(4792, dataPort(elsewhere));
      assertTrue(dataPort(second) != 4792 && dataPort(second) != 0);
    }
  }
}
