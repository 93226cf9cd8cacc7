// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.session.MessageHandler;
import io.meshtransport.session.PeerSession;
import io.meshtransport.session.PeerState;
import io.meshtransport.session.Reply;
import io.meshtransport.session.Session;
import io.meshtransport.session.SessionOptions;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sessions whose nodes come from a mesh, which is a table here. Also tests {@link NodeList} and
 * {@link NodeStateText}.
 */
class MeshNodesTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  /** Attempts that failed pause for longer than any test. */
  private static final SessionOptions PATIENT =
      SessionOptions.DEFAULT.reconnect(SOON, Duration.ofMinutes(5), Duration.ofMinutes(10));

  private static final MessageHandler ECHO =
      new MessageHandler() {
        @Override
        public void onMessage(PeerSession from, ByteBuffer message) {}

        @Override
        public void onRequest(PeerSession from, ByteBuffer request, Reply reply) {
          String text = UTF_8.decode(request).toString();
          if (!text.equals("be silent")) {
            reply.send(UTF_8.encode(text + ", " + from.name()));
          }
        }
      };

  private final Map<String, byte[]> published = new ConcurrentHashMap<>();
  private final List<MeshEventListener> listeners = new CopyOnWriteArrayList<>();

  /** What the mesh knows besides what was published. */
  private final List<MeshNode> known = new CopyOnWriteArrayList<>();

  private final List<AutoCloseable> open = new ArrayList<>();

  /** The mesh as one node sees it. */
  private record Table(
      Transport transport,
      String name,
      Map<String, byte[]> published,
      List<MeshEventListener> listeners,
      List<MeshNode> nodes)
      implements Mesh {
    @Override
    public MeshNode self() {
      return node(name);
    }

    private static MeshNode node(String named) {
      return new MeshNode(new Peer(named, named), 1, MeshNodeState.ALIVE, "", Set.of());
    }

    @Override
    public List<MeshLink> links() {
      return List.of();
    }

    @Override
    public List<MeshFinding> findings() {
      return List.of();
    }

    @Override
    public Subscription subscribe(MeshEventListener listener) {
      listeners.add(listener);
      return () -> listeners.remove(listener);
    }

    @Override
    public void publish(String service, byte[] handle) {
      published.put(name + "/" + service, handle);
      listeners.forEach(each -> each.servicePublished(node(name), service));
    }

    @Override
    public void withdraw(String service) {
      published.remove(name + "/" + service);
    }

    @Override
    public Optional<byte[]> lookup(String node, String service) {
      return Optional.ofNullable(published.get(node + "/" + service));
    }

    @Override
    public Optional<byte[]> lookup(MeshNode node, String service) {
      return lookup(node.peer().name(), service);
    }

    @Override
    public Connection connect(
        String node, String service, ConnectOptions options, Duration timeout) {
      throw new UnsupportedOperationException("not by sessions");
    }

    @Override
    public boolean awaitNodes(int count, Duration timeout) {
      return true;
    }

    @Override
    public void close() {}
  }

  /** A node with a session, closed after the test. */
  private final class Host {
    final InMemoryTransport transport;
    final MeshNodes nodes;
    final Session session;

    Host(String name, String service, SessionOptions options) throws Exception {
      transport = new InMemoryTransport(name);
      nodes = new MeshNodes(new Table(transport, name, published, listeners, known), service);
      session = Session.open(transport, nodes, ECHO, options);
      open.add(transport);
      open.add(nodes);
      open.add(session);
    }

    String call(String peer) throws Exception {
      return UTF_8.decode(session.to(peer).call(UTF_8.encode("hello"), SOON)).toString();
    }
  }

  private Host host(String name) throws Exception {
    return new Host(name, "sessions", PATIENT);
  }

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  @Test
  void shouldReachNodesByTheirNames() throws Exception {
    Host a = host("a");
    Host b = host("b");
    a.nodes.start(a.session);
    b.nodes.start(b.session);
    assertEquals("hello, a", a.call("b"));
    assertEquals("hello, b", b.call("a"));
  }

  @Test
  void shouldConnectWithoutAPauseOnceANodeIsThere() throws Exception {
    Host a = host("a");
    a.nodes.start(a.session);
    PeerSession toB = a.session.to("b");
    toB.send(UTF_8.encode("early"), SOON);
    Awaitility.await().atMost(SOON).until(() -> toB.failure().isPresent());
    Host b = host("b");
    b.nodes.start(b.session);
    assertEquals("hello, a", a.call("b"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldConnectWithoutAPauseOnceANodeIsWithinReachAgain(boolean isByVerdict) throws Exception {
    Host a = host("a");
    Host b = host("b");
    a.nodes.start(a.session);
    b.nodes.start(b.session);
    assertEquals("hello, a", a.call("b"));
    verdict(b, MeshNodeState.NODE_GONE);
    PeerSession toB = a.session.to("b");
    Awaitility.await().atMost(SOON).until(() -> toB.state() == PeerState.DOWN);
    toB.send(UTF_8.encode("early"), SOON);
    assertTrue(toB.failure().isPresent(), "it pauses");
    if (isByVerdict) {
      verdict(b, MeshNodeState.ALIVE);
    } else {
      MeshLink link = new MeshLink(a.transport.self(), b.transport.self(), 0, 0, 0);
      listeners.forEach(each -> each.linkUp(link));
    }
    Awaitility.await().atMost(SOON).until(() -> toB.state() == PeerState.OPEN);
  }

  @ParameterizedTest
  @EnumSource(names = {"PROCESS_GONE", "NODE_GONE"})
  void shouldFailCallsToANodeThatIsGone(MeshNodeState state) throws Exception {
    Host a = host("a");
    Host b = host("b");
    a.nodes.start(a.session);
    b.nodes.start(b.session);
    assertEquals("hello, a", a.call("b"));
    CompletableFuture<ByteBuffer> silent =
        a.session.to("b").request(UTF_8.encode("be silent"), Duration.ofDays(1));
    verdict(b, MeshNodeState.STUCK);
    verdict(b, MeshNodeState.UNREACHABLE);
    verdict(b, MeshNodeState.LEFT);
    assertEquals("hello, a", a.call("b"));
    assertFalse(silent.isDone());
    verdict(b, state);
    Exception why =
        assertThrows(
            ExecutionException.class, () -> silent.get(SOON.toSeconds(), TimeUnit.SECONDS));
    String expected =
        state == MeshNodeState.PROCESS_GONE
            ? "the mesh says that this life of b (%s) is over: as c reports"
            : "b (%s) counts as gone, though it may live behind a cut cable: as c reports";
    String id = b.transport.self().id();
    assertTrue(why.getMessage().endsWith(expected.formatted(id)), why.getMessage());
    assertEquals(Reason.PEER_GONE, ((TransportException) why.getCause()).reason());
    // The verdict was wrong, and the peer is there for those who want it.
    a.session.to("b").connectNow();
    assertEquals("hello, a", a.call("b"));
  }

  private void verdict(Host of, MeshNodeState state) {
    MeshNode node = new MeshNode(of.transport.self(), 1, state, "as c reports", Set.of());
    listeners.forEach(each -> each.verdict(node));
  }

  /** The text of the failure to connect. */
  private static String failure(Host of, String name) {
    PeerSession peer = of.session.to(name);
    peer.connectNow();
    Awaitility.await().atMost(SOON).until(() -> peer.failure().isPresent());
    assertEquals(Reason.NO_ROUTE, peer.failure().orElseThrow().reason());
    return peer.failure().orElseThrow().getMessage();
  }

  private void knows(String name, String id, MeshNodeState state, String... services) {
    known.add(new MeshNode(new Peer(name, id), 1, state, "as c reports", Set.of(services)));
  }

  @Test
  void shouldSayThatANameIsDoubled() throws Exception {
    knows("b", "id1", MeshNodeState.ALIVE, "sessions");
    knows("b", "id2", MeshNodeState.STUCK, "sessions");
    knows("b", "id3", MeshNodeState.UNREACHABLE, "sessions");
    knows("b", "id4", MeshNodeState.PROCESS_GONE, "sessions");
    String why = failure(host("a"), "b");
    assertTrue(
        why.startsWith(
            "no handle of node b is known, so there is no address to connect to. 2 nodes have this name: id1, id2. Give each a name of its own with MESH_NODE."),
        why);
  }

  @Test
  void shouldSayThatNoPathLeadsToANodeOfTheName() throws Exception {
    knows("b", "id1", MeshNodeState.UNREACHABLE, "sessions");
    knows("b", "id2", MeshNodeState.UNREACHABLE, "sessions");
    String why = failure(host("a"), "b");
    assertTrue(why.contains("No path leads to any of the 2 nodes of this name: id1, id2."), why);
  }

  @Test
  void shouldSayThatANodeHasNoSession() throws Exception {
    knows("b", "id1", MeshNodeState.STUCK, "store", "queue");
    knows("c", "id2", MeshNodeState.ALIVE);
    Host a = host("a");
    String why = failure(a, "b");
    assertTrue(
        why.contains(
            "it is STUCK, and the services that it has published are: queue, store. 'sessions' is"),
        why);
    why = failure(a, "c");
    assertTrue(
        why.contains("it is ALIVE, and the services that it has published are: none. "), why);
  }

  @ParameterizedTest
  @CsvSource({
    "PROCESS_GONE, Its process has ended: start it again. Messages to it wait until then",
    "NODE_GONE, Neither its process nor its host answers: see whether the host runs",
    "LEFT, 'It has left the mesh: have it join again, or start it again, unless it is just joining.'"
  })
  void shouldSayWhatToDoAboutANodeThatIsGone(MeshNodeState state, String remedy) throws Exception {
    knows("b", "id1", state, "sessions");
    knows("c", "id2", MeshNodeState.ALIVE, "sessions");
    String why = failure(host("a"), "b");
    assertTrue(
        why.startsWith(
            "no handle of node b is known, so there is no address to connect to. The mesh says that it is "
                + state
                + " (as c reports). "
                + remedy),
        why);
  }

  @Test
  void shouldSayWhatHasBecomeOfTheLatestLifeOfANode() throws Exception {
    known.add(life("b", 1, MeshNodeState.LEFT));
    known.add(life("b", 3, MeshNodeState.NODE_GONE));
    known.add(life("b", 2, MeshNodeState.PROCESS_GONE));
    Host a = host("a");
    String why = a.nodes.whyUnknown("b");
    assertTrue(why.startsWith("The mesh says that it is NODE_GONE. Neither"), why);
    assertEquals(why, a.nodes.whySilent("b"));
  }

  private static MeshNode life(String name, long incarnation, MeshNodeState state) {
    return new MeshNode(new Peer(name, name + incarnation), incarnation, state, "", Set.of());
  }

  @ParameterizedTest
  @CsvSource({
    "STUCK, Its host answers and its process does not",
    "UNREACHABLE, No path leads to it"
  })
  void shouldSayWhyANodeWithoutASessionMayPublishNone(MeshNodeState state, String meaning)
      throws Exception {
    knows("b", "id1", state);
    String why = failure(host("a"), "b");
    assertTrue(why.contains("with the same service. " + meaning), why);
  }

  @ParameterizedTest
  @CsvSource({
    "STUCK, Its host answers and its process does not",
    "UNREACHABLE, No path leads to it"
  })
  void shouldSayOfALateReplyWhatTheMeshSaysOfTheNode(MeshNodeState state, String meaning)
      throws Exception {
    Host a = host("a");
    Host b = host("b");
    a.nodes.start(a.session);
    b.nodes.start(b.session);
    assertEquals("hello, a", a.call("b"));
    knows("b", "an earlier life", MeshNodeState.PROCESS_GONE);
    knows("b", "id", state);
    String late = late(a);
    assertTrue(
        late.endsWith(
            "no reply leaves. The mesh says that it is "
                + state
                + " (as c reports). "
                + NodeStateText.remedy(state)),
        late);
    assertTrue(late.contains(meaning), late);
    knows("b", "a later life", MeshNodeState.ALIVE);
    late = late(a);
    assertTrue(late.endsWith("no reply leaves"), late);
  }

  private static String late(Host of) {
    PeerSession toB = of.session.to("b");
    // On a busy host the time may be over before a request leaves.
    return Awaitility.await()
        .atMost(SOON)
        .until(
            () ->
                assertThrows(
                        TransportException.class,
                        () -> toB.call(UTF_8.encode("be silent"), Duration.ofMillis(500)))
                    .getMessage(),
            each -> !each.contains("has not left"));
  }

  /** It was not there when the session asked for its handle, and is when it asks why. */
  @ParameterizedTest
  @EnumSource(names = {"ALIVE", "UNREACHABLE"})
  void shouldSayThatASessionHasBeenPublishedMeanwhile(MeshNodeState state) throws Exception {
    knows("b", "id1", state, "queue", "sessions");
    assertEquals(
        "The mesh says that it is "
            + state
            + ", and it has published 'sessions' since. The next attempt goes there.",
        host("a").nodes.whyUnknown("b"));
  }

  @Test
  void shouldNameTheNodesThatTheMeshKnowsWhereOneIsUnknown() throws Exception {
    Host a = host("a");
    String why = failure(a, "zz");
    assertTrue(why.contains("The mesh knows no node of this name; it knows none."), why);
    knows("b1", "an earlier life", MeshNodeState.PROCESS_GONE);
    knows("b1", "one before", MeshNodeState.PROCESS_GONE);
    for (int i = 9; i > 0; i--) {
      knows("b" + i, "id" + i, MeshNodeState.ALIVE);
    }
    assertTrue(
        a.nodes
            .whyUnknown("zz")
            .contains(
                "it knows b1 ALIVE, b1 PROCESS_GONE, b2 ALIVE, b3 ALIVE, b4 ALIVE, b5 ALIVE, b6 ALIVE, b7 ALIVE and 2 more. Check the name (MESH_NODE there), that the node runs and has joined the mesh, the cables, and that MESH_SECRET and MESH_NEIGHBOUR_PORT are the same on all nodes."),
        a.nodes.whyUnknown("zz"));
  }

  @Test
  void shouldKeepSessionsOfOtherServicesApart() throws Exception {
    Host a = host("a");
    Host b = new Host("b", "others", PATIENT);
    a.nodes.start(a.session);
    b.nodes.start(b.session);
    assertEquals(Optional.empty(), a.nodes.handle("b"));
    assertTrue(b.nodes.handle("b").isPresent());
  }

  @Test
  void shouldPublishASessionAgainWhenAddressesChange() throws Exception {
    Host a = host("a");
    a.nodes.start(a.session);
    published.clear();
    a.transport.nicListeners().forEach(each -> each.nicsChanged(a.transport.nics()));
    assertTrue(a.nodes.handle("a").isPresent());
    a.nodes.close();
    assertEquals(List.of(), a.transport.nicListeners());
  }

  @Test
  void shouldWithdrawASessionOnce() throws Exception {
    Host a = host("a");
    a.nodes.start(a.session);
    assertThrows(IllegalStateException.class, () -> a.nodes.start(a.session));
    a.nodes.close();
    a.nodes.close();
    assertFalse(a.nodes.handle("a").isPresent());
    assertEquals(List.of(), listeners);
  }

  @Test
  void shouldRefuseASessionOfAnotherName() throws Exception {
    Host a = new Host("a", "sessions", PATIENT.name("alias"));
    String why =
        assertThrows(IllegalArgumentException.class, () -> a.nodes.start(a.session)).getMessage();
    assertTrue(why.contains("'alias'") && why.contains("'a'"), why);
  }
}
