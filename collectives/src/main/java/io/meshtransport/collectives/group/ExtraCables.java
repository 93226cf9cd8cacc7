// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Connects neighbours over each further cable between them, once the first one has joined them: the
 * lower rank connects, then all tell all over which cables they have. A cable that cannot be used
 * is left out. Used once, by one thread, with the member's lock.
 */
final class ExtraCables {
  private static final Logger LOG = LogManager.getLogger(ExtraCables.class);
  private static final long PAUSE_NS = 2_000_000;

  /** Of one attempt: in a program that has just begun, on a busy host, the first may hang. */
  private static final long CONNECT_NS = 2_000_000_000L;

  /** What counts of one turn: a process that was held up meanwhile has not waited. */
  private static final long MAX_TURN_NS = 50_000_000;

  /** A cable that does not answer is done without. */
  private static final int ATTEMPTS = 2;

  private final Reception reception;
  private final LocalRank member;
  private final ConnectOptions options;
  private final Deadline deadline;
  private final List<JoinedGraph.Link> opened = new ArrayList<>();

  /**
   * @param options of connections, without their first bytes
   */
  ExtraCables(Reception reception, LocalRank member, ConnectOptions options, Deadline deadline) {
    this.reception = reception;
    this.member = member;
    this.options = options;
    this.deadline = deadline;
  }

  /** The first bytes of a connection over another cable than the first; a key has no spaces. */
  private GroupHello hello(int rank, int cable) {
    return new GroupHello(rank, member.membership().key() + " " + cable);
  }

  /**
   * Connects, and awaits those that others open.
   *
   * @param links those of first cables
   * @param addresses of each rank
   * @return all further links of the group
   */
  List<JoinedGraph.Link> join(List<JoinedGraph.Link> links, List<List<String>> addresses)
      throws CollectiveException, TransportException {
    int self = member.membership().rank();
    for (JoinedGraph.Link each : links) {
      if (each.one() == self && !each.isRelayed()) {
        connect(
            each.other(), CableSubnets.shared(addresses.get(self), addresses.get(each.other())));
      }
    }
    List<JoinedGraph.Link> all = new ArrayList<>();
    byte[] mine = JoinedGraph.encode(opened);
    long leftNs = Math.max(0, deadline.leftNs());
    byte[][] records =
        member.rounds().exchange(RoundKind.CABLES, mine, "joining the group", leftNs);
    for (int rank = 0; rank < records.length; rank++) {
      Optional<List<JoinedGraph.Link>> theirs =
          JoinedGraph.decode(ByteBuffer.wrap(records[rank]), records.length);
      if (theirs.isEmpty()) {
        throw member.rounds().refused(rank);
      }
      all.addAll(theirs.get());
    }
    for (JoinedGraph.Link each : all) {
      if (each.other() == self) {
        accept(each);
      }
    }
    return all;
  }

  private void connect(int rank, Map<String, InetAddress> subnets)
      throws CollectiveException, TransportException {
    Set<String> used = new HashSet<>();
    used.add(subnet(member.links().connection(rank)));
    Optional<byte[]> handle = reception.roster().handle(member.membership().names().get(rank));
    int cable = 1;
    for (Map.Entry<String, InetAddress> each : subnets.entrySet()) {
      if (handle.isPresent() && !used.contains(each.getKey()) && cable < MemberLinks.MAX_CABLES) {
        ConnectOptions overCable =
            options
                .hello(hello(member.membership().rank(), cable).encode())
                .preferredAddress(each.getValue());
        Optional<Connection> connection =
            connect(
                () -> reception.transport().connect(handle.get(), overCable),
                made -> !used.contains(subnet(made)));
        if (connection.isPresent()) {
          used.add(subnet(connection.get()));
          member.join(member.links().number(rank, cable), connection.get());
          opened.add(new JoinedGraph.Link(member.membership().rank(), rank, 0, 0, false, cable));
          cable++;
        }
      }
    }
  }

  private static String subnet(Connection connection) {
    return CableSubnets.subnet(connection.route().localAddress());
  }

  /** Begins to connect over one cable. */
  interface Attempt {
    ChannelFuture<Connection> begin() throws TransportException;
  }

  /**
   * Empty for a cable that cannot be used. Where it throws, it has given the attempt up.
   *
   * @param isWanted false for a connection over a cable that has one: the other answered late
   * @throws TransportException if no attempt can begin
   */
  Optional<Connection> connect(Attempt attempt, Predicate<Connection> isWanted)
      throws CollectiveException, TransportException {
    for (int attempts = 1; ; attempts++) {
      String why;
      boolean isFinal = attempts == ATTEMPTS;
      ChannelFuture<Connection> begun = attempt.begin();
      try {
        Connection connection = await(begun);
        if (isWanted.test(connection)) {
          return Optional.of(connection);
        }
        why = "its peer answered sooner over another, " + connection.route();
        connection.close();
      } catch (TransportException e) {
        why = e.getMessage();
        isFinal |= e.reason() != TransportException.Reason.TIMED_OUT;
      }
      LOG.atLevel(isFinal ? Level.WARN : Level.INFO)
          .log(
              "{}: a cable is {}: {}",
              member.membership().spec(),
              isFinal ? "left out" : "tried again",
              why);
      if (isFinal) {
        return Optional.empty();
      }
    }
  }

  /** Waits for the first of the bounds; the transport says what the attempt was at. */
  private Connection await(ChannelFuture<Connection> attempt)
      throws CollectiveException, TransportException {
    long leftNs = CONNECT_NS;
    long seenNs = deadline.clock().getAsLong();
    try {
      while (!attempt.isDone() && leftNs > 0 && deadline.leftNs() > 0) {
        member.check();
        member.waitFor(PAUSE_NS);
        long nowNs = deadline.clock().getAsLong();
        leftNs -= Math.min(nowNs - seenNs, MAX_TURN_NS);
        seenNs = nowNs;
      }
    } catch (CollectiveException | RuntimeException e) {
      attempt.close();
      throw e;
    }
    return attempt.await(Duration.ZERO);
  }

  private void accept(JoinedGraph.Link link) throws CollectiveException, TransportException {
    GroupHello hello = hello(link.one(), link.cable());
    Optional<Connection> came = reception.take(hello);
    while (came.isEmpty()) {
      member.check();
      if (deadline.leftNs() <= 0) {
        throw GroupJoin.failure(
            CollectiveException.Reason.TIMED_OUT,
            member.membership().spec()
                + ": a connection that "
                + member.membership().member(link.one())
                + " has opened did not come in the time for joining.",
            null);
      }
      member.waitFor(PAUSE_NS);
      came = reception.take(hello);
    }
    member.join(member.links().number(link.one(), link.cable()), came.get());
  }
}
