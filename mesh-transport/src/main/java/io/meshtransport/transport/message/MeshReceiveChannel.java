// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.channel.DeferringChannel;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.channel.SingleEndpoint;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.transport.memory.UnregisteredBuffers;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.rail.RailSet;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The receiving end of a channel on our own wire, as callers see it: over one endpoint, or over
 * several rails. It checks what the caller passes, retains the memory, and hands the request to
 * {@link TaggedReceives}.
 */
public final class MeshReceiveChannel extends MeshChannel
    implements ReceiveChannel, DeferringChannel {
  private final ReceiveGroup single = new ReceiveGroup();
  private final Retained[] retained = new Retained[Transport.MAX_GROUP];
  private final ControlPath control;
  private final TaggedReceives receives;

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
    AnnouncementQueue announcements = new AnnouncementQueue(QueueDepths.FIRST_ANNOUNCEMENTS);
    PostedReceives posted = new PostedReceives(core, announcements);
    this.control = new ControlPath(core, endpoint);
    AnnouncementBuffers buffers =
        new AnnouncementBuffers(core, control, new int[] {endpoint.nic().index()});
    this.rails = null;
    MessageReceiveQueue queue =
        new OneRailReceiveQueue(core, posted, announcements, buffers, partBytes);
    this.receives =
        new TaggedReceives(core, control, posted, announcements, buffers, queue, this::attend);
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
    AnnouncementQueue announcements = new AnnouncementQueue(Transport.MAX_REQUESTS);
    PostedReceives posted = new PostedReceives(core, announcements);
    RailSet railSet = new RailSet(core, first);
    this.control = new ControlPath(core, railSet);
    AnnouncementBuffers buffers =
        new AnnouncementBuffers(core, control, IntStream.range(0, ticket.nics()).toArray());
    this.rails = new MultiRailReceiveQueue(core, railSet, control, posted, buffers, peer, ticket);
    this.receives =
        new TaggedReceives(core, control, posted, announcements, buffers, rails, this::attend);
    railSet.attach(rails);
    core.attach(railSet, receives);
  }

  private boolean attend() {
    return context().deferredAnnouncements().test(this);
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
  public long irecv(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    core.lock.lock();
    try {
      return irecv(single.clear().add(memory, offsetBytes, lengthBytes, tag), timeoutNs);
    } finally {
      // Closed memory must not stay reachable through a channel that is idle.
      single.clear();
      core.lock.unlock();
    }
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs) {
    core.lock.lock();
    try {
      if (!core.mayBegin()) {
        return FAILED;
      }
      if (core.requests.isFull()) {
        return BUSY;
      }
      UnregisteredBuffers unregistered = context().memory().unregistered();
      Retained standIn = unregistered.forReceiving(buffer);
      if (standIn == null) {
        return BUSY;
      }
      retained[0] = standIn;
      long offsetBytes = unregistered.offsetOf(standIn, buffer);
      single.clear().add(standIn.memory(), offsetBytes, buffer.remaining(), tag);
      return receives.begin(single, retained, timeoutNs);
    } catch (TransportException e) {
      core.failedWith(e);
      return FAILED;
    } finally {
      single.clear();
      core.lock.unlock();
    }
  }

  @Override
  public long irecv(ReceiveGroup group, long timeoutNs) {
    core.lock.lock();
    try {
      if (!core.mayBegin()) {
        return FAILED;
      }
      if (group.size() == 0) {
        throw new IllegalArgumentException(
            "an empty group: add one to " + Transport.MAX_GROUP + " receives");
      }
      retainAll(group);
      if (core.requests.isFull()) {
        releaseFirst(group.size());
        return BUSY;
      }
      return receives.begin(group, retained, timeoutNs);
    } finally {
      core.lock.unlock();
    }
  }

  /**
   * A group begins whole or not at all, so all of it is checked and retained before any of it is
   * used: another thread may be closing the memory.
   */
  private void retainAll(ReceiveGroup group) {
    int count = 0;
    try {
      for (; count < group.size(); count++) {
        retained[count] =
            MeshMemory.retain(
                context().memory(),
                group.memory(count),
                group.offsetBytes(count),
                group.lengthBytes(count));
      }
    } catch (IllegalArgumentException | IllegalStateException e) {
      releaseFirst(count);
      throw e;
    }
  }

  private void releaseFirst(int count) {
    for (int entry = 0; entry < count; entry++) {
      retained[entry].release();
    }
  }

  @Override
  public int receivedSoFar(long request, long[] lengthsBytes) {
    Objects.requireNonNull(lengthsBytes, "lengthsBytes");
    core.lock.lock();
    try {
      return receives.receivedSoFar(request, lengthsBytes);
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public boolean pollDeferred() {
    if (!core.lock.tryLock()) {
      return true;
    }
    try {
      return receives.pollDeferred();
    } finally {
      core.lock.unlock();
    }
  }
}
