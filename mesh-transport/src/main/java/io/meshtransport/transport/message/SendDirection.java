// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.GatherList;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.memory.MemoryRegistry;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.transport.memory.UnregisteredBuffers;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * What callers ask of the sending direction of a channel or connection: checks what they pass,
 * retains the memory, and hands the request to {@link TaggedSends}. Every call acquires the
 * channel's lock.
 */
final class SendDirection {
  private final ChannelCore core;
  private final MemoryRegistry memories;
  private final RmaOperations rma;
  private final MessageSendQueue queue;
  private final TaggedSends sends;

  SendDirection(
      ChannelCore core,
      MemoryRegistry memories,
      RmaOperations rma,
      MessageSendQueue queue,
      TaggedSends sends) {
    this.core = core;
    this.memories = memories;
    this.rma = rma;
    this.queue = queue;
    this.sends = sends;
  }

  /** As {@link io.meshtransport.spi.Connection#isend}. */
  long isend(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      int tag,
      long timeoutNs,
      long userData) {
    core.lock.lock();
    try {
      if (!core.status.mayBegin()) {
        return Channel.FAILED;
      }
      if (lengthBytes > Transport.MAX_MESSAGE_BYTES) {
        throw new IllegalArgumentException(
            "a message of " + lengthBytes + " bytes is longer than " + Transport.MAX_MESSAGE_BYTES);
      }
      MeshMemory retained = MeshMemory.retain(memories, memory, offsetBytes, lengthBytes);
      if (core.requests.isFull()) {
        retained.release();
        return Channel.BUSY;
      }
      return sends.begin(retained, retained, offsetBytes, lengthBytes, tag, timeoutNs, userData);
    } finally {
      core.lock.unlock();
    }
  }

  /** As {@link io.meshtransport.spi.Connection#isend}, of a buffer that is not registered. */
  long isend(ByteBuffer buffer, int tag, long timeoutNs, long userData) {
    core.lock.lock();
    try {
      if (!core.status.mayBegin()) {
        return Channel.FAILED;
      }
      if (core.requests.isFull()) {
        return Channel.BUSY;
      }
      UnregisteredBuffers unregistered = memories.unregistered();
      Retained retained = unregistered.forSending(buffer);
      long offsetBytes = unregistered.offsetOf(retained, buffer);
      return sends.begin(
          retained, retained.memory(), offsetBytes, buffer.remaining(), tag, timeoutNs, userData);
    } catch (TransportException e) {
      return core.beginFailed(CompletionKind.SENT, e, userData);
    } finally {
      core.lock.unlock();
    }
  }

  /** As {@link io.meshtransport.spi.Connection#isend}, of a list. */
  long isend(GatherList list, int tag, long timeoutNs, long userData) {
    if (list.size() == 1) {
      return isend(
          list.memory(0), list.offsetBytes(0), list.lengthBytes(0), tag, timeoutNs, userData);
    }
    core.lock.lock();
    try {
      if (!core.status.mayBegin()) {
        return Channel.FAILED;
      }
      RmaTransfer pieces = rma.acquire(list);
      if (core.requests.isFull()) {
        pieces.release();
        return Channel.BUSY;
      }
      return sends.beginGather(pieces, tag, timeoutNs, userData);
    } finally {
      core.lock.unlock();
    }
  }

  /** A put or get of one piece. */
  long transfer(
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
      return transfer(list, isGet, timeoutNs, 0);
    } finally {
      // Closed memory must not stay reachable through a channel that is idle.
      list.clear();
      core.lock.unlock();
    }
  }

  /** A put or get of a list. */
  long transfer(TransferList list, boolean isGet, long timeoutNs, long userData) {
    core.lock.lock();
    try {
      return core.status.mayBegin()
          ? begin(rma.acquire(list, isGet), timeoutNs, userData)
          : Channel.FAILED;
    } finally {
      core.lock.unlock();
    }
  }

  /** A put of a list, of which the peer gets a notice. */
  long putWithNotice(TransferList list, int notice, long timeoutNs, long userData) {
    core.lock.lock();
    try {
      if (!core.status.mayBegin()) {
        return Channel.FAILED;
      }
      RmaTransfer put = rma.acquire(list, false);
      put.giveNotice(notice);
      return begin(put, timeoutNs, userData);
    } finally {
      core.lock.unlock();
    }
  }

  private long begin(RmaTransfer transfer, long timeoutNs, long userData) {
    if (core.requests.isFull()) {
      transfer.release();
      return Channel.BUSY;
    }
    CompletionKind kind = transfer.isGet() ? CompletionKind.GOT : CompletionKind.PUT;
    int slot = core.begin(kind, timeoutNs, userData);
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
  }

  /** As {@link io.meshtransport.spi.SendChannel#sendMode}. */
  void sendMode(SendMode mode) {
    Objects.requireNonNull(mode, "mode");
    core.lock.lock();
    try {
      queue.sendMode(mode);
    } finally {
      core.lock.unlock();
    }
  }

  /** As {@link io.meshtransport.spi.SendChannel#sendsNeedingProgress}. */
  int sendsNeedingProgress() {
    core.lock.lock();
    try {
      return sends.needingProgress();
    } finally {
      core.lock.unlock();
    }
  }
}
