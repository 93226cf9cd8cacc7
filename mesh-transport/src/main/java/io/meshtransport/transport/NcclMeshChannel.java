// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.MemoryRegion;
import java.nio.ByteBuffer;

/**
 * Either end of a connection with a C plugin: a request of the caller's is one work request of the
 * device, which knows of it from then on. There are no rooms and no words besides the messages.
 */
abstract class NcclMeshChannel extends MeshChannel {
  final NcclMeshEndpoint plain;
  private final long[] askedBytes = new long[Transport.MAX_REQUESTS];

  NcclMeshChannel(
      ChannelContext context, ChannelLifeCycle life, NcclMeshEndpoint plain, Route route) {
    super(context, life, plain, route);
    this.plain = plain;
  }

  /** Hands a piece of memory to the device; an errno as from a post. Under the lock. */
  abstract int post(int slot, MemoryRegion region, long address, long lengthBytes);

  /** What a request of this many bytes is, for texts. */
  abstract String described(long lengthBytes);

  /** Begins a request; answers its number, FAILED or BUSY. */
  final long request(RegisteredMemory memory, long offsetBytes, long lengthBytes, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      MeshMemory ours = MeshMemory.retain(context().memory(), memory, offsetBytes, lengthBytes);
      if (requests.isFull()) {
        ours.release();
        return BUSY;
      }
      return request(ours, ours, offsetBytes, lengthBytes, timeoutNs);
    } finally {
      lock.unlock();
    }
  }

  /** What stands for a buffer that nobody registered, or null if there is nothing free. */
  abstract Retained standIn(UnregisteredBuffers unregistered, ByteBuffer buffer)
      throws TransportException;

  /** As the other, for a buffer that nobody registered. */
  final long request(ByteBuffer buffer, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      if (requests.isFull()) {
        return BUSY;
      }
      UnregisteredBuffers unregistered = context().memory().unregistered();
      Retained held = standIn(unregistered, buffer);
      return held == null
          ? BUSY
          : request(
              held,
              held.memory(),
              unregistered.offsetOf(held, buffer),
              buffer.remaining(),
              timeoutNs);
    } catch (TransportException e) {
      failedWith(e);
      return FAILED;
    } finally {
      lock.unlock();
    }
  }

  private long request(
      Retained held, MeshMemory ours, long offsetBytes, long lengthBytes, long timeoutNs) {
    int slot = begin(timeoutNs);
    requests.uses(slot, held);
    askedBytes[slot] = lengthBytes;
    MemoryRegion region = ours.keys(plain.nic().index());
    long request = requests.number(slot);
    check(
        post(slot, region, ours.address(plain.nic().index()) + offsetBytes, lengthBytes),
        "a request");
    return request;
  }

  /** How long the message, or the memory for one, is. */
  final long askedBytes(int slot) {
    return askedBytes[slot];
  }

  @Override
  TransportException failure(
      VerbsEndpoint from, int kind, int slot, CompletionStatus status, int vendorError) {
    return NcclMeshFailures.hint(super.failure(from, kind, slot, status, vendorError));
  }

  @Override
  final void overdue(int slot) {
    breakWith(NcclMeshFailures.overdue(route, described(askedBytes[slot])));
  }

  @Override
  final boolean sayGoodbye(Goodbye goodbye) {
    // This wire has no word for it, and a peer that only waits would wait for ever.
    return plain.writeRefused() == 0;
  }

  @Override
  final void settle() {
    // What has not completed has not arrived.
  }

  @Override
  final void withdraw(TransportException why) {
    // The device knows of every request; what is under way when the line has stopped fails then.
  }
}
