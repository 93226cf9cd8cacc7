// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.ncclmesh;

import io.meshtransport.handshake.ConnectionNonce;
import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.LegacyAcceptor;
import io.meshtransport.handshake.LegacyEndpoint;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.nic.Gid;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Route;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.connect.ConnectContext;
import io.meshtransport.transport.connect.MeshListener;
import io.meshtransport.transport.connect.RouteDescription;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.jfr.FlightEvents;
import io.meshtransport.transport.jfr.HandshakeEnds;
import io.meshtransport.transport.jfr.HandshakeSpan;
import io.meshtransport.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets C plugins in at the port of one listener: makes the receiving end of each channel, and hands
 * it to the listener when the answer has left. Called on handshake threads, for several peers at
 * once.
 */
final class NcclMeshAcceptor implements LegacyAcceptor {
  private final ConnectContext context;
  private final NcclMeshWire wire;
  private final int listenerId;
  private final Map<ConnectionNonce, Guest> guests = new ConcurrentHashMap<>();

  /** A peer between offer and answer. */
  private record Guest(
      MeshListener listener,
      ChannelLifeCycle life,
      NcclMeshEndpoint line,
      NicAddress local,
      LegacyEndpoint theirs,
      HandshakeSpan span,
      long sinceNs) {}

  NcclMeshAcceptor(ConnectContext context, NcclMeshWire wire, int listenerId) {
    this.context = context;
    this.wire = wire;
    this.listenerId = listenerId;
  }

  @Override
  public LegacyEndpoint offer(
      ConnectionNonce nonce,
      LegacyEndpoint theirs,
      InetSocketAddress local,
      InetSocketAddress remote)
      throws RefusedException {
    MeshListener listener = context.listeners().find(listenerId);
    if (listener == null) {
      throw new RefusedException("the listener of this handle is closed");
    }
    listener.requireSpace();
    OpenNic nic = nicOf(theirs.nicIndex());
    NicAddress own = addressOf(nic, local.getAddress());
    NcclMeshWire.requireNeighbour(own, theirs.ip());
    String peer = NcclMeshWire.peerName(theirs.ip());
    ChannelLifeCycle life = new ChannelLifeCycle("from");
    life.become(ChannelState.ROUTING, () -> peer);
    life.become(ChannelState.HANDSHAKING, () -> peer);
    NcclMeshEndpoint line = open(nic, own, theirs);
    HandshakeSpan span =
        FlightEvents.handshakeBegins(
            new HandshakeEnds(
                /* isConnecting= */ false,
                peer,
                "",
                nic.nic().label(),
                own.link().toString(),
                theirs.ip().getHostAddress(),
                /* rail= */ 0));
    guests.put(nonce, new Guest(listener, life, line, own, theirs, span, System.nanoTime()));
    return wire.endpoint(line, own, Gid.ZERO, theirs.nicIndex());
  }

  private OpenNic nicOf(int index) throws RefusedException {
    return context
        .nics()
        .at(index)
        .orElseThrow(
            () ->
                new RefusedException(
                    "the C plugin asks for NIC " + index + ", which this node does not have"));
  }

  private static NicAddress addressOf(OpenNic nic, InetAddress dialled) throws RefusedException {
    return nic.nic().addresses().stream()
        .filter(own -> own.link().isIpv4() && own.link().address().equals(dialled))
        .findFirst()
        .orElseThrow(
            () ->
                new RefusedException(
                    "the C plugin dialled "
                        + dialled.getHostAddress()
                        + " and asks for "
                        + nic.nic().label()
                        + ", which has another address"));
  }

  private NcclMeshEndpoint open(OpenNic nic, NicAddress own, LegacyEndpoint theirs)
      throws RefusedException {
    NcclMeshEndpoint line = null;
    try {
      line = NcclMeshEndpoint.open(nic, own.gid());
      line.connect(
          NcclMeshWire.queuePair(theirs, Gid.of(theirs.ip()), wire.mtuBytes()), wire.settings());
      return line;
    } catch (VerbsException | IllegalArgumentException e) {
      if (line != null) {
        line.discard();
      }
      throw new RefusedException(
          "no queue pair on " + nic.nic().label() + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void established(ConnectionNonce nonce) {
    Guest guest = guests.remove(nonce);
    NcclMeshReceiveChannel channel =
        new NcclMeshReceiveChannel(context.forChannels(), guest.life(), guest.line(), route(guest));
    guest.life().become(ChannelState.READY, channel::readyLine);
    guest.span().ready("");
    if (!context.channels().adopt(channel, Optional.empty())
        || !guest.listener().deliverUnproved(channel)) {
      channel.abandon();
    }
  }

  private static Route route(Guest guest) {
    return RouteDescription.accepted(
        NcclMeshWire.peerName(guest.theirs().ip()),
        "",
        guest.line().nic().nic().label(),
        guest.local(),
        guest.theirs().ip(),
        "The peer chose it: it asked for NIC " + guest.theirs().nicIndex() + " of the handle.",
        System.nanoTime() - guest.sinceNs());
  }

  @Override
  public void abandoned(ConnectionNonce nonce, HandshakeException why) {
    Guest guest = guests.remove(nonce);
    guest.life().fail(ChannelFailures.reasonOf(why.reason()), why.getMessage(), why::getMessage);
    guest.span().failed(ChannelFailures.reasonOf(why.reason()), why.getMessage());
    guest.line().discard();
  }
}
