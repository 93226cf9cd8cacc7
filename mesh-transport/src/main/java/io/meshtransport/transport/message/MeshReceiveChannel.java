// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.channel.SingleEndpoint;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.rail.RailSet;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/**
 * The receiving end of a channel on our own wire, as callers see it: over one endpoint, or over
 * several rails, behind its {@link ReceiveDirection}.
 */
public final class MeshReceiveChannel extends MeshChannel implements ReceiveChannel {
  /** Of requests that are begun without one. */
  private final long deadlineNs;

  private final ControlPath control;
  private final ReceiveDirection direction;

  /** Null on a channel over one endpoint. */
  private final MultiRailReceiveQueue rails;

  /**
   * A channel over one endpoint.
   *
   * @param partBytes longest message of one work request that both ends can do
   */
  public MeshReceiveChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      MeshEndpoint endpoint,
      Route route,
      long partBytes) {
    super(context, life, endpoint, route);
    this.deadlineNs = context.timing().requestNs();
    AnnouncementQueue announcements =
        new AnnouncementQueue(maxRequests(), QueueDepths.FIRST_ANNOUNCEMENTS);
    PostedReceives posted = new PostedReceives(core, announcements);
    this.control = ControlPath.ofReceiver(core, endpoint);
    AnnouncementBuffers buffers =
        new AnnouncementBuffers(core, control, new int[] {endpoint.nic().index()});
    this.rails = null;
    MessageReceiveQueue queue =
        new OneRailReceiveQueue(core, posted, announcements, buffers, partBytes);
    TaggedReceives receives =
        new TaggedReceives(core, control, posted, announcements, buffers, queue, false);
    this.direction = new ReceiveDirection(core, context.memory(), receives);
    core.attach(new SingleEndpoint(core, endpoint), receives);
  }

  /**
   * A channel over several rails.
   *
   * @param first the first rail
   * @param peer the node that connected
   * @param ticket of the first rail
   */
  public MeshReceiveChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      Rail first,
      NodeId peer,
      RailId ticket,
      Route route) {
    super(context, life, first.endpoint(), route);
    this.deadlineNs = context.timing().requestNs();
    AnnouncementQueue announcements = new AnnouncementQueue(maxRequests(), maxRequests());
    PostedReceives posted = new PostedReceives(core, announcements);
    RailSet railSet = new RailSet(core, first);
    this.control = ControlPath.ofReceiver(core, railSet);
    AnnouncementBuffers buffers =
        new AnnouncementBuffers(core, control, IntStream.range(0, ticket.nics()).toArray());
    this.rails = new MultiRailReceiveQueue(core, railSet, control, posted, buffers, peer, ticket);
    TaggedReceives receives =
        new TaggedReceives(core, control, posted, announcements, buffers, rails, false);
    this.direction = new ReceiveDirection(core, context.memory(), receives);
    railSet.attach(rails);
    core.attach(railSet, receives);
  }

  /** What receives over several rails, or null on a channel over one endpoint. */
  public MultiRailReceiveQueue rails() {
    return rails;
  }

  /** For tests, which send what no correct end does. */
  public ControlPath control() {
    return control;
  }

  @Override
  public long irecv(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    return irecv(memory, offsetBytes, lengthBytes, tag, deadlineNs);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag) {
    return irecv(buffer, tag, deadlineNs);
  }

  @Override
  public long irecv(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    return direction.irecv(memory, offsetBytes, lengthBytes, tag, timeoutNs, 0);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs) {
    return direction.irecv(buffer, tag, timeoutNs, 0);
  }

  @Override
  public long irecv(ReceiveGroup group, long timeoutNs) {
    return direction.irecv(group, timeoutNs, 0);
  }

  @Override
  public int receivedSoFar(long request, long[] lengthsBytes) {
    return direction.receivedSoFar(request, lengthsBytes);
  }
}
