// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.collectives.exec.FakeMemory;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** {@link GroupJoin} of rank 0 of two, whose transport and mesh a test plays. */
class GroupJoinTest {
  private static final GroupMembership PAIR =
      new GroupMembership("g", "g", 0, List.of("a", "b"), 0);

  private static final int MANY_TURNS = 200;

  /** As often as a joining thread looks at who is there. */
  private static final long NOTE_NS = 50_000_000;

  /** Looks at who is there that are not of a turn: the first, the last, and those of the text. */
  private static final int OTHER_LOOKS = 6;

  /** User data of the receive that is posted first. */
  private static final long FIRST_RECEIVE = -2;

  private final AtomicInteger turns = new AtomicInteger();

  /** Where control messages arrive. */
  private FakeMemory arrivals;

  /** What the next poll reports as accepted, and as closed right behind; null for nothing. */
  private Connection lostOnceAccepted;

  /** Begins to connect. */
  private interface Dial {
    ChannelFuture<Connection> begin() throws TransportException;
  }

  private final class CountingPoller extends TestPoller {
    @Override
    public void add(Connection connection) {}

    @Override
    public int poll(Completions into) {
      into.clear();
      if (lostOnceAccepted != null) {
        Connection lost = lostOnceAccepted;
        lostOnceAccepted = null;
        ByteBuffer accepted =
            new RankMessage(RankMessage.Kind.ACCEPTED, 1, 0, new byte[0]).encode();
        int bytes = accepted.remaining();
        arrivals.segments().get(0).duplicate().put(accepted);
        into.add(lost, CompletionKind.RECEIVED, FIRST_RECEIVE, 0, bytes, null);
        into.add(
            lost,
            CompletionKind.CLOSED,
            0,
            0,
            0,
            new TransportException(TransportException.Reason.PEER_GONE, "a test"));
      }
      return into.count();
    }

    @Override
    public int await(Completions into, long timeoutNs) {
      turns.incrementAndGet();
      return poll(into);
    }

    @Override
    public void wakeup() {}

    @Override
    public void close() {}
  }

  private Transport transport(Dial dial) {
    Poller poller = new CountingPoller();
    Listener listener =
        Fakes.of(
            Listener.class,
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "handle" -> new byte[] {7};
                  case "acceptConnection" -> new ChannelFuture<Connection>();
                  default -> null;
                });
    return Fakes.of(
        Transport.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "listen" -> listener;
              case "newPoller" -> poller;
              case "allocate" -> arrivals = new FakeMemory((long) arguments[0]);
              case "connect" -> dial.begin();
              case "nics" -> List.of();
              default -> null;
            });
  }

  private static Connection connection() {
    return Fakes.of(
        Connection.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "state" -> ChannelState.READY;
              case "maxRequests" -> MemberLinks.REQUESTS;
              case "irecv", "isend" -> 0L;
              default -> null;
            });
  }

  private static CollectiveException failure(
      Transport transport, Rendezvous rendezvous, Deadline deadline) throws TransportException {
    Reception reception =
        Reception.open(transport, new Roster(rendezvous, "a", 2), MeshGroup.OPTIONS.unlisted());
    try {
      return assertThrows(
          CollectiveException.class,
          () ->
              GroupJoin.join(
                  reception,
                  PAIR,
                  MemberLives.ANY,
                  new MemberNews(reception.mesh()),
                  new JoinLog("g", System::nanoTime),
                  deadline));
    } finally {
      reception.release();
    }
  }

  @Test
  void shouldSayWhyTheLastAttemptFailed() throws Exception {
    Rendezvous rendezvous = Rendezvous.inProcess();
    rendezvous.publish("b", new byte[] {2, 7});
    AtomicInteger attempts = new AtomicInteger();
    Transport transport =
        transport(
            () -> {
              attempts.incrementAndGet();
              throw new TransportException(TransportException.Reason.REFUSED, "a test refuses");
            });
    CollectiveException late =
        failure(transport, rendezvous, new Deadline(1, () -> attempts.get() < 2 ? 0 : 1));
    assertEquals(
        "group 'g' of 2 members [a, b]: rank 0 (a) connects to rank 1 (b) still, and the time for joining has passed. rank 1 (b): REFUSED: a test refuses",
        late.getMessage());
  }

  @Test
  void shouldNotSayOfARankThatIsConnectedWhyAnEarlierAttemptFailed() throws Exception {
    Rendezvous rendezvous = Rendezvous.inProcess();
    rendezvous.publish("b", new byte[] {2, 7});
    AtomicInteger attempts = new AtomicInteger();
    Transport transport =
        transport(
            () -> {
              if (attempts.incrementAndGet() == 1) {
                throw new TransportException(TransportException.Reason.REFUSED, "a test refuses");
              }
              ChannelFuture<Connection> done = new ChannelFuture<>();
              done.complete(connection());
              return done;
            });
    CollectiveException late =
        failure(transport, rendezvous, new Deadline(1, () -> attempts.get() < 2 ? 0 : 1));
    assertEquals(Reason.TIMED_OUT, late.reason());
    assertEquals(2, attempts.get());
    assertEquals(
        "group 'g' of 2 members [a, b]: rank 0 (a) connects to rank 1 (b) still, and the time for joining has passed.",
        late.getMessage());
  }

  @Test
  void shouldFailWithWhatIsSoWhereAConnectionIsLostAsItIsAccepted() throws Exception {
    Rendezvous rendezvous = Rendezvous.inProcess();
    rendezvous.publish("b", new byte[] {2, 7});
    Transport transport =
        transport(
            () -> {
              lostOnceAccepted = connection();
              ChannelFuture<Connection> done = new ChannelFuture<>();
              done.complete(lostOnceAccepted);
              return done;
            });
    CollectiveException lost =
        failure(transport, rendezvous, Deadline.after(Duration.ofMinutes(1)));
    assertEquals(Reason.RANK_LOST, lost.reason(), lost.getMessage());
    assertEquals(1, lost.rank());
  }

  @Test
  void shouldLookAtWhoIsThereMoreRarelyThanForConnections() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    MeshNode b = new MeshNode(new Peer("b", "2"), 1, MeshNodeState.ALIVE, "", Set.of("group:g"));
    Map<String, byte[]> services = new HashMap<>();
    Mesh unlinked =
        Fakes.mesh(
            services,
            () -> {
              looks.incrementAndGet();
              return List.of(b);
            });
    MeshLink cable = new MeshLink(new Peer("a", "1"), b.peer(), 0, 0, 0);
    Mesh mesh =
        Fakes.of(
            Mesh.class,
            (proxy, method, arguments) ->
                method.getName().equals("links")
                    ? List.of(cable)
                    : method.invoke(unlinked, arguments));
    long beginNs = System.nanoTime();
    CollectiveException late =
        failure(
            transport(ChannelFuture::new),
            new MeshRendezvous(mesh, "g"),
            new Deadline(1, () -> turns.get() < MANY_TURNS ? 0 : 1));
    assertEquals(Reason.TIMED_OUT, late.reason());
    assertTrue(turns.get() >= MANY_TURNS, "" + turns);
    long maxLooks = (System.nanoTime() - beginNs) / NOTE_NS + OTHER_LOOKS;
    assertTrue(looks.get() <= maxLooks, looks + " looks in " + turns + " turns, not " + maxLooks);
  }
}
