// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The receiving end from a C plugin. Receives are posted as they are asked for, and messages take
 * them in that order, whatever their tags; the length of a message is what the device says arrived.
 */
final class NcclMeshReceiveChannel extends NcclMeshChannel implements ReceiveChannel {
  private static final int ONE = 1;

  private final long[] arrivedBytes = new long[Transport.MAX_REQUESTS];

  NcclMeshReceiveChannel(
      ChannelContext context, ChannelLifeCycle life, NcclMeshEndpoint plain, Route route) {
    super(context, life, plain, route);
  }

  @Override
  public long irecv(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    return request(memory, offsetBytes, lengthBytes, timeoutNs);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs) {
    return request(buffer, timeoutNs);
  }

  @Override
  Retained standIn(UnregisteredBuffers unregistered, ByteBuffer buffer) throws TransportException {
    return unregistered.forReceiving(buffer);
  }

  @Override
  public long irecv(ReceiveGroup group, long timeoutNs) {
    if (group.size() != ONE) {
      throw new IllegalArgumentException(
          "a group of "
              + group.size()
              + " receives: the C plugin's wire carries no tags to tell its messages apart; make"
              + " them requests of their own");
    }
    return irecv(
        group.memory(0), group.offsetBytes(0), group.lengthBytes(0), group.tag(0), timeoutNs);
  }

  @Override
  public int receivedSoFar(long request, long[] lengthsBytes) {
    Objects.requireNonNull(lengthsBytes, "lengthsBytes");
    lock.lock();
    try {
      int slot = look(request, lengthsBytes);
      boolean hasArrived = requests.outcome(slot) >= 0;
      if (hasArrived) {
        lengths(slot, lengthsBytes);
      }
      return hasArrived ? ONE : 0;
    } finally {
      lock.unlock();
    }
  }

  @Override
  int post(int slot, MemoryRegion region, long address, long lengthBytes) {
    return plain.receive(slot, region, address, lengthBytes);
  }

  @Override
  String described(long lengthBytes) {
    return "a receive of up to " + lengthBytes + " bytes";
  }

  @Override
  void ended(VerbsEndpoint from, int kind, int slot, Completions batch, int position) {
    arrivedBytes[slot] = Integer.toUnsignedLong(batch.lengthBytes(position));
    requests.succeed(slot, arrivedBytes[slot]);
  }

  @Override
  TransportException failure(
      VerbsEndpoint from, int kind, int slot, CompletionStatus status, int vendorError) {
    return kind == WorkRequestId.RECEIVE && NcclMeshFailures.isTooLongHere(status)
        ? NcclMeshFailures.tooLongHere(route, askedBytes(slot), status)
        : super.failure(from, kind, slot, status, vendorError);
  }

  @Override
  void lengths(int slot, long[] into) {
    into[0] = arrivedBytes[slot];
  }
}
