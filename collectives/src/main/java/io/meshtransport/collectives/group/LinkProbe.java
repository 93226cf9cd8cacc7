// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Measures the links of one rank when it joins: how fast long messages come in, in turns of which a
 * rank has one at a time ({@link ProbeTurns}, {@link RateProbe}), then round trips of short ones,
 * all at the same time ({@link RoundTripProbe}). Takes some 30 ms a turn, and longer where links
 * are slow or compilers are not done. Used once; with the member's lock.
 */
final class LinkProbe {
  private final LocalRank member;
  private final JoinedGraph graph;
  private final RoundTripProbe roundTrips;
  private RateProbe rates;
  private Phase phase = Phase.EXCHANGING;

  /** EXCHANGING -> PUTTING -> PINGING -> DONE, each once. */
  private enum Phase {
    /** Ranks give each other the keys of where to put. */
    EXCHANGING,
    /** Puts that end, and notices that come, are of the probe. */
    PUTTING,
    /** Each answer to a ping is followed by the next. */
    PINGING,
    /** Answers may still come, and begin nothing. */
    DONE
  }

  /**
   * @param graph all links, the same on every rank
   */
  LinkProbe(LocalRank member, JoinedGraph graph) {
    this.member = member;
    this.graph = graph;
    roundTrips = new RoundTripProbe(member);
  }

  /** Measures, once all ranks are ready to; answers the links as this rank receives over them. */
  List<JoinedGraph.Link> measure(Deadline deadline) throws CollectiveException {
    Transport transport = member.links().transport();
    try (RegisteredMemory memory =
        transport.allocate(2L * RateProbe.BULK_BYTES, Set.of(RemoteAccess.PUT))) {
      rates = new RateProbe(member, memory, System::nanoTime);
      member.probe(this);
      exchangeKeys(memory.remoteKey(), deadline);
      become(Phase.PUTTING);
      measureRates(deadline);
      // No rank puts any more once all are here.
      exchange(new byte[0], deadline);
      become(Phase.PINGING);
    } catch (TransportException e) {
      throw GroupJoin.failure(
          CollectiveException.Reason.RESOURCES,
          member.membership().spec() + ": memory to measure links with: " + e.summary(),
          e);
    }
    roundTrips.measure();
    become(Phase.DONE);
    return links();
  }

  private void become(Phase next) {
    if (next.ordinal() != phase.ordinal() + 1) {
      throw new IllegalStateException(phase + " is not followed by " + next);
    }
    phase = next;
  }

  /** Whether puts that end, and notices that come, are of this. */
  boolean isPutting() {
    return phase == Phase.PUTTING;
  }

  private void exchangeKeys(byte[] mine, Deadline deadline)
      throws CollectiveException, TransportException {
    byte[][] keys = exchange(mine, deadline);
    for (int rank = 0; rank < keys.length; rank++) {
      if (member.links().has(rank)) {
        rates.target(rank, member.links().transport().remoteMemory(keys[rank]));
      }
    }
  }

  private byte[][] exchange(byte[] mine, Deadline deadline) throws CollectiveException {
    return member
        .rounds()
        .exchange(RoundKind.MEASURE, mine, "joining the group", Math.max(0, deadline.leftNs()));
  }

  private void measureRates(Deadline deadline) throws CollectiveException {
    ProbeTurns turns = ProbeTurns.of(graph, member.membership().rank());
    for (int pass = 0; pass < turns.passes(); pass++) {
      for (int link : turns.links()) {
        rates.measure(link, pass > 0, deadline);
      }
    }
    rates.awaitPuts(deadline);
  }

  /** A message of a neighbour's probe. */
  void handle(int link, RankMessage message) {
    switch (message.kind()) {
      case PING -> member.send(link, RankMessage.Kind.PONG, new byte[0]);
      case PONG -> roundTrips.ponged(link);
      case BULK_BEGIN -> rates.begins(link);
      case BULK_END -> rates.ends(link);
      default -> throw new IllegalArgumentException("no message of a probe: " + message.kind());
    }
  }

  /** A put of a neighbour has arrived. */
  void arrived(int link) {
    rates.arrived(link);
  }

  /** A put of this rank has ended. */
  void putDone(long link) {
    rates.putDone((int) link);
  }

  private List<JoinedGraph.Link> links() {
    List<JoinedGraph.Link> links = new ArrayList<>();
    int self = member.membership().rank();
    int size = member.membership().size();
    for (int link = 0; link < member.links().bound(); link++) {
      if (member.links().has(link)) {
        int neighbour = link % size;
        links.add(
            new JoinedGraph.Link(
                Math.min(self, neighbour),
                Math.max(self, neighbour),
                rates.bytesPerSecond(link),
                roundTrips.latencyNs(link),
                false,
                link / size,
                rates.isSteady(link)));
      }
    }
    return links;
  }
}
