// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.NicDescription;
import io.meshtransport.spi.TransportException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Connects over the further cables to one neighbour, one after the other: a connection goes over
 * another cable than was asked for if that one answers sooner, and only one that is made shows
 * which are left. Used once, by one thread, with the member's lock.
 */
final class NeighbourCables implements CableConnect {
  private final Reception reception;
  private final LocalRank member;
  private final int rank;
  private final ConnectOptions options;
  private final Deadline deadline;
  private final Optional<byte[]> handle;
  private final Iterator<Map.Entry<String, InetAddress>> untried;
  private final Set<String> used = new HashSet<>();
  private final List<JoinedGraph.Link> opened = new ArrayList<>();
  private int cable = 1;

  /** Over one cable; null between two. */
  private CableAttempts attempts;

  /**
   * @param rank the neighbour, to which there is a connection over the first cable
   * @param subnets that it shares with this rank, with its address in each
   * @param options of connections, without their first bytes
   */
  NeighbourCables(
      Reception reception,
      LocalRank member,
      int rank,
      Map<String, InetAddress> subnets,
      ConnectOptions options,
      Deadline deadline) {
    this.reception = reception;
    this.member = member;
    this.rank = rank;
    this.options = options;
    this.deadline = deadline;
    handle = reception.roster().handle(member.membership().names().get(rank));
    untried = subnets.entrySet().iterator();
    used.add(subnet(member.links().connection(rank)));
  }

  private static String subnet(Connection connection) {
    return CableSubnets.subnet(connection.route().localAddress());
  }

  /** The links that it has opened until now. */
  List<JoinedGraph.Link> opened() {
    return opened;
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
        attempts = attempts(next.getKey(), next.getValue());
        return true;
      }
    }
    return false;
  }

  private CableAttempts attempts(String subnet, InetAddress address) {
    GroupMembership membership = member.membership();
    GroupHello hello = GroupHello.overCable(membership.rank(), membership.key(), cable);
    ConnectOptions overCable = options.hello(hello.encode()).preferredAddress(address);
    return new CableAttempts(
        describe(membership, rank, reception.transport().nics(), subnet, address),
        () -> reception.transport().connect(handle.get(), overCable),
        made -> !used.contains(subnet(made)),
        deadline);
  }

  /**
   * A cable, for people.
   *
   * @param nics of this node, one of which has an address in the subnet
   * @param address of the neighbour
   */
  static String describe(
      GroupMembership membership,
      int rank,
      List<NicDescription> nics,
      String subnet,
      InetAddress address) {
    String netdev =
        nics.stream()
            .filter(
                each ->
                    each.addresses().stream().map(CableSubnets::subnet).anyMatch(subnet::equals))
            .map(NicDescription::netdev)
            .findFirst()
            .orElse("an interface that is gone");
    return "%s: the cable at %s to %s, %s,"
        .formatted(membership.spec(), netdev, membership.member(rank), address.getHostAddress());
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
