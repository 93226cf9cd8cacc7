// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.LoopbackMember;
import io.meshtransport.jgroups.link.BundleHeader;
import io.meshtransport.jgroups.link.DialQueue;
import io.meshtransport.jgroups.link.InboundLinks;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a program can do to a group if it reaches the group's ports and speaks its protocol. */
@Timeout(120)
class UnresolvedDestinationsTest {
  private static final String SUBNET = "127.77.58.";
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int SILENT_CHANNELS = 100;

  private LoopbackMember a;
  private LoopbackMember b;
  private Transport stranger;

  @BeforeEach
  void join() throws Exception {
    a = LoopbackMember.make("mesh.xml", "a", SUBNET + 1, "");
    a.mesh().forget_after = 500;
    a.channel().connect("loopback");
    b = LoopbackMember.join("mesh.xml", "b", SUBNET + 2, a.seed(SUBNET + 1));
    a.awaitView("a", "b");
    stranger = Transport.open(Map.of("MESH_LOOPBACK", SUBNET + "3/24", "MESH_HANDSHAKE_PORT", "0"));
  }

  @AfterEach
  void leave() {
    stranger.close();
    b.close();
    a.close();
  }

  private static long threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name))
        .count();
  }

  private SendChannel channel() throws Exception {
    String[] place = a.seed(SUBNET + 1).split(":");
    byte[] handle =
        stranger.lookup(new InetSocketAddress(place[0], Integer.parseInt(place[1]))).get();
    return stranger.connect(handle, LIMIT);
  }

  private void introduce(SendChannel channel, Node self, List<Node> others)
      throws TransportException {
    for (byte[] message : DirectoryMessage.encode(self, new byte[0], others, 60_000)) {
      ByteBuffer frame = ByteBuffer.allocateDirect(BundleHeader.HEADER_BYTES + message.length);
      BundleHeader.put(frame, BundleHeader.DIRECTORY, message.length, 0);
      frame.put(BundleHeader.HEADER_BYTES, message);
      RegisteredMemory memory = stranger.register(frame);
      channel.send(memory, 0, frame.capacity(), BundleHeader.TAG, LIMIT);
      memory.close();
    }
  }

  private Node node(IpAddress overlay, String name, byte[] handle) throws TransportException {
    return new Node(
        overlay, name, System.currentTimeMillis() + 1000, handle, stranger.nodeId(handle));
  }

  private String known() {
    return a.mesh().printNodes() + ", " + a.mesh().printLinks();
  }

  private static void until(java.util.function.BooleanSupplier holds) {
    Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(5)).until(holds::getAsBoolean);
  }

  @Test
  @Tag("slow")
  void shouldCostLittleToLearnAndRemoveAThousandNodesByGossip() throws Exception {
    String before = a.mesh().printNodes();
    long threadsBefore = threads("mesh-jgroups-out");
    SendChannel channel = channel();
    List<Node> hearsay = new ArrayList<>();
    // Handles of nodes that are gone: each can be read, and no node is at any of them.
    for (int number = 0; number < 40; number++) {
      try (Transport gone =
              Transport.open(Map.of("MESH_LOOPBACK", SUBNET + "4/24", "MESH_HANDSHAKE_PORT", "0"));
          Listener listener = gone.listen()) {
        hearsay.add(node(Nodes.overlay(5_000 + number, Nodes.PORT), "x", listener.handle()));
      }
    }
    byte[] handle = hearsay.get(0).handle();
    for (int number = 40; number < 1_000; number++) {
      // The same life at other addresses, and bytes that are no handle.
      byte[] bytes = number % 2 == 0 ? handle : new byte[] {(byte) number};
      hearsay.add(new Node(Nodes.overlay(5_000 + number, Nodes.PORT), "x", 1, bytes, "any"));
    }
    Listener own = stranger.listen();
    introduce(channel, node(Nodes.overlay(4_000, Nodes.PORT), "stranger", own.handle()), hearsay);
    until(() -> a.mesh().printNodes().contains("x (198."));
    assertTrue(
        a.mesh().directory().all().size() <= 2 + Directory.MAX_GOSSIP_PER_SOURCE, this::known);
    long most = threads("mesh-jgroups-out");
    assertTrue(
        most <= threadsBefore + 2 + DialQueue.MAX_CONCURRENT, () -> most + " threads; " + known());
    assertTrue(b.mesh().directory().all().stream().noneMatch(node -> node.name().equals("x")));
    stranger.close();
    until(() -> a.mesh().directory().all().stream().noneMatch(node -> node.name().equals("x")));
    until(() -> a.mesh().printNodes().equals(before));
    until(() -> threads("mesh-jgroups-out") <= threadsBefore);
  }

  @Test
  @Tag("slow")
  void shouldBoundChannelsOfThoseWhoDoNotSayWhoTheyAre() throws Exception {
    List<SendChannel> silent = new ArrayList<>();
    byte[] handle = null;
    for (int number = 0; number < SILENT_CHANNELS; number++) {
      if (handle == null) {
        String[] place = a.seed(SUBNET + 1).split(":");
        handle = stranger.lookup(new InetSocketAddress(place[0], Integer.parseInt(place[1]))).get();
      }
      silent.add(stranger.connect(handle, LIMIT));
      long links = a.mesh().getIncomingLinks();
      assertTrue(links <= InboundLinks.MAX_UNKNOWN + 2, () -> links + " links");
    }
    // Meanwhile others are let in, and those who stay silent go.
    try (LoopbackMember c = LoopbackMember.join("mesh.xml", "c", SUBNET + 5, a.seed(SUBNET + 1))) {
      a.awaitView("a", "b", "c");
      c.unicast(a, 1);
      a.awaitUnicasts(c, 1);
    }
    until(() -> a.mesh().getIncomingLinks() <= 1);
    silent.forEach(SendChannel::close);
  }

  @Test
  void shouldNotTreatAnUnknownNodeAsALivingMember() throws Exception {
    Node living = a.mesh().directory().all().get(0);
    assertEquals("b", living.name());
    Listener listener = stranger.listen();
    ChannelFuture<ReceiveChannel> accepting = listener.accept();
    SendChannel channel = channel();
    introduce(channel, node(living.overlay(), "b", listener.handle()), List.of());
    // It is turned away once b has given a sign of life.
    until(() -> a.mesh().getRefusedLinks() == 1);
    assertEquals(List.of(living), a.mesh().directory().all());
    a.unicast(b, 1, 1000);
    b.awaitUnicasts(a, 1, 1000);
    assertTrue(a.mesh().printLinks().contains("OPEN"), this::known);
    accepting.close();
  }

  @Test
  void shouldRejectANodeThatHasTheHandleOfAnother() throws Exception {
    Node living = a.mesh().directory().all().get(0);
    try (SendChannel channel = channel()) {
      introduce(channel, living, List.of());
      until(() -> a.mesh().getRefusedLinks() == 1);
    }
    assertEquals(List.of(living), a.mesh().directory().all());
  }

  @Test
  @Tag("slow")
  void shouldRememberNothingOfNodesThatAreNotAdded() throws Exception {
    IpAddress taken = a.mesh().directory().self().overlay();
    until(() -> a.mesh().trackedNodes() == 1);
    for (int number = 1; number <= 3; number++) {
      try (Transport other =
              Transport.open(Map.of("MESH_LOOPBACK", SUBNET + "4/24", "MESH_HANDSHAKE_PORT", "0"));
          Listener listener = other.listen()) {
        stranger.close();
        stranger = other;
        try (SendChannel channel = channel()) {
          introduce(channel, node(taken, "stranger", listener.handle()), List.of());
          long refused = number;
          until(() -> a.mesh().getRefusedLinks() == refused);
        }
      }
    }
    assertEquals(1, a.mesh().trackedNodes());
  }

  @Test
  void shouldRejectAnAddressOutsideTheOverlayNetwork() throws Exception {
    Listener listener = stranger.listen();
    IpAddress onCable = new IpAddress(Nodes.address(127, 77, 58, 9), Nodes.PORT);
    try (SendChannel channel = channel()) {
      introduce(channel, node(onCable, "stranger", listener.handle()), List.of());
      until(() -> a.mesh().getRefusedLinks() == 1);
    }
    assertEquals(1, a.mesh().directory().all().size(), this::known);
  }
}
