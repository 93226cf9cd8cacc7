// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.Established;
import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.RelayPolicy;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.message.MeshConnection;
import io.meshtransport.transport.message.MeshSendChannel;
import io.meshtransport.transport.message.MultiRailSendQueue;
import io.meshtransport.transport.rail.ConnectorRails;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.route.Candidate;
import io.meshtransport.transport.route.Routes;
import io.meshtransport.verbs.VerbsException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Connects to a node of our own kind: a candidate counts when the node that answers is the one in
 * the handle. Where several rails are wanted and possible, or one over a relay is to be ready, the
 * first makes the channel, and {@link RailConnector} adds the others. On the set-up thread.
 */
public final class MeshConnector extends Connector {
  /** The rails of one channel share a number that cannot be guessed. */
  private static final SecureRandom BUNDLES = new SecureRandom();

  private final Handshaker handshaker;
  private final PeerHandle peer;
  private final Optional<ConnectOptions> options;

  /**
   * @param named its address that the caller knows, if it knows one
   * @param options of a connection, if one is meant and not a one-way channel
   */
  public MeshConnector(
      ConnectContext context,
      Handshaker handshaker,
      PeerHandle peer,
      Optional<InetAddress> named,
      Optional<ConnectOptions> options) {
    super(context, "node " + context.routes().peer(peer.node()), named);
    this.handshaker = handshaker;
    this.peer = peer;
    this.options = options;
  }

  @Override
  public Routes routes() {
    return context.routes().plan(peer, named(), relay());
  }

  /** One-way channels have no options. */
  private RelayPolicy relay() {
    return options.map(ConnectOptions::relay).orElse(RelayPolicy.FALLBACK);
  }

  @Override
  TransportException noRoute(Routes none) {
    if (peer.node().equals(handshaker.self())) {
      return new TransportException(
          Reason.NO_ROUTE,
          "No link to "
              + name()
              + ": this is the handle of a listener of this transport itself. Connect to the handle of"
              + " another node; two ends in one program need a transport each, with an address each.");
    }
    return relay() == RelayPolicy.ALWAYS
        ? new TransportException(
            Reason.NO_ROUTE,
            "No path over a relay to "
                + name()
                + ", and its connection may take no other (RelayPolicy.ALWAYS). Do both nodes have a"
                + " relay, started before this handle was given, and are all cables of a path in"
                + " order? `mesh map` shows them.",
            true)
        : withoutCable(super.noRoute(none));
  }

  /** Relays of nodes that have just started find paths a moment later. */
  private TransportException withoutCable(TransportException none) {
    if (relay() == RelayPolicy.NEVER || !context.routes().mayRelay(peer)) {
      return none;
    }
    return new TransportException(
        none.reason(),
        none.getMessage()
            + " Both nodes have a relay, but no path over other nodes leads there now: each node"
            + " between needs one that passes on (MESH_RELAY=1), and all that have just started need"
            + " a second. Then try again. `mesh map` shows paths.",
        true);
  }

  @Override
  public Optional<NodeId> peerNode() {
    return Optional.of(peer.node());
  }

  @Override
  public String peerId() {
    return peer.node().shortId();
  }

  @Override
  public boolean isSideBySide() {
    return true;
  }

  @Override
  public void shakeHands(Candidate candidate, long untilNs) throws VerbsException {
    Optional<RailId> ticket = ticket();
    EndpointHandshake.Purpose purpose = new EndpointHandshake.Purpose(ticket, options);
    EndpointHandshake handshake =
        EndpointHandshake.begin(
            context, handshaker, peer, candidate, purpose, untilNs, permit(candidate));
    await(
        candidate,
        handshake.endpoint(),
        handshake.outcome(),
        established -> finish(candidate, handshake.endpoint(), ticket, established));
  }

  /** What the channel is to have, if it can. */
  private ConnectSettings wanted() {
    return options.map(context.settings()::of).orElse(context.settings());
  }

  /** Of the first rail, if there can be several. */
  private Optional<RailId> ticket() {
    if (relay() == RelayPolicy.ALWAYS) {
      // The relay changes the path under its one queue pair.
      return Optional.empty();
    }
    ConnectSettings wanted = wanted();
    // A cable that is not plugged in yet may be.
    int rails = wanted.maxRails(context.routes().possible(peer.addresses()).candidates());
    // Kept ready for when the last cable is lost.
    int standbys = wanted.hasStandby() && context.routes().mayRelay(peer) ? 1 : 0;
    int nics = 1 + peer.addresses().stream().mapToInt(HandleAddress::nicIndex).max().orElse(0);
    int ourNics = options.isPresent() ? context.nics().indexBound() : 1;
    if (rails + standbys <= 1 || Math.max(nics, ourNics) > RailId.MAX_NICS) {
      return Optional.empty();
    }
    // With spare numbers a new rail need not wait until a lost one has ended.
    int most = Math.min(RailId.MAX_RAILS, 2 * (rails + standbys));
    return Optional.of(new RailId(BUNDLES.nextLong(), 0, most, nics, ourNics));
  }

  private void finish(
      Candidate candidate,
      MeshEndpoint endpoint,
      Optional<RailId> ticket,
      Established established) {
    ChannelParameters theirs;
    try {
      theirs = ChannelParameters.decode(established.peerEndpoint().parameters());
    } catch (IllegalArgumentException e) {
      failed(candidate, endpoint, Reason.PROTOCOL, e.getMessage());
      return;
    }
    if (!theirs.rail().equals(ticket)) {
      failed(
          candidate, endpoint, Reason.PROTOCOL, "asked for " + ticket + ", got " + theirs.rail());
      return;
    }
    if (theirs.isConnection() != options.isPresent()) {
      failed(
          candidate,
          endpoint,
          Reason.PROTOCOL,
          options.isPresent()
              ? "requested a connection, got a one-way channel"
              : "requested a one-way channel, got a connection");
      return;
    }
    if (theirs.requests() > endpoint.depths().requests()) {
      failed(
          candidate,
          endpoint,
          Reason.PROTOCOL,
          "requested "
              + endpoint.depths().requests()
              + " requests at once at most, got "
              + theirs.requests());
      return;
    }
    Route route =
        RouteDescription.of(
            peer.node().shortId(),
            theirs.name(),
            candidate,
            RoutePlanner.isOverlay(candidate.nic()) ? whyOverlay() : "",
            established.durationNs());
    if (options.isPresent() && ticket.isPresent()) {
      connectionOnRails(candidate, endpoint, ticket.get(), route, theirs);
    } else if (options.isPresent()) {
      ready(
          candidate,
          new MeshConnection(
              context.forChannels(),
              life(),
              endpoint,
              route,
              endpoint.partBytes(theirs.maxMessageBytes()),
              new PeerNic(peer.node(), candidate.remote().nicIndex()),
              new Peer(theirs.name(), peer.node().toString()),
              theirs.helloBytes(),
              options.get(),
              theirs.requests()));
    } else if (ticket.isEmpty()) {
      ready(
          candidate,
          new MeshSendChannel(
              context.forChannels(),
              life(),
              endpoint,
              route,
              endpoint.partBytes(theirs.maxMessageBytes()),
              new PeerNic(peer.node(), candidate.remote().nicIndex())));
    } else {
      readyOnRails(
          candidate, endpoint, ticket.get(), route, endpoint.partBytes(theirs.maxMessageBytes()));
    }
  }

  private String whyOverlay() {
    String reason =
        relay() == RelayPolicy.ALWAYS
            ? "it is to go by the relay always, and goes "
            : "no cable joins the nodes, so it goes ";
    return reason + context.routes().path(peer.node()) + ".";
  }

  /** Over the overlay only for one that stands by, or where the channel began there. */
  private List<Candidate> ways(Candidate first) {
    boolean isRelayed = wanted().hasStandby() || RoutePlanner.isOverlay(first.nic());
    return context
        .routes()
        .plan(peer, named(), isRelayed ? RelayPolicy.FALLBACK : RelayPolicy.NEVER)
        .candidates();
  }

  private void readyOnRails(
      Candidate candidate, MeshEndpoint endpoint, RailId ticket, Route route, long partBytes) {
    MeshSendChannel channel =
        new MeshSendChannel(
            context.forChannels(),
            life(),
            new Rail(ticket.number(), ticket.place(), endpoint, candidate.remote().nicIndex()),
            ticket.nics(),
            route,
            MultiRailSendQueue.CHUNK_BYTES,
            peer.node(),
            partBytes);
    ready(candidate, channel);
    addRails(candidate, channel.rails(), ticket, EndpointHandshake.Purpose::rail);
  }

  private void connectionOnRails(
      Candidate candidate,
      MeshEndpoint endpoint,
      RailId ticket,
      Route route,
      ChannelParameters theirs) {
    MeshConnection connection =
        new MeshConnection(
            context.forChannels(),
            life(),
            new Rail(ticket.number(), ticket.place(), endpoint, candidate.remote().nicIndex()),
            ticket,
            /* isConnector= */ true,
            route,
            ChannelParameters.MIN_MESSAGE_BYTES,
            peer.node(),
            new Peer(theirs.name(), peer.node().toString()),
            theirs.helloBytes(),
            options.get(),
            theirs.requests());
    ready(candidate, connection);
    ConnectOptions agreed = options.get().requests(theirs.requests());
    addRails(
        candidate,
        connection.rails(),
        ticket,
        rail -> EndpointHandshake.Purpose.rail(rail, agreed));
  }

  private void addRails(
      Candidate first,
      ConnectorRails rails,
      RailId ticket,
      Function<RailId, EndpointHandshake.Purpose> purposes) {
    new RailConnector(
            context, handshaker, peer, rails, ticket, wanted(), purposes, () -> ways(first))
        .start();
  }
}
