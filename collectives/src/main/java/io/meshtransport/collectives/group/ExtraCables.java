// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Connects neighbours over each further cable between them, once the first one has joined them: the
 * lower rank connects, then all tell all over which cables they have. A cable that cannot be used
 * is left out. To its neighbours a rank connects side by side, so that a cable that is dead holds
 * up none but its own neighbour's. Used once, by one thread, with the member's lock.
 */
final class ExtraCables {
  private static final long PAUSE_NS = 2_000_000;

  /** What counts of one turn: a process that was held up meanwhile has not waited. */
  private static final long MAX_TURN_NS = 50_000_000;

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
    List<Neighbour> neighbours = new ArrayList<>();
    for (JoinedGraph.Link each : links) {
      if (each.one() == self && !each.isRelayed()) {
        neighbours.add(
            new Neighbour(
                each.other(),
                CableSubnets.shared(addresses.get(self), addresses.get(each.other()))));
      }
    }
    connectAll(neighbours);
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

  private static String subnet(Connection connection) {
    return CableSubnets.subnet(connection.route().localAddress());
  }

  /** What is under way beside others: it never waits for its peer's answer. */
  interface UnderWay {
    /**
     * Goes on as far as it can now.
     *
     * @param passedNs since the last call
     * @return whether it is over
     * @throws TransportException if no attempt can begin, or a connection cannot be used
     */
    boolean advance(long passedNs) throws TransportException;

    /** Leaves nothing under way. */
    void giveUp();
  }

  /**
   * The further cables to one neighbour, one after the other: a connection goes over another cable
   * than was asked for if that one answers sooner, and only one that is made shows which are left.
   */
  private final class Neighbour implements UnderWay {
    private final int rank;
    private final Optional<byte[]> handle;
    private final Iterator<Map.Entry<String, InetAddress>> untried;
    private final Set<String> used = new HashSet<>();
    private int cable = 1;

    /** Over one cable; null between two. */
    private CableAttempts attempts;

    /**
     * @param subnets that it shares with this rank
     */
    Neighbour(int rank, Map<String, InetAddress> subnets) {
      this.rank = rank;
      handle = reception.roster().handle(member.membership().names().get(rank));
      untried = subnets.entrySet().iterator();
      used.add(subnet(member.links().connection(rank)));
    }

    @Override
    public boolean advance(long passedNs) throws TransportException {
      while (attempts != null || next()) {
        if (!attempts.advance(passedNs)) {
          return false;
        }
        Optional<Connection> made = attempts.made();
        attempts = null;
        if (made.isPresent()) {
          joined(made.get());
        }
      }
      return true;
    }

    private boolean next() {
      while (handle.isPresent() && untried.hasNext() && cable < MemberLinks.MAX_CABLES) {
        Map.Entry<String, InetAddress> next = untried.next();
        if (!used.contains(next.getKey())) {
          ConnectOptions overCable =
              options
                  .hello(hello(member.membership().rank(), cable).encode())
                  .preferredAddress(next.getValue());
          attempts =
              new CableAttempts(
                  member.membership().spec(),
                  () -> reception.transport().connect(handle.get(), overCable),
                  made -> !used.contains(subnet(made)),
                  deadline);
          return true;
        }
      }
      return false;
    }

    private void joined(Connection connection) throws TransportException {
      used.add(subnet(connection));
      member.join(member.links().number(rank, cable), connection);
      opened.add(new JoinedGraph.Link(member.membership().rank(), rank, 0, 0, false, cable));
      cable++;
    }

    @Override
    public void giveUp() {
      if (attempts != null) {
        attempts.giveUp();
      }
    }
  }

  /** Waits until all are over. Where it throws, it has given them up. */
  void connectAll(List<? extends UnderWay> all) throws CollectiveException, TransportException {
    List<UnderWay> left = new ArrayList<>(all);
    long passedNs = 0;
    long seenNs = deadline.clock().getAsLong();
    try {
      while (true) {
        for (UnderWay each : all) {
          if (left.contains(each) && each.advance(passedNs)) {
            left.remove(each);
          }
        }
        if (left.isEmpty()) {
          return;
        }
        member.check();
        member.waitFor(PAUSE_NS);
        long nowNs = deadline.clock().getAsLong();
        passedNs = Math.min(nowNs - seenNs, MAX_TURN_NS);
        seenNs = nowNs;
      }
    } catch (CollectiveException | TransportException | RuntimeException e) {
      left.forEach(UnderWay::giveUp);
      throw e;
    }
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
