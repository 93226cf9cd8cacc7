// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.channel.SingleEndpoint;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.transport.memory.UnregisteredBuffers;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailSet;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The sending end of a channel on our own wire, as callers see it: over one endpoint, or over
 * several rails. It checks what the caller passes, retains the memory, and hands the request to
 * {@link TaggedSends}.
 */
public final class MeshSendChannel extends MeshChannel implements SendChannel {
  private final ControlPath control;
  private final RmaOperations rma;
  private final MessageSendQueue queue;
  private final TaggedSends sends;
  private final UntestedSends untested;

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
    AdvertisedReceives advertised = new AdvertisedReceives(1);
    this.control = new ControlPath(core, endpoint);
    this.rma = new RmaOperations(context.memory(), peer, endpoint.nic().index(), partBytes);
    SendRequests requests = new SendRequests(core, control);
    this.rails = null;
    this.queue = new OneRailSendQueue(core, control, advertised, requests, rma, partBytes);
    this.sends = new TaggedSends(core, control, advertised, requests, rma, queue);
    this.untested = new UntestedSends(core, sends);
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
    AdvertisedReceives advertised = new AdvertisedReceives(nicCount);
    RailSet railSet = new RailSet(core, first);
    this.control = new ControlPath(core, railSet);
    this.rma =
        new RmaOperations(
            context.memory(),
            new PeerNic(peer, first.peerNic()),
            first.endpoint().nic().index(),
            partBytes);
    SendRequests requests = new SendRequests(core, control);
    this.rails =
        new MultiRailSendQueue(core, railSet, control, advertised, requests, rma, chunkBytes, peer);
    this.queue = rails;
    this.sends = new TaggedSends(core, control, advertised, requests, rma, queue);
    this.untested = new UntestedSends(core, sends);
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
  public long isend(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    core.lock.lock();
    try {
      if (!core.mayBegin()) {
        return FAILED;
      }
      if (lengthBytes > Transport.MAX_MESSAGE_BYTES) {
        throw new IllegalArgumentException(
            "a message of " + lengthBytes + " bytes is longer than " + Transport.MAX_MESSAGE_BYTES);
      }
      MeshMemory retained = MeshMemory.retain(context().memory(), memory, offsetBytes, lengthBytes);
      if (core.requests.isFull()) {
        retained.release();
        return BUSY;
      }
      return sends.begin(retained, retained, offsetBytes, lengthBytes, tag, timeoutNs);
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs) {
    core.lock.lock();
    try {
      if (!core.mayBegin()) {
        return FAILED;
      }
      if (core.requests.isFull()) {
        return BUSY;
      }
      UnregisteredBuffers unregistered = context().memory().unregistered();
      Retained retained = unregistered.forSending(buffer);
      if (retained == null) {
        return BUSY;
      }
      long offsetBytes = unregistered.offsetOf(retained, buffer);
      return sends.begin(
          retained, retained.memory(), offsetBytes, buffer.remaining(), tag, timeoutNs);
    } catch (TransportException e) {
      core.failedWith(e);
      return FAILED;
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public long iput(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    return single(memory, offsetBytes, lengthBytes, remote, remoteOffsetBytes, false, timeoutNs);
  }

  @Override
  public long iput(TransferList list, long timeoutNs) {
    return transfer(list, false, timeoutNs);
  }

  @Override
  public long iget(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    return single(memory, offsetBytes, lengthBytes, remote, remoteOffsetBytes, true, timeoutNs);
  }

  @Override
  public long iget(TransferList list, long timeoutNs) {
    return transfer(list, true, timeoutNs);
  }

  private long single(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      boolean isGet,
      long timeoutNs) {
    core.lock.lock();
    TransferList list = rma.single();
    try {
      list.add(memory, offsetBytes, lengthBytes, remote, remoteOffsetBytes);
      return transfer(list, isGet, timeoutNs);
    } finally {
      // Closed memory must not stay reachable through a channel that is idle.
      list.clear();
      core.lock.unlock();
    }
  }

  private long transfer(TransferList list, boolean isGet, long timeoutNs) {
    core.lock.lock();
    try {
      if (!core.mayBegin()) {
        return FAILED;
      }
      RmaTransfer transfer = rma.acquire(list, isGet);
      if (core.requests.isFull()) {
        transfer.release();
        return BUSY;
      }
      int slot = core.begin(timeoutNs);
      core.requests.uses(slot, transfer);
      rma.begin(slot, transfer);
      long request = core.requests.number(slot);
      if (transfer.elsewhere() == null) {
        sends.beginTransfer(slot, transfer.totalBytes());
      } else {
        core.requests.fail(
            slot, ChannelFailures.keyOfAnotherNode(core.route, transfer.elsewhere(), rma.peer()));
      }
      return request;
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public void sendMode(SendMode mode) {
    Objects.requireNonNull(mode, "mode");
    core.lock.lock();
    try {
      queue.sendMode(mode);
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public int sendsNeedingProgress() {
    core.lock.lock();
    try {
      return sends.needingProgress();
    } finally {
      core.lock.unlock();
    }
  }

  /** As {@link UntestedSends#poll}, unless the channel is in use at this moment. Any thread. */
  String pollUntested(long nowNs, long patienceNs) {
    if (!core.lock.tryLock()) {
      return "";
    }
    try {
      return untested.poll(nowNs, patienceNs);
    } finally {
      core.lock.unlock();
    }
  }
}
