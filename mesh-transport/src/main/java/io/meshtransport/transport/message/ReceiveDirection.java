// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.MultiReceive;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.memory.MemoryRegistry;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.transport.memory.UnregisteredBuffers;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * What callers ask of the receiving direction of a channel or connection: checks what they pass,
 * retains the memory, and hands the request to {@link TaggedReceives}. Every call acquires the
 * channel's lock.
 */
final class ReceiveDirection {
  private final ChannelCore core;
  private final MemoryRegistry memories;
  private final TaggedReceives receives;
  private final ReceiveGroup single = new ReceiveGroup();
  private final Retained[] retained = new Retained[Transport.MAX_GROUP];

  ReceiveDirection(ChannelCore core, MemoryRegistry memories, TaggedReceives receives) {
    this.core = core;
    this.memories = memories;
    this.receives = receives;
  }

  /** As {@link io.meshtransport.spi.Connection#irecv}. */
  long irecv(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      int tag,
      long timeoutNs,
      long userData) {
    core.lock.lock();
    try {
      return irecv(single.clear().add(memory, offsetBytes, lengthBytes, tag), timeoutNs, userData);
    } finally {
      // Closed memory must not stay reachable through a channel that is idle.
      single.clear();
      core.lock.unlock();
    }
  }

  /** As {@link io.meshtransport.spi.Connection#irecv}, into a buffer that is not registered. */
  long irecv(ByteBuffer buffer, int tag, long timeoutNs, long userData) {
    core.lock.lock();
    try {
      if (!core.status.mayBegin()) {
        return Channel.FAILED;
      }
      if (receives.isFull(1)) {
        return Channel.BUSY;
      }
      UnregisteredBuffers unregistered = memories.unregistered();
      Retained standIn = unregistered.forReceiving(buffer);
      retained[0] = standIn;
      long offsetBytes = unregistered.offsetOf(standIn, buffer);
      single.clear().add(standIn.memory(), offsetBytes, buffer.remaining(), tag);
      return receives.begin(single, retained, timeoutNs, userData);
    } catch (TransportException e) {
      return core.beginFailed(CompletionKind.RECEIVED, e, userData);
    } finally {
      single.clear();
      core.lock.unlock();
    }
  }

  /** As {@link io.meshtransport.spi.ReceiveChannel#irecv(ReceiveGroup, long)}. */
  long irecv(ReceiveGroup group, long timeoutNs, long userData) {
    core.lock.lock();
    try {
      if (!core.status.mayBegin()) {
        return Channel.FAILED;
      }
      if (group.size() == 0) {
        throw new IllegalArgumentException(
            "an empty group: add one to " + Transport.MAX_GROUP + " receives");
      }
      retainAll(group);
      if (receives.isFull(group.size())) {
        releaseFirst(group.size());
        return Channel.BUSY;
      }
      return receives.begin(group, retained, timeoutNs, userData);
    } finally {
      core.lock.unlock();
    }
  }

  /** As {@link io.meshtransport.spi.Connection#irecv(MultiReceive, long, long)}. */
  long irecv(MultiReceive receive, long timeoutNs, long userData) {
    core.lock.lock();
    try {
      if (!core.status.mayBegin()) {
        return Channel.FAILED;
      }
      int most = QueueDepths.maxReceives(core.requests.max());
      if (receive.messages() > most) {
        throw new IllegalArgumentException(
            core.route
                + ": a multi-receive of "
                + receive.messages()
                + " messages, but this connection awaits at most "
                + most
                + "; more requests of its ConnectOptions allow more");
      }
      Retained memory =
          MeshMemory.retain(
              memories, receive.memory(), receive.offsetBytes(), receive.lengthBytes());
      if (receives.isFull(receive.messages())) {
        memory.release();
        return Channel.BUSY;
      }
      return receives.begin(receive, memory, timeoutNs, userData);
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
                memories, group.memory(count), group.offsetBytes(count), group.lengthBytes(count));
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

  /** As {@link io.meshtransport.spi.ReceiveChannel#receivedSoFar}. */
  int receivedSoFar(long request, long[] lengthsBytes) {
    Objects.requireNonNull(lengthsBytes, "lengthsBytes");
    core.lock.lock();
    try {
      return receives.receivedSoFar(request, lengthsBytes);
    } finally {
      core.lock.unlock();
    }
  }

  /** As {@link io.meshtransport.spi.Connection#withdraw}. */
  void withdraw(long request) {
    core.lock.lock();
    try {
      int slot = core.requests.slot(request);
      if (core.requests.kind(slot) != CompletionKind.RECEIVED) {
        throw new IllegalArgumentException(
            "request " + request + " is no receive, and nothing else can be withdrawn");
      }
      if (core.requests.outcome(slot) == Channel.PENDING && core.status.isReady()) {
        receives.withdraw(slot, ChannelFailures.receiveWithdrawn(core.route));
      }
    } finally {
      core.lock.unlock();
    }
  }
}
