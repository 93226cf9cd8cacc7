// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.message.MeshConnection;
import io.meshtransport.transport.message.MeshReceiveChannel;
import io.meshtransport.transport.rail.AcceptorRails;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailId;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Supplier;

/** A peer between the offer of an endpoint and READY. */
interface PendingChannel {
  MeshEndpoint endpoint();

  /** This end's first bytes, where the peer opens a connection. */
  default ByteBuffer hello() {
    return ByteBuffer.allocate(0);
  }

  /** Of a connection, outstanding at once, as this end allows. */
  default int requests() {
    return Transport.MAX_REQUESTS;
  }

  /** Both ends are ready. */
  void established(ConnectContext context);

  /** The handshake has failed; the caller closes the endpoint. */
  void abandoned(HandshakeException why);

  /** One that opens a channel. */
  record Opener(
      MeshListener listener,
      ChannelLifeCycle life,
      MeshEndpoint endpoint,
      NodeId peer,
      int peerNicIndex,
      ChannelParameters theirs,
      NicAddress local,
      InetAddress remote,
      long sinceNs)
      implements PendingChannel {
    @Override
    public ByteBuffer hello() {
      return ByteBuffer.wrap(listener.options().hello());
    }

    @Override
    public int requests() {
      return endpoint.depths().requests();
    }

    @Override
    public void established(ConnectContext context) {
      if (theirs.isConnection()) {
        deliver(context, orClose(() -> connection(context)));
      } else {
        deliver(context, orClose(() -> channel(context)));
      }
    }

    private <C extends MeshChannel & ReceiveChannel> void deliver(
        ConnectContext context, C channel) {
      life.become(ChannelState.READY, channel::readyLine);
      if (!context.channels().adopt(channel, Optional.of(peer)) || !listener.deliver(channel)) {
        channel.abandon();
      }
    }

    /** Without a channel, as where memory has ended, there would be none to close the endpoint. */
    private <C> C orClose(Supplier<C> made) {
      try {
        return made.get();
      } catch (RuntimeException | Error e) {
        endpoint.discard();
        throw e;
      }
    }

    private Route route() {
      return RouteDescription.accepted(
          peer.shortId(),
          theirs.name(),
          endpoint.nic().nic().label(),
          local,
          remote,
          "The peer chose it: it dialled " + local.link().address().getHostAddress() + ".",
          System.nanoTime() - sinceNs);
    }

    private MeshConnection connection(ConnectContext context) {
      return theirs
          .rail()
          .map(ticket -> connection(context, ticket))
          .orElseGet(() -> plainConnection(context));
    }

    private MeshConnection connection(ConnectContext context, RailId ticket) {
      return new MeshConnection(
          context.forChannels(),
          life,
          new Rail(ticket.number(), ticket.place(), endpoint, peerNicIndex),
          ticket,
          /* isConnector= */ false,
          route(),
          ChannelParameters.MIN_MESSAGE_BYTES,
          peer,
          new Peer(theirs.name(), peer.toString()),
          theirs.helloBytes(),
          listener.options(),
          requests());
    }

    private MeshConnection plainConnection(ConnectContext context) {
      return new MeshConnection(
          context.forChannels(),
          life,
          endpoint,
          route(),
          endpoint.partBytes(theirs.maxMessageBytes()),
          new PeerNic(peer, peerNicIndex),
          new Peer(theirs.name(), peer.toString()),
          theirs.helloBytes(),
          listener.options(),
          requests());
    }

    private MeshReceiveChannel channel(ConnectContext context) {
      Route route = route();
      long partBytes = endpoint.partBytes(theirs.maxMessageBytes());
      return theirs.rail().isEmpty()
          ? new MeshReceiveChannel(context.forChannels(), life, endpoint, route, partBytes)
          : new MeshReceiveChannel(
              context.forChannels(),
              life,
              new Rail(0, 0, endpoint, 0),
              peer,
              theirs.rail().get(),
              route);
    }

    @Override
    public void abandoned(HandshakeException why) {
      life.fail(ChannelFailures.reasonOf(why.reason()), why.getMessage(), why::getMessage);
    }
  }

  /**
   * One that adds a rail to a channel.
   *
   * @param peerNic index of the peer's NIC that it leads to
   */
  record Joiner(AcceptorRails channel, RailId ticket, MeshEndpoint endpoint, int peerNic)
      implements PendingChannel {
    @Override
    public int requests() {
      return endpoint.depths().requests();
    }

    @Override
    public void established(ConnectContext context) {
      boolean isIn = false;
      try {
        isIn = channel.join(new Rail(ticket.number(), ticket.place(), endpoint, peerNic));
      } finally {
        if (!isIn) {
          endpoint.discard();
        }
      }
    }

    @Override
    public void abandoned(HandshakeException why) {
      // The peer logs it: it is the one that wants the rail.
    }
  }
}
