// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.session.MessageHandler;
import io.meshtransport.session.NodeExchange;
import io.meshtransport.session.PeerSession;
import io.meshtransport.session.Session;
import io.meshtransport.session.SessionOptions;
import io.meshtransport.session.directory.Directory;
import io.meshtransport.session.directory.DirectoryMessage;
import io.meshtransport.session.directory.Node;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a program can do to a group if it reaches the group's ports and speaks its protocol. Also
 * tests {@link BundleSender}.
 */
@Timeout(120)
@Tag("slow")
class MeshIntruderTest {
  private static final String SUBNET = "127.77.58.";
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int SILENT_CONNECTIONS = 100;

  private LoopbackMember a;
  private LoopbackMember b;
  private Transport intruder;

  /** Says nothing of its own accord. */
  private static final class Silent implements NodeExchange, MessageHandler {
    @Override
    public Optional<byte[]> handle(String name) {
      return Optional.empty();
    }

    @Override
    public void onOpen(PeerSession peer) {
      // Silent.
    }

    @Override
    public void onDown(PeerSession peer, boolean wasOpen, TransportException why) {
      // Silent.
    }

    @Override
    public void onProcessEnd(PeerSession peer, String nodeId) {
      // Silent.
    }

    @Override
    public void onExchange(PeerSession from, ByteBuffer message) {
      // Silent.
    }

    @Override
    public void onMessage(PeerSession from, ByteBuffer message) {
      // Silent.
    }
  }

  @BeforeEach
  void join() throws Exception {
    a = LoopbackMember.make("mesh.xml", "a", SUBNET + 1, "");
    a.mesh().forget_after = 500;
    a.channel().connect("loopback");
    b = LoopbackMember.join("mesh.xml", "b", SUBNET + 2, a.seed(SUBNET + 1));
    a.awaitView("a", "b");
    intruder = Transport.open(Map.of("MESH_LOOPBACK", SUBNET + "3/24", "MESH_HANDSHAKE_PORT", "0"));
  }

  @AfterEach
  void leave() {
    intruder.close();
    b.close();
    a.close();
  }

  private byte[] handle() throws Exception {
    String[] place = a.seed(SUBNET + 1).split(":");
    return intruder.lookup(new InetSocketAddress(place[0], Integer.parseInt(place[1]))).get();
  }

  private Session session(String name) throws TransportException {
    Silent silent = new Silent();
    // Longer than the members wait, so that it is they who end a connection.
    SessionOptions options = a.mesh().sessionOptions().name(name).reconnect(LIMIT, LIMIT, LIMIT);
    return Session.open(intruder, silent, silent, options);
  }

  private PeerSession connect(Session session) throws Exception {
    PeerSession toA =
        session.connect(handle(), Optional.empty()).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    until(toA::isOpen);
    return toA;
  }

  private static void introduce(PeerSession toA, Node self, List<Node> others) {
    for (byte[] message : DirectoryMessage.encode(self, new byte[0], others, 60_000)) {
      assertTrue(toA.exchange(ByteBuffer.wrap(message)));
    }
  }

  private static String overlay(int number) {
    return "198.18.%d.%d:4791".formatted(number >> 8, number & 0xff);
  }

  private Node node(String name, String label, byte[] handle) throws TransportException {
    return new Node(
        name, label, System.currentTimeMillis() + 1000, handle, intruder.nodeId(handle));
  }

  private String known() {
    return a.mesh().printNodes() + ", " + a.mesh().printLinks();
  }

  private static void until(BooleanSupplier holds) {
    Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(5)).until(holds::getAsBoolean);
  }

  @Test
  void shouldCostLittleToLearnAndRemoveAThousandNodesByGossip() throws Exception {
    String before = a.mesh().printNodes();
    List<Node> gossip = new ArrayList<>();
    // Handles of nodes that are gone: each can be read, and no node is at any of them.
    for (int number = 0; number < 40; number++) {
      try (Transport gone =
              Transport.open(Map.of("MESH_LOOPBACK", SUBNET + "4/24", "MESH_HANDSHAKE_PORT", "0"));
          Listener listener = gone.listen()) {
        gossip.add(node(overlay(5_000 + number), "x", listener.handle()));
      }
    }
    byte[] handle = gossip.get(0).handle();
    for (int number = 40; number < 1_000; number++) {
      // The same process at other addresses, and bytes that are no handle.
      byte[] bytes = number % 2 == 0 ? handle : new byte[] {(byte) number};
      gossip.add(new Node(overlay(5_000 + number), "x", 1, bytes, "any"));
    }
    try (Session session = session(overlay(4_000))) {
      introduce(connect(session), node(overlay(4_000), "intruder", session.handle()), gossip);
      until(() -> a.mesh().printNodes().contains("x (198."));
      assertTrue(
          a.mesh().directory().all().size() <= 2 + Directory.MAX_GOSSIP_PER_SOURCE, this::known);
      assertTrue(b.mesh().directory().all().stream().noneMatch(node -> node.label().equals("x")));
    }
    until(() -> a.mesh().directory().all().stream().noneMatch(node -> node.label().equals("x")));
    until(() -> a.mesh().printNodes().equals(before));
  }

  @Test
  void shouldLetOthersInBesideConnectionsThatSayNothing() throws Exception {
    List<Connection> silent = new ArrayList<>();
    byte[] handle = handle();
    for (int number = 0; number < SILENT_CONNECTIONS; number++) {
      silent.add(intruder.connect(handle, ConnectOptions.DEFAULT, LIMIT));
    }
    try (LoopbackMember c = LoopbackMember.join("mesh.xml", "c", SUBNET + 5, a.seed(SUBNET + 1))) {
      a.awaitView("a", "b", "c");
      c.unicast(a, 1);
      a.awaitUnicasts(c, 1);
      assertEquals(SILENT_CONNECTIONS, a.mesh().getRefusedLinks());
    }
    silent.forEach(Connection::close);
  }

  @Test
  void shouldNotReplaceALivingMember() throws Exception {
    Node living = a.mesh().directory().all().get(0);
    assertEquals("b", living.label());
    try (Session session = session(living.name())) {
      session.connect(handle(), Optional.empty());
      // It is turned away once the connection of b has outlived it.
      until(() -> a.mesh().getRefusedLinks() >= 1);
    }
    assertEquals(List.of(living), a.mesh().directory().all());
    a.unicast(b, 1, 1000);
    b.awaitUnicasts(a, 1, 1000);
    assertTrue(a.mesh().printLinks().contains("OPEN"), this::known);
  }

  @Test
  void shouldRejectANodeThatHasTheHandleOfAnother() throws Exception {
    Node living = a.mesh().directory().all().get(0);
    try (Session session = session(overlay(4_000))) {
      introduce(connect(session), living, List.of());
      until(() -> a.mesh().getRefusedLinks() == 1);
    }
    assertEquals(List.of(living), a.mesh().directory().all());
  }

  @Test
  void shouldRejectANodeOfItsOwnName() throws Exception {
    String taken = OverlayNetwork.name(a.mesh().overlayAddress());
    for (int number = 1; number <= 3; number++) {
      try (Session session = session(taken)) {
        session.connect(handle(), Optional.empty());
        long refused = number;
        until(() -> a.mesh().getRefusedLinks() >= refused || !session.peers().isEmpty());
        assertEquals(0, session.peers().size());
      }
    }
    assertEquals(1, a.mesh().directory().all().size(), this::known);
  }

  @Test
  void shouldRejectAnAddressOutsideTheOverlayNetwork() throws Exception {
    try (Session session = session("127.77.58.9:4791")) {
      PeerSession toA = connect(session);
      introduce(toA, node(session.name(), "intruder", session.handle()), List.of());
      until(() -> a.mesh().getRefusedLinks() == 1);
    }
    assertEquals(1, a.mesh().directory().all().size(), this::known);
  }

  @Test
  void shouldDropWhatIsNoBundle() throws Exception {
    try (Session session = session(overlay(4_000))) {
      PeerSession toA = connect(session);
      toA.send(ByteBuffer.allocate(7), LIMIT);
      toA.send(ByteBuffer.wrap(new byte[] {-1, -1, -1, -1, 0, 3, 2, 1}), LIMIT);
      assertTrue(session.drain(LIMIT));
    }
    a.unicast(b, 1, 1000);
    b.awaitUnicasts(a, 1, 1000);
    assertEquals(0, a.mesh().getRefusedLinks());
  }
}
