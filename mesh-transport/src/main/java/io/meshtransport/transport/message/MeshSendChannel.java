// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.GatherList;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.TransferList;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.channel.SingleEndpoint;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailSet;
import java.nio.ByteBuffer;

/**
 * The sending end of a channel on our own wire, as callers see it: over one endpoint, or over
 * several rails, behind its {@link SendDirection}.
 */
public final class MeshSendChannel extends MeshChannel implements SendChannel {
  /** Of requests that are begun without one. */
  private final long deadlineNs;

  private final ControlPath control;
  private final SendDirection direction;

  /** Null on a channel over one endpoint. */
  private final MultiRailSendQueue rails;

  /**
   * A channel over one endpoint.
   *
   * @param partBytes longest message of one work request that both ends can do
   */
  public MeshSendChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      MeshEndpoint endpoint,
      Route route,
      long partBytes,
      PeerNic peer) {
    super(context, life, endpoint, route);
    this.deadlineNs = context.timing().requestNs();
    AdvertisedReceives advertised = new AdvertisedReceives(1, maxRequests());
    this.control = ControlPath.ofSender(core, endpoint);
    RmaOperations rma =
        new RmaOperations(context.memory(), peer, endpoint.nic().index(), partBytes);
    SendRequests requests = new SendRequests(core, control);
    this.rails = null;
    NoticeCredit credit = NoticeCredit.ofPuts();
    MessageSendQueue queue =
        new OneRailSendQueue(core, control, advertised, requests, rma, credit, partBytes);
    TaggedSends sends = new TaggedSends(core, control, advertised, requests, rma, credit, queue);
    this.direction = new SendDirection(core, context.memory(), rma, queue, sends);
    core.attach(new SingleEndpoint(core, endpoint), sends);
  }

  /**
   * A channel over several rails.
   *
   * @param first the first rail
   * @param nicCount at how many of its NICs the peer advertises its receives
   * @param chunkBytes longest part of a message that goes over one rail
   * @param peer the node that the rails lead to
   * @param partBytes longest part of a put or get, which goes over the primary, that both ends can
   *     do
   */
  public MeshSendChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      Rail first,
      int nicCount,
      Route route,
      int chunkBytes,
      NodeId peer,
      long partBytes) {
    super(context, life, first.endpoint(), route);
    this.deadlineNs = context.timing().requestNs();
    AdvertisedReceives advertised = new AdvertisedReceives(nicCount, maxRequests());
    RailSet railSet = new RailSet(core, first);
    this.control = ControlPath.ofSender(core, railSet);
    RmaOperations rma =
        new RmaOperations(
            context.memory(),
            new PeerNic(peer, first.peerNic()),
            first.endpoint().nic().index(),
            partBytes);
    SendRequests requests = new SendRequests(core, control);
    this.rails =
        new MultiRailSendQueue(core, railSet, control, advertised, requests, rma, chunkBytes, peer);
    TaggedSends sends =
        new TaggedSends(core, control, advertised, requests, rma, NoticeCredit.ofPuts(), rails);
    this.direction = new SendDirection(core, context.memory(), rma, rails, sends);
    railSet.attach(rails);
    core.attach(railSet, sends);
  }

  /** What sends over several rails, or null on a channel over one endpoint. */
  public MultiRailSendQueue rails() {
    return rails;
  }

  /** For tests, which send what no correct end does. */
  public ControlPath control() {
    return control;
  }

  @Override
  public long isend(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    return isend(memory, offsetBytes, lengthBytes, tag, deadlineNs);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag) {
    return isend(buffer, tag, deadlineNs);
  }

  @Override
  public long isend(GatherList list, int tag) {
    return isend(list, tag, deadlineNs);
  }

  @Override
  public long isend(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    return direction.isend(memory, offsetBytes, lengthBytes, tag, timeoutNs, 0);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs) {
    return direction.isend(buffer, tag, timeoutNs, 0);
  }

  @Override
  public long isend(GatherList list, int tag, long timeoutNs) {
    return direction.isend(list, tag, timeoutNs, 0);
  }

  @Override
  public long iput(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    return direction.transfer(
        memory, offsetBytes, lengthBytes, remote, remoteOffsetBytes, false, timeoutNs);
  }

  @Override
  public long iput(TransferList list, long timeoutNs) {
    return direction.transfer(list, false, timeoutNs, 0);
  }

  @Override
  public long iget(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    return direction.transfer(
        memory, offsetBytes, lengthBytes, remote, remoteOffsetBytes, true, timeoutNs);
  }

  @Override
  public long iget(TransferList list, long timeoutNs) {
    return direction.transfer(list, true, timeoutNs, 0);
  }

  @Override
  public void sendMode(SendMode mode) {
    direction.sendMode(mode);
  }

  @Override
  public int sendsNeedingProgress() {
    return direction.sendsNeedingProgress();
  }
}
