// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.RelayPolicy;
import io.meshtransport.spi.TransportException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Joins one group: the lower rank of each pair of neighbours connects, the higher one says that it
 * has accepted, all tell all whom they have connected, and each waits for those that connect to it.
 * Used once, by one thread.
 *
 * <p>The higher rank may accept an attempt just as the lower one gives it up, and neither end knows
 * whether its last message has arrived. So a connection may be lost without failing the group until
 * the other end is known to use it: the lower rank then makes another, which takes its place.
 */
final class GroupJoin {
  private static final long PAUSE_NS = 2_000_000;

  /** Between two looks at who is there: that is for texts. */
  private static final long NOTE_NS = 50_000_000;

  /** After an attempt that failed, before the next. */
  private static final long RETRY_NS = 50_000_000;

  private static final long NS_PER_US = 1_000;

  /** Bytes per second of a Mbit/s. */
  private static final long BYTES_PER_MBIT = 125_000;

  private final Reception reception;
  private final GroupMembership membership;
  private final Neighbourhood neighbourhood;
  private final MemberLives lives;
  private final MemberNews news;
  private final Deadline deadline;
  private final LocalRank member;
  private final JoinLog log;

  /** By rank: attempts to connect that are under way. */
  private final Map<Integer, ChannelFuture<Connection>> attempts = new TreeMap<>();

  private final Map<Integer, Long> retryAtNs = new HashMap<>();

  /** By rank that is not connected yet. */
  private final Map<Integer, TransportException> lastFailures = new TreeMap<>();

  /** By rank that this one connects to: how many attempts there were. */
  private final Map<Integer, Integer> attemptCounts = new HashMap<>();

  /** By rank that connects to this one: what its link began with. */
  private final Map<Integer, GroupHello> acceptedHellos = new HashMap<>();

  /** Tells the attempts of this join from those of another of this member. */
  private final int number = ThreadLocalRandom.current().nextInt();

  /** Ranks whose connections they have not accepted yet. */
  private final Set<Integer> unaccepted = new TreeSet<>();

  private final List<JoinedGraph.Link> opened = new ArrayList<>();
  private long noteAtNs = System.nanoTime();

  private GroupJoin(
      Reception reception,
      GroupMembership membership,
      Neighbourhood neighbourhood,
      MemberLives lives,
      MemberNews news,
      JoinLog log,
      Deadline deadline)
      throws TransportException {
    this.reception = reception;
    this.membership = membership;
    this.neighbourhood = neighbourhood;
    this.lives = lives;
    this.news = news;
    this.log = log;
    this.deadline = deadline;
    member = new LocalRank(membership, new MemberLinks(reception.transport(), membership.size()));
  }

  /**
   * What a member and its links are after joining.
   *
   * @param isOversubscribed whether some host has more members than processors
   */
  record Joined(LocalRank member, JoinedGraph graph, boolean isOversubscribed) {}

  /**
   * @param lives of the members that may join: if one is over, the others are not awaited
   * @param news for the text of a failure
   * @param log of all of the join: it has what was said already
   */
  static Joined join(
      Reception reception,
      GroupMembership membership,
      MemberLives lives,
      MemberNews news,
      JoinLog log,
      Deadline deadline)
      throws CollectiveException {
    Neighbourhood neighbourhood = Neighbourhood.of(reception, membership, deadline);
    GroupJoin join;
    try {
      join = new GroupJoin(reception, membership, neighbourhood, lives, news, log, deadline);
    } catch (TransportException e) {
      throw failure(reason(e, Reason.RESOURCES), membership.spec() + ": " + e.summary(), e);
    }
    try {
      return join.run();
    } catch (CollectiveException | RuntimeException e) {
      join.attempts.values().forEach(ChannelFuture::close);
      join.member.close(MeshGroup.DRAIN_NS);
      throw e;
    }
  }

  static CollectiveException failure(Reason reason, String text, Throwable cause) {
    return new CollectiveException(reason, CollectiveException.NO_RANK, "", text, cause);
  }

  /** That the transport was closed under it, or else what such a failure means. */
  private static Reason reason(TransportException why, Reason usual) {
    return why.reason() == TransportException.Reason.CLOSED ? Reason.CLOSED : usual;
  }

  private Joined run() throws CollectiveException {
    for (int rank = membership.rank() + 1; rank < membership.size(); rank++) {
      if (neighbourhood.mayReach(rank)) {
        retryAtNs.put(rank, System.nanoTime());
      }
    }
    member.lock();
    try {
      connectAll();
      member
          .rounds()
          .tell(
              RoundKind.JOIN,
              new JoinRecord(membership.spec(), reception.addresses(), MemberHost.here(), opened)
                  .encode());
      return awaitAll();
    } catch (TransportException e) {
      throw failure(reason(e, Reason.UNREACHABLE), membership.spec() + ": " + e.summary(), e);
    } finally {
      member.unlock();
    }
  }

  private void connectAll() throws CollectiveException, TransportException {
    while (!pending().isEmpty()) {
      beginAttempts();
      endAttempts();
      acceptAll();
      seeAccepted();
      List<Integer> pending = pending();
      if (!pending.isEmpty()) {
        turn("connects to " + membership.members(pending));
      }
    }
  }

  private List<Integer> pending() {
    List<Integer> ranks = new ArrayList<>(retryAtNs.keySet());
    ranks.addAll(attempts.keySet());
    ranks.addAll(unaccepted);
    return ranks;
  }

  private void beginAttempts() {
    long nowNs = System.nanoTime();
    for (int rank : List.copyOf(retryAtNs.keySet())) {
      Optional<byte[]> handle = reception.roster().handle(membership.names().get(rank));
      if (handle.isPresent() && retryAtNs.get(rank) - nowNs <= 0) {
        try {
          int attempt = attemptCounts.merge(rank, 1, Integer::sum) - 1;
          GroupHello hello = new GroupHello(membership.rank(), membership.key(), number, attempt);
          attempts.put(
              rank, reception.transport().connect(handle.get(), options().hello(hello.encode())));
          retryAtNs.remove(rank);
        } catch (TransportException e) {
          lastFailures.put(rank, e);
          retryAtNs.put(rank, nowNs + RETRY_NS);
        }
      }
    }
  }

  /** Beside the cable that carries a connection, one more may stand by. */
  private ConnectOptions options() {
    return MeshGroup.OPTIONS
        .rails(2)
        .relay(neighbourhood.isMesh() ? RelayPolicy.FALLBACK : RelayPolicy.NEVER);
  }

  private void endAttempts() throws TransportException {
    for (int rank : List.copyOf(attempts.keySet())) {
      ChannelFuture<Connection> attempt = attempts.get(rank);
      if (attempt.isDone()) {
        attempts.remove(rank);
        try {
          member.joinProvisionally(rank, attempt.join());
          unaccepted.add(rank);
          lastFailures.remove(rank);
        } catch (CompletionException e) {
          failed(rank, e.getCause());
        }
      }
    }
  }

  private void seeAccepted() {
    for (int rank : List.copyOf(unaccepted)) {
      // One that was accepted and is lost already fails the group in the next turn.
      Optional<TransportException> lost = member.links().lostProvisional(rank);
      if (member.links().isConfirmed(rank)) {
        unaccepted.remove(rank);
        accepted(rank);
      } else if (!member.links().has(rank) && lost.isPresent()) {
        unaccepted.remove(rank);
        failed(rank, lost.get());
      }
    }
  }

  private void accepted(int rank) {
    List<MeshLink> cables = neighbourhood.cables(rank);
    long rate = cables.stream().mapToLong(MeshLink::rateMbps).max().orElse(0) * BYTES_PER_MBIT;
    long latencyNs = cables.stream().mapToLong(MeshLink::latencyNs).max().orElse(0);
    opened.add(
        new JoinedGraph.Link(
            membership.rank(), rank, rate, latencyNs, neighbourhood.isRelayed(rank)));
  }

  /** Without a subnet in common, two ranks are no neighbours, and others pass on what they have. */
  private void failed(int rank, Throwable cause) {
    TransportException why =
        cause instanceof TransportException known
            ? known
            : new TransportException(
                TransportException.Reason.DEVICE, "connecting failed: " + cause, cause);
    lastFailures.put(rank, why);
    boolean isNoNeighbour =
        why.reason() == TransportException.Reason.NO_ROUTE && !neighbourhood.mustReach(rank);
    boolean isCutMeanwhile = neighbourhood.isCabled() && !neighbourhood.isCabledNow(rank);
    if (!isNoNeighbour && !isCutMeanwhile) {
      retryAtNs.put(rank, System.nanoTime() + RETRY_NS);
    }
  }

  private void acceptAll() throws TransportException {
    for (int rank = 0; rank < membership.rank(); rank++) {
      if (!member.links().isConfirmed(rank)) {
        accept(rank);
      }
    }
  }

  /** The latest attempt of a join is the one that its rank means, unless that is lost. */
  private void accept(int rank) throws TransportException {
    member.links().lostProvisional(rank).ifPresent(why -> lastFailures.put(rank, why));
    Optional<Reception.Arrival> came =
        reception.take(new GroupHello.Opener(rank, membership.key()));
    if (came.isEmpty()) {
      return;
    }
    if (member.links().has(rank) && came.get().hello().isEarlierThan(acceptedHellos.get(rank))) {
      reception.refuse(came.get().connection());
      return;
    }
    lastFailures.remove(rank);
    acceptedHellos.put(rank, came.get().hello());
    member.joinProvisionally(rank, came.get().connection());
    member.send(rank, RankMessage.Kind.ACCEPTED, new byte[0]);
  }

  /** Until everybody has said whom it has connected, and those that connected to this rank came. */
  private Joined awaitAll() throws CollectiveException, TransportException {
    while (!member.rounds().records().isComplete()) {
      acceptAll();
      turn("waits for " + membership.members(member.rounds().records().missing()));
    }
    List<JoinedGraph.Link> links = new ArrayList<>();
    List<List<String>> addresses = new ArrayList<>();
    List<MemberHost> hosts = new ArrayList<>();
    byte[][] records = member.rounds().end();
    for (int rank = 0; rank < records.length; rank++) {
      Optional<JoinRecord> record = JoinRecord.decode(records[rank], membership.size());
      if (record.isEmpty()) {
        throw member.rounds().refused(rank);
      }
      addresses.add(record.get().addresses());
      hosts.add(record.get().host());
      requireSame(rank, record.get().spec());
      links.addAll(record.get().links());
    }
    confirm(links);
    links.addAll(new ExtraCables(reception, member, options(), deadline).join(links, addresses));
    return new Joined(
        member, new JoinedGraph(membership.size(), links), MemberHost.isAnyOversubscribed(hosts));
  }

  /** Awaits the connections that other ranks use, and drops those that they have given up. */
  private void confirm(List<JoinedGraph.Link> links)
      throws CollectiveException, TransportException {
    Set<Integer> connected = new TreeSet<>();
    for (JoinedGraph.Link each : links) {
      while (each.other() == membership.rank() && !member.links().has(each.one())) {
        acceptAll();
        turn("waits for the connection of " + membership.member(each.one()));
      }
      if (each.other() == membership.rank()) {
        member.links().confirm(each.one());
        connected.add(each.one());
      }
    }
    for (int rank = 0; rank < membership.rank(); rank++) {
      if (!connected.contains(rank)) {
        member.links().drop(rank);
      }
    }
  }

  private void requireSame(int rank, String spec) throws CollectiveException {
    if (!spec.equals(membership.spec())) {
      member.fail(
          new Failure(
              Reason.MISMATCH,
              rank,
              membership.member(membership.rank())
                  + " joins "
                  + membership.spec()
                  + ", but "
                  + membership.member(rank)
                  + " joins "
                  + spec
                  + ". Give all members the same."));
      member.check();
    }
  }

  private List<String> others() {
    List<String> others = new ArrayList<>(membership.names());
    others.remove(membership.rank());
    return others;
  }

  /** With the member's lock. */
  private void turn(String what) throws CollectiveException {
    lives.over(membership).ifPresent(member::fail);
    member.requireAllPresent();
    boolean isOver = deadline.leftNs() <= 0;
    if (isOver || noteAtNs - System.nanoTime() <= 0) {
      note();
    }
    if (isOver) {
      throw failure(
          Reason.TIMED_OUT,
          membership.spec()
              + ": "
              + text(
                  "%s %s still, and the time for joining has passed."
                      .formatted(membership.member(membership.rank()), what)),
          null);
    }
    log.waits(news::hasCause, () -> text(what + " still."));
    member.waitFor(Math.min(PAUSE_NS, deadline.leftNs()));
  }

  /** Of the members: a mesh knows who has left since, and may come again. */
  private void note() {
    List<String> present = membership.names();
    if (reception.mesh().isEmpty()) {
      news.note(present);
    } else {
      MeshRendezvous there = reception.mesh().get();
      List<MeshNode> nodes = there.mesh().nodes();
      Set<String> now = Set.copyOf(there.members(nodes));
      present = present.stream().filter(now::contains).toList();
      news.note(present, nodes);
    }
    log.present(present);
    noteAtNs = System.nanoTime() + NOTE_NS;
  }

  /**
   * The cause, what is so, what else is known, and what to do.
   *
   * @param what a sentence
   */
  private String text(String what) {
    StringBuilder attempts = new StringBuilder(what);
    lastFailures.forEach(
        (rank, why) ->
            attempts
                .append(" ")
                .append(membership.member(rank))
                .append(": ")
                .append(why.summary()));
    List<String> others = others();
    return news.of(others).around(attempts.toString())
        + (others.stream().allMatch(news::isThere) ? "" : news.advice(others, true));
  }
}
