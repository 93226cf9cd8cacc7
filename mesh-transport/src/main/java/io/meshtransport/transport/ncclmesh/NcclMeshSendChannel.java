// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.ncclmesh;

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
import java.nio.ByteBuffer;

/**
 * The sending end of a channel to a C plugin. Each message is posted at once, as one SEND, and
 * takes the oldest receive of the peer whatever its tag; if there is none, the device tries again
 * until there is. A SEND cannot be withdrawn, so a deadline that passes ends the channel.
 */
public final class NcclMeshSendChannel extends MeshChannel implements SendChannel {
  /** Of requests that are begun without one. */
  private final long deadlineNs;

  private final NcclMeshEndpoint endpoint;
  private final NcclMeshRequests requests;

  NcclMeshSendChannel(
      ChannelContext context, ChannelLifeCycle life, NcclMeshEndpoint endpoint, Route route) {
    super(context, life, endpoint, route);
    this.deadlineNs = context.timing().requestNs();
    this.endpoint = endpoint;
    this.requests =
        new NcclMeshRequests(context.memory(), core, endpoint, NcclMeshRequests.Direction.SEND);
    core.attach(new SingleEndpoint(core, endpoint), requests);
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
  public long isend(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    requireLength(lengthBytes);
    return requests.begin(memory, offsetBytes, lengthBytes, timeoutNs);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs) {
    requireLength(buffer.remaining());
    return requests.begin(buffer, timeoutNs);
  }

  private void requireLength(long lengthBytes) {
    if (lengthBytes > endpoint.maxMessageBytes()) {
      throw new IllegalArgumentException(
          "a message of "
              + lengthBytes
              + " bytes: the C plugin's wire does not cut messages, and one of this NIC has "
              + endpoint.maxMessageBytes()
              + " at most");
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
        route()
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
}
