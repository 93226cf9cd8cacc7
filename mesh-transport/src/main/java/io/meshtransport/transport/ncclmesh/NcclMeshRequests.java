// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.ncclmesh;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.EndpointEvents;
import io.meshtransport.transport.channel.Goodbye;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.transport.memory.MemoryRegistry;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.transport.memory.UnregisteredBuffers;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;

/**
 * The requests of a channel to or from a C plugin: each is one work request of the device, which
 * has it from then on. There are no announcements and no control messages. Confined to the
 * channel's lock, which {@link #begin} takes.
 */
final class NcclMeshRequests implements EndpointEvents {
  /** What the requests of a channel are. */
  enum Direction {
    SEND,
    RECEIVE
  }

  private final MemoryRegistry memories;
  private final ChannelCore core;
  private final NcclMeshEndpoint endpoint;
  private final Direction direction;

  /** Of the message, or of the memory for one until it has come. */
  private final long[] lengthsBytes = new long[Transport.MAX_REQUESTS];

  NcclMeshRequests(
      MemoryRegistry memories, ChannelCore core, NcclMeshEndpoint endpoint, Direction direction) {
    this.memories = memories;
    this.core = core;
    this.endpoint = endpoint;
    this.direction = direction;
  }

  /** Begins a request; returns its number, FAILED or BUSY. */
  long begin(RegisteredMemory memory, long offsetBytes, long lengthBytes, long timeoutNs) {
    core.lock.lock();
    try {
      if (!core.status.mayBegin()) {
        return Channel.FAILED;
      }
      MeshMemory retained = MeshMemory.retain(memories, memory, offsetBytes, lengthBytes);
      if (core.requests.isFull()) {
        retained.release();
        return Channel.BUSY;
      }
      return post(retained, retained, offsetBytes, lengthBytes, timeoutNs);
    } finally {
      core.lock.unlock();
    }
  }

  /** As the other, for a buffer that is not registered. */
  long begin(ByteBuffer buffer, long timeoutNs) {
    core.lock.lock();
    try {
      if (!core.status.mayBegin()) {
        return Channel.FAILED;
      }
      if (core.requests.isFull()) {
        return Channel.BUSY;
      }
      UnregisteredBuffers unregistered = memories.unregistered();
      Retained retained =
          direction == Direction.SEND
              ? unregistered.forSending(buffer)
              : unregistered.forReceiving(buffer);
      long offsetBytes = unregistered.offsetOf(retained, buffer);
      return post(retained, retained.memory(), offsetBytes, buffer.remaining(), timeoutNs);
    } catch (TransportException e) {
      return core.beginFailed(kind(), e, 0);
    } finally {
      core.lock.unlock();
    }
  }

  private CompletionKind kind() {
    return direction == Direction.SEND ? CompletionKind.SENT : CompletionKind.RECEIVED;
  }

  private long post(
      Retained retained, MeshMemory memory, long offsetBytes, long lengthBytes, long timeoutNs) {
    int slot = core.begin(kind(), timeoutNs, 0);
    core.requests.uses(slot, retained);
    lengthsBytes[slot] = lengthBytes;
    int nic = endpoint.nic().index();
    MemoryRegion region = memory.keys(nic);
    long address = memory.address(nic) + offsetBytes;
    long request = core.requests.number(slot);
    int errno =
        direction == Direction.SEND
            ? endpoint.send(slot, region, address, lengthBytes)
            : endpoint.receive(slot, region, address, lengthBytes);
    core.check(errno, "a request");
    return request;
  }

  @Override
  public void completed(
      VerbsEndpoint from, int kind, int slot, WorkCompletions batch, int position) {
    if (direction == Direction.RECEIVE) {
      lengthsBytes[slot] = Integer.toUnsignedLong(batch.lengthBytes(position));
    }
    core.requests.succeed(slot, lengthsBytes[slot]);
  }

  @Override
  public void batchCompleted(VerbsEndpoint from) {
    // Each completion is a request's end, and gives cause for nothing else.
  }

  @Override
  public TransportException failure(
      int kind, int slot, CompletionStatus status, TransportException why) {
    if (kind == WorkRequestId.LAST_PART && NcclMeshFailures.isTooLongThere(status)) {
      return NcclMeshFailures.tooLongThere(core.route, lengthsBytes[slot], status);
    }
    if (kind == WorkRequestId.RECEIVE && NcclMeshFailures.isTooLongHere(status)) {
      return NcclMeshFailures.tooLongHere(core.route, lengthsBytes[slot], status);
    }
    return NcclMeshFailures.hint(why);
  }

  @Override
  public void queried(int slot) {
    // The device reports each request.
  }

  @Override
  public void deadlinePassed(int slot) {
    String what =
        direction == Direction.SEND
            ? "a send of " + lengthsBytes[slot] + " bytes"
            : "a receive of up to " + lengthsBytes[slot] + " bytes";
    core.shutdown.breakWith(NcclMeshFailures.overdue(core.route, what));
  }

  @Override
  public void closing(TransportException why) {
    // The device has every request; what is under way when the endpoint has stopped fails then.
  }

  @Override
  public void stopped() {
    // What has not completed has not arrived.
  }

  @Override
  public boolean sendGoodbye(Goodbye goodbye) {
    // This wire has no message for it, and a peer that only waits would wait for ever.
    return endpoint.writeRefused() == 0;
  }

  /** The device has each request from its beginning. */
  @Override
  public boolean needsProgress() {
    return false;
  }

  @Override
  public void lengths(int slot, long[] into) {
    into[0] = lengthsBytes[slot];
  }
}
