// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.adjacency.HelloInterface;
import io.meshtransport.neighbours.adjacency.Hellos;
import io.meshtransport.neighbours.linkstate.Flooding;
import io.meshtransport.neighbours.stats.NeighbourCounter;
import io.meshtransport.neighbours.stats.NeighbourCounters;
import io.meshtransport.neighbours.wire.BodyReader;
import io.meshtransport.neighbours.wire.DatabaseSummary;
import io.meshtransport.neighbours.wire.DatagramHeader;
import io.meshtransport.neighbours.wire.DatagramSeal;
import io.meshtransport.neighbours.wire.DatagramType;
import io.meshtransport.neighbours.wire.MalformedDatagram;
import io.meshtransport.neighbours.wire.NeighbourHello;
import io.meshtransport.neighbours.wire.OtherSecret;
import io.meshtransport.neighbours.wire.RecordAcknowledgement;
import io.meshtransport.neighbours.wire.RecordFlood;
import java.net.InetAddress;
import java.util.Optional;

/**
 * Datagrams that arrive at one node: says which are accepted, counts the others by their reason,
 * and hands each to the hellos or to the database. Confined to the node's thread.
 */
final class DatagramDispatcher {
  private final OwnRecord own;
  private final DatagramSeal seal;
  private final Hellos hellos;
  private final Flooding flooding;
  private final NeighbourCounters counters;

  DatagramDispatcher(
      OwnRecord own,
      DatagramSeal seal,
      Hellos hellos,
      Flooding flooding,
      NeighbourCounters counters) {
    this.own = own;
    this.seal = seal;
    this.hellos = hellos;
    this.flooding = flooding;
    this.counters = counters;
  }

  /** As {@link NeighbourNode#receive}. */
  void receive(int interfaceIndex, InetAddress source, byte[] datagram, long nowNs) {
    counters.count(NeighbourCounter.RECEIVED);
    Optional<HelloInterface> on = hellos.get(interfaceIndex);
    if (on.isEmpty()) {
      counters.count(NeighbourCounter.UNKNOWN_INTERFACE);
      return;
    }
    try {
      receive(on.get(), source, datagram, nowNs).ifPresent(counters::count);
    } catch (MalformedDatagram e) {
      counters.count(NeighbourCounter.MALFORMED);
    }
  }

  private Optional<NeighbourCounter> receive(
      HelloInterface on, InetAddress source, byte[] datagram, long nowNs) throws MalformedDatagram {
    if (!on.admits(nowNs)) {
      return Optional.of(NeighbourCounter.OVER_RATE);
    }
    if (!on.local().isOnLink(source)) {
      return Optional.of(NeighbourCounter.OFF_LINK);
    }
    DatagramHeader header = DatagramHeader.decode(datagram);
    if (!seal.matches(datagram)) {
      return Optional.of(foreignSecret(on, header, datagram, nowNs));
    }
    if (header.job() != own.identity().jobNumber()) {
      if (header.type() == DatagramType.HELLO) {
        NeighbourHello hello = NeighbourHello.decode(DatagramSeal.body(datagram));
        on.evidence().otherJob(hello.name() + " of job '" + hello.job() + "'", nowNs);
      }
      return Optional.of(NeighbourCounter.OTHER_JOB);
    }
    if (header.sender().equals(own.identity().id())
        && header.incarnation() == own.identity().incarnation()) {
      on.evidence().ownInterface(header.interfaceIndex(), nowNs);
      return Optional.of(NeighbourCounter.REFLECTED);
    }
    if (header.sender().equals(own.identity().id())) {
      return Optional.of(NeighbourCounter.OLD_INCARNATION);
    }
    return accept(on, header, source, datagram, nowNs);
  }

  private Optional<NeighbourCounter> accept(
      HelloInterface on, DatagramHeader header, InetAddress source, byte[] datagram, long nowNs)
      throws MalformedDatagram {
    if (header.type() == DatagramType.HELLO) {
      NeighbourHello hello = NeighbourHello.decode(DatagramSeal.body(datagram));
      return on.heard(header, hello, source, nowNs);
    }
    Optional<NeighbourCounter> refusal = on.refusal(header);
    if (refusal.isEmpty()) {
      AdjacencyId from =
          new AdjacencyId(on.local().index(), header.sender(), header.interfaceIndex());
      acceptRecords(from, header.type(), DatagramSeal.body(datagram), nowNs);
    }
    return refusal;
  }

  private void acceptRecords(AdjacencyId from, DatagramType type, BodyReader body, long nowNs)
      throws MalformedDatagram {
    switch (type) {
      case RECORD -> flooding.received(from, RecordFlood.decode(body), nowNs);
      case ACKNOWLEDGEMENT ->
          flooding.acknowledged(from, RecordAcknowledgement.decode(body), nowNs);
      case SUMMARY -> flooding.summarized(from, DatabaseSummary.decode(body), nowNs);
      default -> throw new IllegalStateException(type + " is no part of the database");
    }
  }

  /** A hello with another trailer is worth a finding if it is whole. */
  private NeighbourCounter foreignSecret(
      HelloInterface on, DatagramHeader header, byte[] datagram, long nowNs)
      throws MalformedDatagram {
    Optional<OtherSecret.Difference> difference = seal.difference(datagram);
    if (difference.isEmpty()) {
      return NeighbourCounter.MALFORMED;
    }
    // What names a node that has proved to have the secret is damaged or false.
    if (header.type() == DatagramType.HELLO && !on.isHeard(header.sender())) {
      NeighbourHello hello = NeighbourHello.decode(DatagramSeal.body(datagram));
      on.evidence()
          .otherSecret(header.sender(), new OtherSecret(hello.name(), difference.get()), nowNs);
    }
    return NeighbourCounter.OTHER_SECRET;
  }
}
