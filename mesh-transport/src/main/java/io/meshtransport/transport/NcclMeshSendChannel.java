// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.MemoryRegion;
import java.nio.ByteBuffer;

/**
 * The sending end towards a C plugin. Each message leaves at once, as one SEND, and takes the
 * oldest receive of the peer whatever its tag; if there is none, the device tries again until there
 * is. Nothing of it can be taken back, so a deadline that passes ends the channel.
 */
final class NcclMeshSendChannel extends NcclMeshChannel implements SendChannel {
  NcclMeshSendChannel(
      ChannelContext context, ChannelLifeCycle life, NcclMeshEndpoint plain, Route route) {
    super(context, life, plain, route);
  }

  @Override
  public long isend(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    requireLength(lengthBytes);
    return request(memory, offsetBytes, lengthBytes, timeoutNs);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs) {
    requireLength(buffer.remaining());
    return request(buffer, timeoutNs);
  }

  private void requireLength(long lengthBytes) {
    if (lengthBytes > plain.maxMessageBytes()) {
      throw new IllegalArgumentException(
          "a message of "
              + lengthBytes
              + " bytes: the C plugin's wire does not cut messages, and one of this NIC has "
              + plain.maxMessageBytes()
              + " at most");
    }
  }

  @Override
  Retained standIn(UnregisteredBuffers unregistered, ByteBuffer buffer) throws TransportException {
    return unregistered.forSending(buffer);
  }

  @Override
  public long iput(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    throw notOneSided();
  }

  @Override
  public long iput(TransferList list, long timeoutNs) {
    throw notOneSided();
  }

  @Override
  public long iget(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    throw notOneSided();
  }

  @Override
  public long iget(TransferList list, long timeoutNs) {
    throw notOneSided();
  }

  private UnsupportedOperationException notOneSided() {
    return new UnsupportedOperationException(
        route
            + ": this channel leads to a C plugin (MESH_COMPAT=nccl-mesh), which neither grants nor"
            + " names memory to put to or get from. Send messages, or run this library at the peer.");
  }

  @Override
  public boolean isOneSided() {
    return false;
  }

  @Override
  public int sendsNeedingProgress() {
    // The device has every one of them and tries by itself until the peer has posted a receive.
    return 0;
  }

  @Override
  public void sendMode(SendMode mode) {
    // This wire has no acknowledgements but the device's own, and no device of it coalesces.
  }

  @Override
  int post(int slot, MemoryRegion region, long address, long lengthBytes) {
    return plain.send(slot, region, address, lengthBytes);
  }

  @Override
  String described(long lengthBytes) {
    return "a send of " + lengthBytes + " bytes";
  }

  @Override
  void ended(VerbsEndpoint from, int kind, int slot, Completions batch, int position) {
    requests.succeed(slot, askedBytes(slot));
  }

  @Override
  TransportException failure(
      VerbsEndpoint from, int kind, int slot, CompletionStatus status, int vendorError) {
    return kind == WorkRequestId.LAST_PART && NcclMeshFailures.isTooLongThere(status)
        ? NcclMeshFailures.tooLongThere(route, askedBytes(slot), status)
        : super.failure(from, kind, slot, status, vendorError);
  }

  @Override
  void lengths(int slot, long[] into) {
    into[0] = askedBytes(slot);
  }
}
