// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.Acceptor;
import io.meshtransport.handshake.ConnectionNonce;
import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.PeerHello;
import io.meshtransport.handshake.QueuePairAddress;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.jfr.FlightEvents;
import io.meshtransport.transport.jfr.HandshakeEnds;
import io.meshtransport.transport.jfr.HandshakeSpan;
import io.meshtransport.transport.message.ConnectionRails;
import io.meshtransport.transport.message.MeshConnection;
import io.meshtransport.transport.message.MeshReceiveChannel;
import io.meshtransport.transport.message.MultiRailReceiveQueue;
import io.meshtransport.transport.rail.AcceptorRails;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets peers in: makes the receiving end of each channel that a peer asks for and hands it to the
 * listener that was meant, once both ends are READY. Called on handshake threads, for several peers
 * at once.
 */
public final class ChannelAcceptor implements Acceptor {
  private final ConnectContext context;
  private final Map<ConnectionNonce, Handshake> handshakes = new ConcurrentHashMap<>();

  /** A handshake that has begun here. */
  private record Handshake(PendingChannel pending, String peerName, HandshakeSpan span) {}

  public ChannelAcceptor(ConnectContext context) {
    this.context = context;
  }

  @Override
  public QueuePairAddress offer(PeerHello hello, InetSocketAddress local, InetSocketAddress remote)
      throws RefusedException {
    ChannelParameters theirs = parameters(hello);
    OpenNic nic = nicOf(local.getAddress());
    if (theirs.rail().isPresent()) {
      requireSameNic(hello, nic, local.getAddress());
    }
    NicAddress address = addressOf(nic, local.getAddress());
    HandshakeSpan span =
        FlightEvents.handshakeBegins(ends(hello, theirs, nic, address, remote.getAddress()));
    try {
      PendingChannel pending =
          theirs.rail().isPresent() && !theirs.rail().get().isFirst()
              ? joiner(hello, theirs, nic, address)
              : opener(hello, theirs, nic, address, remote);
      QueuePairAddress ours = endpoint(pending, theirs);
      handshakes.put(hello.nonce(), new Handshake(pending, theirs.name(), span));
      return ours;
    } catch (RefusedException e) {
      span.failed(Reason.REFUSED, e.getMessage());
      throw e;
    }
  }

  private static HandshakeEnds ends(
      PeerHello hello,
      ChannelParameters theirs,
      OpenNic nic,
      NicAddress local,
      InetAddress remote) {
    return new HandshakeEnds(
        /* isConnecting= */ false,
        hello.peer().shortId(),
        theirs.name(),
        nic.nic().label(),
        local.link().toString(),
        remote.getHostAddress(),
        theirs.rail().map(RailId::number).orElse(0));
  }

  /**
   * A pending channel without an address gets no further callback, so this discards its endpoint.
   */
  private QueuePairAddress endpoint(PendingChannel pending, ChannelParameters theirs)
      throws RefusedException {
    try {
      return context
          .endpoints()
          .address(
              pending.endpoint(),
              theirs.listenerId(),
              theirs.rail(),
              theirs.hello().map(bytes -> pending.hello()),
              pending.requests());
    } catch (RuntimeException | Error e) {
      pending.endpoint().discard();
      throw new RefusedException(
          pending.endpoint().nic().nic().label() + " cannot be told to the peer: " + e.getMessage(),
          e);
    }
  }

  /** Rails name NICs by their indices, which a handle made before the address moved has wrong. */
  private static void requireSameNic(PeerHello hello, OpenNic nic, InetAddress dialled)
      throws RefusedException {
    if (hello.nicIndex() != nic.index()) {
      throw new RefusedException(
          dialled.getHostAddress()
              + " has moved from NIC "
              + hello.nicIndex()
              + " to NIC "
              + nic.index()
              + " of this node since its handle was made; ask for a new one");
    }
  }

  private PendingChannel opener(
      PeerHello hello,
      ChannelParameters theirs,
      OpenNic nic,
      NicAddress address,
      InetSocketAddress remote)
      throws RefusedException {
    MeshListener listener = context.listeners().find(theirs.listenerId());
    if (listener == null) {
      throw new RefusedException("the listener of this handle is closed");
    }
    listener.requireSpace();
    QueueDepths sizes =
        theirs.isConnection()
            ? duplex(hello, theirs, requests(theirs, listener, nic), nic)
            : sizes(theirs.rail(), nic);
    ChannelLifeCycle life = new ChannelLifeCycle("from");
    Peer peer = new Peer(theirs.name(), hello.peer().toString());
    life.become(ChannelState.ROUTING, peer::toString);
    life.become(ChannelState.HANDSHAKING, peer::toString);
    MeshEndpoint endpoint =
        open(
            nic,
            address,
            hello.endpoint(),
            sizes,
            theirs.isConnection() ? listener.options() : ConnectOptions.DEFAULT);
    return new PendingChannel.Opener(
        listener,
        life,
        endpoint,
        hello.peer(),
        hello.peerNicIndex(),
        theirs,
        address,
        remote.getAddress(),
        System.nanoTime());
  }

  private static int requests(ChannelParameters theirs, MeshListener listener, OpenNic nic) {
    int both = Math.min(theirs.requests(), listener.options().requests());
    return EndpointHandshake.requests(both, nic);
  }

  private QueueDepths duplex(PeerHello hello, ChannelParameters theirs, int requests, OpenNic nic)
      throws RefusedException {
    if (theirs.rail().isEmpty()) {
      return QueueDepths.duplex(requests);
    }
    RailId rail = theirs.rail().get();
    requireNics(rail, nic);
    if (hello.peerNicIndex() >= rail.connectorNics()) {
      throw new RefusedException(
          "a rail from NIC " + hello.peerNicIndex() + " of " + rail.connectorNics());
    }
    return QueueDepths.duplexRail(requests, rail.nics(), rail.connectorNics());
  }

  private PendingChannel joiner(
      PeerHello hello, ChannelParameters theirs, OpenNic nic, NicAddress address)
      throws RefusedException {
    return theirs.isConnection()
        ? connectionJoiner(hello, theirs, nic, address)
        : channelJoiner(hello, nic, address, theirs.rail().get());
  }

  private PendingChannel connectionJoiner(
      PeerHello hello, ChannelParameters theirs, OpenNic nic, NicAddress address)
      throws RefusedException {
    RailId ticket = theirs.rail().get();
    ConnectionRails rails = null;
    for (MeshChannel channel : context.channels().now()) {
      boolean isIt =
          channel instanceof MeshConnection connection
              && connection.rails() != null
              && connection.rails().isOf(hello.peer(), ticket.bundle());
      rails = isIt ? ((MeshConnection) channel).rails() : rails;
    }
    requireJoinable(rails, ticket);
    if (theirs.requests() != rails.requests()
        || EndpointHandshake.requests(rails.requests(), nic) < rails.requests()) {
      throw new RefusedException(
          "a rail for "
              + theirs.requests()
              + " requests at once, of a connection that has "
              + rails.requests()
              + "; both devices of each rail must have queues for as many");
    }
    QueueDepths sizes = duplex(hello, theirs, rails.requests(), nic);
    return new PendingChannel.Joiner(
        rails,
        ticket,
        open(nic, address, hello.endpoint(), sizes, rails.options()),
        hello.peerNicIndex());
  }

  private static void requireJoinable(AcceptorRails rails, RailId ticket) throws RefusedException {
    String objection =
        rails == null
            ? "the channel that rail " + ticket.number() + " belongs to is closed"
            : rails.objectionTo(ticket);
    if (!objection.isEmpty()) {
      throw new RefusedException(objection);
    }
  }

  private PendingChannel channelJoiner(
      PeerHello hello, OpenNic nic, NicAddress address, RailId ticket) throws RefusedException {
    MultiRailReceiveQueue channel = bundle(hello.peer(), ticket.bundle());
    requireJoinable(channel, ticket);
    QueueDepths sizes = sizes(Optional.of(ticket), nic);
    return new PendingChannel.Joiner(
        channel, ticket, open(nic, address, hello.endpoint(), sizes, ConnectOptions.DEFAULT), 0);
  }

  /** What receives over the rails of a bundle, or null if their channel is not there (any more). */
  private MultiRailReceiveQueue bundle(NodeId peer, long bundle) {
    for (MeshChannel channel : context.channels().now()) {
      if (channel instanceof MeshReceiveChannel receiving
          && receiving.rails() != null
          && receiving.rails().isOf(peer, bundle)) {
        return receiving.rails();
      }
    }
    return null;
  }

  private QueueDepths sizes(Optional<RailId> rail, OpenNic nic) throws RefusedException {
    if (rail.isEmpty()) {
      return QueueDepths.RECEIVER;
    }
    requireNics(rail.get(), nic);
    return QueueDepths.receiver(rail.get().most(), rail.get().nics());
  }

  private void requireNics(RailId rail, OpenNic nic) throws RefusedException {
    int nics = rail.nics();
    if (nics > context.nics().indexBound() || nic.index() >= nics) {
      throw new RefusedException(
          "a rail to NIC " + nic.index() + " of " + nics + ", which is not what the handle says");
    }
  }

  private static ChannelParameters parameters(PeerHello hello) throws RefusedException {
    try {
      return ChannelParameters.decode(hello.endpoint().parameters());
    } catch (IllegalArgumentException e) {
      throw new RefusedException(e.getMessage(), e);
    }
  }

  private OpenNic nicOf(InetAddress dialled) throws RefusedException {
    Optional<OpenNic> known = context.nics().at(dialled);
    if (known.isPresent()) {
      return known.get();
    }
    // An address that is a moment old.
    context.rescan().run();
    Optional<OpenNic> come = context.nics().at(dialled);
    if (come.isPresent()) {
      return come.get();
    }
    throw new RefusedException(
        "the connection came in at "
            + dialled.getHostAddress()
            + ", which is none of this node's NICs");
  }

  private static NicAddress addressOf(OpenNic nic, InetAddress dialled) throws RefusedException {
    return nic.nic().addresses().stream()
        .filter(own -> own.is(dialled))
        .findFirst()
        .orElseThrow(
            () ->
                new RefusedException(
                    dialled.getHostAddress() + " was taken away from " + nic.nic().label()));
  }

  private MeshEndpoint open(
      OpenNic nic,
      NicAddress address,
      QueuePairAddress theirs,
      QueueDepths sizes,
      ConnectOptions options)
      throws RefusedException {
    MeshEndpoint endpoint = null;
    try {
      endpoint = context.endpoints().open(nic, address.gid(), sizes);
      context.endpoints().connect(endpoint, theirs, options);
      return endpoint;
    } catch (VerbsException | IllegalArgumentException e) {
      // IllegalArgumentException: what the peer says of its end, for example an odd MTU, makes no
      // attributes of a queue pair.
      if (endpoint != null) {
        endpoint.discard();
      }
      throw new RefusedException(
          "no queue pair on " + nic.nic().label() + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void established(ConnectionNonce nonce) {
    Handshake handshake = handshakes.remove(nonce);
    handshake.span().ready(handshake.peerName());
    handshake.pending().established(context);
  }

  @Override
  public void abandoned(ConnectionNonce nonce, HandshakeException why) {
    Handshake handshake = handshakes.remove(nonce);
    handshake.pending().abandoned(why);
    handshake.pending().endpoint().discard();
    // Last, and of no harm without a reason, which a rail's end does not need.
    Optional.ofNullable(why)
        .ifPresent(
            known ->
                handshake
                    .span()
                    .failed(ChannelFailures.reasonOf(known.reason()), known.getMessage()));
  }
}
