// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Connects neighbours over each further cable between them, once the first one has joined them: the
 * lower rank connects, then all tell all over which cables they have. A cable that cannot be used
 * is left out. To its neighbours a rank connects side by side, so that a dead cable delays only the
 * further cables to the same neighbour. Used once, by one thread, with the member's lock.
 */
final class ExtraCables {
  private static final long PAUSE_NS = 2_000_000;

  private final Reception reception;
  private final LocalRank member;
  private final ConnectOptions options;
  private final Deadline deadline;

  /**
   * @param options of connections, without their first bytes
   */
  ExtraCables(Reception reception, LocalRank member, ConnectOptions options, Deadline deadline) {
    this.reception = reception;
    this.member = member;
    this.options = options;
    this.deadline = deadline;
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
    List<JoinedGraph.Link> all = exchange(connect(links, addresses));
    for (JoinedGraph.Link each : all) {
      if (each.other() == member.membership().rank()) {
        accept(each);
      }
    }
    return all;
  }

  /** The links that this rank has opened. */
  private List<JoinedGraph.Link> connect(List<JoinedGraph.Link> links, List<List<String>> addresses)
      throws CollectiveException, TransportException {
    int self = member.membership().rank();
    List<NeighbourCables> neighbours = new ArrayList<>();
    for (JoinedGraph.Link each : links) {
      if (each.one() == self && !each.isRelayed()) {
        neighbours.add(
            new NeighbourCables(
                reception,
                member,
                each.other(),
                CableSubnets.shared(addresses.get(self), addresses.get(each.other())),
                options,
                deadline));
      }
    }
    new CableConnector(member, deadline).connect(neighbours);
    return neighbours.stream().flatMap(each -> each.opened().stream()).toList();
  }

  /** The links that all ranks have opened. */
  private List<JoinedGraph.Link> exchange(List<JoinedGraph.Link> opened)
      throws CollectiveException {
    byte[][] records =
        member
            .rounds()
            .exchange(
                RoundKind.CABLES,
                JoinedGraph.encode(opened),
                "joining the group",
                Math.max(0, deadline.leftNs()));
    List<JoinedGraph.Link> all = new ArrayList<>();
    for (int rank = 0; rank < records.length; rank++) {
      Optional<List<JoinedGraph.Link>> theirs =
          JoinedGraph.decode(ByteBuffer.wrap(records[rank]), records.length);
      if (theirs.isEmpty()) {
        throw member.rounds().refused(rank);
      }
      all.addAll(theirs.get());
    }
    return all;
  }

  private void accept(JoinedGraph.Link link) throws CollectiveException, TransportException {
    GroupHello.Opener opener =
        GroupHello.overCable(link.one(), member.membership().key(), link.cable()).opener();
    Optional<Reception.Arrival> came = reception.take(opener);
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
      came = reception.take(opener);
    }
    member.join(member.links().number(link.one(), link.cable()), came.get().connection());
  }
}
