// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.handshake.Established;
import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.verbs.VerbsException;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * Connects to a node of our own kind: a candidate counts when the node that answers is the one in
 * the handle. Where several rails are wanted and possible, the first makes the channel, and {@link
 * RailConnector} adds the others. On the set-up thread.
 */
final class MeshConnector extends Connector {
  private final PeerHandle peer;

  MeshConnector(MeshTransport transport, PeerHandle peer, Optional<InetAddress> named) {
    super(transport, "node " + peer.node().brief(), named);
    this.peer = peer;
  }

  private List<RemoteAddress> remotes() {
    return peer.addresses().stream()
        .map(address -> new RemoteAddress(address.link(), address.nicIndex(), address.speedMbps()))
        .toList();
  }

  @Override
  Routes routes() {
    return transport.route(remotes(), named());
  }

  @Override
  boolean isSideBySide() {
    return true;
  }

  @Override
  void shakeHands(Candidate candidate, long untilNs) throws VerbsException {
    Optional<RailId> ticket = ticket();
    EndpointHandshake handshake =
        EndpointHandshake.begin(transport, peer, candidate, ticket, untilNs, permit(candidate));
    await(
        candidate,
        handshake.link(),
        handshake.outcome(),
        established -> finish(candidate, handshake.link(), ticket, established));
  }

  /** Of the first rail, if there can be several. */
  private Optional<RailId> ticket() {
    // A cable that is not plugged in yet may be.
    int rails = transport.settings().rails().mostOver(transport.possible(remotes()).candidates());
    int nics = 1 + peer.addresses().stream().mapToInt(HandleAddress::nicIndex).max().orElse(0);
    if (rails == 1 || nics > RailId.MAX_NICS) {
      return Optional.empty();
    }
    // With places to spare nobody waits for the end of a rail that is lost.
    int most = Math.min(Rails.MAX, 2 * rails);
    return Optional.of(new RailId(transport.randomBundle(), 0, most, nics));
  }

  private void finish(
      Candidate candidate, MeshEndpoint link, Optional<RailId> ticket, Established established) {
    ChannelParameters theirs;
    try {
      theirs = ChannelParameters.decode(established.peerEndpoint().parameters());
    } catch (IllegalArgumentException e) {
      failed(candidate, link, Reason.PROTOCOL, e.getMessage());
      return;
    }
    if (!theirs.rail().equals(ticket)) {
      failed(candidate, link, Reason.PROTOCOL, "asked for " + ticket + ", got " + theirs.rail());
      return;
    }
    Route route = way(peer.node().brief(), candidate).route(established.durationNs());
    if (ticket.isEmpty()) {
      ready(
          candidate,
          new MeshSendChannel(
              transport,
              life(),
              link,
              route,
              link.partBytes(theirs),
              new PeerNic(peer.node(), candidate.remote().nicIndex())));
    } else {
      readyOnRails(candidate, link, ticket.get(), route, link.partBytes(theirs));
    }
  }

  private void readyOnRails(
      Candidate candidate, MeshEndpoint link, RailId ticket, Route route, long partBytes) {
    MultiRailSendChannel channel =
        new MultiRailSendChannel(
            transport,
            life(),
            new Rail(ticket.number(), ticket.place(), link, candidate.remote().nicIndex()),
            ticket.nics(),
            route,
            MultiRailSendChannel.CHUNK_BYTES,
            peer.node(),
            partBytes);
    ready(candidate, channel);
    new RailConnector(
            transport,
            peer,
            channel,
            ticket,
            () -> transport.route(remotes(), named()).candidates())
        .start();
  }
}
