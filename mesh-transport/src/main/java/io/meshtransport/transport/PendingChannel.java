// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Route;

/** A peer between the offer of a link and READY. */
interface PendingChannel {
  MeshEndpoint link();

  /** Both ends are ready. */
  void established(MeshTransport transport);

  /** It came to nothing; the link is closed by whoever says so. */
  void abandoned(HandshakeException why);

  /** One that opens a channel. */
  record Opener(
      MeshListener listener,
      ChannelLifeCycle life,
      MeshEndpoint link,
      NodeId peer,
      ChannelParameters theirs,
      Way way,
      long sinceNs)
      implements PendingChannel {
    @Override
    public void established(MeshTransport transport) {
      MeshReceiveChannel channel = channelOrClose(transport);
      life.become(ChannelState.READY, channel::readyLine);
      if (!transport.adopt(channel) || !listener.deliver(channel)) {
        channel.abandon();
      }
    }

    /** Without a channel, as where memory has ended, there would be none to close the link. */
    private MeshReceiveChannel channelOrClose(MeshTransport transport) {
      try {
        return channel(transport);
      } catch (RuntimeException | Error e) {
        MeshTransport.discard(link);
        throw e;
      }
    }

    private MeshReceiveChannel channel(MeshTransport transport) {
      Route route = way.route(System.nanoTime() - sinceNs);
      long partBytes = link.partBytes(theirs);
      return theirs.rail().isEmpty()
          ? new MeshReceiveChannel(transport, life, link, route, partBytes)
          : new MultiRailReceiveChannel(
              transport,
              life,
              new Rail(0, 0, link, 0),
              peer,
              theirs.rail().get(),
              route,
              partBytes);
    }

    @Override
    public void abandoned(HandshakeException why) {
      life.fail(ChannelFailures.reasonOf(why.reason()), why::getMessage);
    }
  }

  /** One that adds a rail to a channel. */
  record Joiner(MultiRailReceiveChannel channel, RailId ticket, MeshEndpoint link)
      implements PendingChannel {
    @Override
    public void established(MeshTransport transport) {
      boolean isIn = false;
      try {
        isIn = channel.join(new Rail(ticket.number(), ticket.place(), link, 0));
      } finally {
        if (!isIn) {
          MeshTransport.discard(link);
        }
      }
    }

    @Override
    public void abandoned(HandshakeException why) {
      // The peer logs it: it is the one that wants the rail.
    }
  }
}
