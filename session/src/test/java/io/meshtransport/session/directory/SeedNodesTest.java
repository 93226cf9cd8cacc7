// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.session.MessageHandler;
import io.meshtransport.session.PeerSession;
import io.meshtransport.session.Session;
import io.meshtransport.session.SessionOptions;
import io.meshtransport.spi.Transport;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Nodes that find each other through seeds, over the verbs in software. Also tests {@link
 * Membership}, {@link UnresolvedDestinations}, {@link Scheduler} and {@link NodeIds}.
 */
class SeedNodesTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String SUBNET = "127.43.7.";
  private static final long REMOVE_AFTER_MS = 300;
  private static final SessionOptions QUICK =
      SessionOptions.DEFAULT.reconnect(SOON, Duration.ofMillis(20), Duration.ofMillis(200));

  private final ScheduledExecutorService timer = new ScheduledThreadPoolExecutor(1);
  private final List<Host> hosts = new ArrayList<>();

  /** A process with a session whose nodes come from seeds. */
  private final class Host implements Membership, MessageHandler, AutoCloseable {
    final String name;
    final Transport transport;
    final SeedNodes nodes;
    final Session session;
    final List<String> messages = new CopyOnWriteArrayList<>();
    final Map<String, String> members = new ConcurrentHashMap<>();
    final Set<String> unwanted = ConcurrentHashMap.newKeySet();

    /**
     * @param number of its address
     * @param port 0 for any
     */
    Host(String name, int number, int port) throws Exception {
      this.name = name;
      transport =
          Transport.open(
              Map.of(
                  "MESH_PROVIDER",
                  "soft",
                  "MESH_LOOPBACK",
                  SUBNET + number + "/24",
                  "MESH_HANDSHAKE_PORT",
                  "" + port,
                  "MESH_NODE",
                  name));
      nodes =
          new SeedNodes(
              transport,
              this,
              REMOVE_AFTER_MS,
              (delayMs, task) -> timer.schedule(task, delayMs, TimeUnit.MILLISECONDS));
      session = Session.open(transport, nodes, this, QUICK);
      hosts.add(this);
    }

    Host start(String seeds) throws Exception {
      nodes.start(session, name, Seed.parse(seeds, 1));
      return this;
    }

    Set<String> known() {
      return nodes.directory().all().stream()
          .filter(node -> nodes.directory().isIntroduced(node.id()))
          .map(Node::name)
          .collect(Collectors.toSet());
    }

    @Override
    public byte[] member() {
      return ("member " + name).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void onIntroduction(Node node, byte[] member) {
      members.put(node.name(), new String(member, StandardCharsets.UTF_8));
    }

    @Override
    public Optional<String> objection(Node node) {
      return unwanted.contains(node.name()) ? Optional.of("it is not wanted") : Optional.empty();
    }

    @Override
    public void onMessage(PeerSession from, ByteBuffer message) {
      messages.add(from.name() + " says " + StandardCharsets.UTF_8.decode(message));
    }

    @Override
    public void close() {
      nodes.close();
      session.close();
      transport.close();
    }
  }

  @AfterEach
  void close() {
    hosts.forEach(Host::close);
    timer.shutdownNow();
  }

  private static String seed(Host host, int number) {
    return SUBNET + number + ":" + host.transport.handshakePort();
  }

  private static void awaitTrue(Callable<Boolean> what) {
    Awaitility.await().atMost(SOON).until(what);
  }

  private static void awaitKnown(Host host, String... names) {
    Awaitility.await()
        .atMost(SOON)
        .untilAsserted(() -> assertEquals(Set.of(names), host.known(), host.name));
  }

  @Test
  void shouldKnowEachOtherByOneSeedEach() throws Exception {
    Host a = new Host("a", 1, 0).start("");
    Host b = new Host("b", 2, 0).start(seed(a, 1));
    Host c = new Host("c", 3, 0).start(seed(b, 2) + ", " + SUBNET + "9:7");
    awaitKnown(a, "b", "c");
    awaitKnown(b, "a", "c");
    awaitKnown(c, "a", "b");
    assertEquals(Map.of("a", "member a", "b", "member b"), c.members);
    String unknown = c.nodes.whyUnknown("zz");
    assertTrue(unknown.startsWith("The seeds have led to a, b. Check the name"), unknown);
    c.session.to("a").send(ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8)), SOON);
    awaitTrue(() -> a.messages.contains("c says hello"));
    // One connection for each pair, and none for the seed that is not there.
    assertEquals(2, c.session.peers().size());
  }

  @Test
  void shouldConnectToANodeThatIsFoundWithoutASeed() throws Exception {
    Host a = new Host("a", 1, 0).start("");
    Host b = new Host("b", 2, 0).start("");
    a.nodes.found(b.session.handle());
    // Once is enough, and its own handle changes nothing.
    a.nodes.found(b.session.handle());
    a.nodes.found(a.session.handle());
    awaitKnown(a, "b");
    awaitKnown(b, "a");
    assertEquals(1, a.session.peers().size());
  }

  @Test
  void shouldFindASeedThatComesLater() throws Exception {
    Host a = new Host("a", 1, 0);
    int port = a.transport.handshakePort();
    a.close();
    Host b = new Host("b", 2, 0).start(SUBNET + "1:" + port);
    awaitTrue(() -> b.nodes.seeds().areAllRefused());
    Host again = new Host("a", 1, port).start("");
    awaitKnown(b, "a");
    awaitKnown(again, "b");
  }

  @Test
  @Tag("slow")
  void shouldReplaceANodeThatHasRestartedAndRemoveOneThatHasLeft() throws Exception {
    Host a = new Host("a", 1, 0).start("");
    Host b = new Host("b", 2, 0).start(seed(a, 1));
    awaitKnown(a, "b");
    String former = b.transport.self().id();
    b.close();
    Host again = new Host("b", 2, 0).start(seed(a, 1));
    awaitTrue(() -> a.nodes.directory().withId(again.transport.self().id()).isPresent());
    assertEquals(Optional.empty(), a.nodes.directory().withId(former));
    again.close();
    awaitTrue(() -> a.nodes.directory().all().isEmpty());
    awaitTrue(() -> a.session.peers().isEmpty());
  }

  @Test
  void shouldKeepOutWhatTheLayerAboveObjectsTo() throws Exception {
    Host a = new Host("a", 1, 0);
    a.unwanted.add("b");
    a.start("");
    Host b = new Host("b", 2, 0).start(seed(a, 1));
    awaitTrue(() -> a.session.refused() > 0);
    assertEquals(Set.of(), a.known());
    assertEquals(Map.of(), a.members);
    assertEquals("b", b.nodes.directory().self().name());
  }

  @Test
  @Tag("slow")
  void shouldRefuseASecondNodeOfOneName() throws Exception {
    Host a = new Host("a", 1, 0).start("");
    Host b = new Host("b", 2, 0).start(seed(a, 1));
    awaitKnown(a, "b");
    Host twin = new Host("a", 3, 0).start(seed(a, 1));
    awaitTrue(() -> a.session.refused() + twin.session.refused() > 0);
    assertEquals(Set.of("b"), a.known());
    assertEquals(Set.of("a"), b.known());
  }

  @Test
  void shouldResolveAnAddressOnACable() throws Exception {
    Host a = new Host("a", 1, 0).start("");
    Host b = new Host("b", 2, 0).start("");
    UnresolvedDestinations unresolved =
        new UnresolvedDestinations(b.nodes.seeds(), b.nodes.directory());
    List<String> found = new CopyOnWriteArrayList<>();
    unresolved.whenKnown(
        new InetSocketAddress(SUBNET + 1, a.transport.handshakePort()),
        node -> found.add(node.name()));
    awaitTrue(() -> found.equals(List.of("a")));
    awaitKnown(a, "b");
  }

  @Test
  void shouldSayThatItIsNotStarted() throws Exception {
    Host a = new Host("a", 1, 0);
    assertThrows(IllegalStateException.class, () -> a.nodes.directory());
    assertEquals(Optional.empty(), a.nodes.handle("b"));
    assertEquals(Optional.empty(), a.nodes.preferredAddress("b"));
    assertTrue(Membership.NONE.remedy().contains("name"));
  }
}
