// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.ncclmesh;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.channel.SingleEndpoint;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The receiving end of a channel from a C plugin. Receives are posted as the caller begins them,
 * and messages take them in that order, whatever their tags; the length of a message is what the
 * device reports.
 */
public final class NcclMeshReceiveChannel extends MeshChannel implements ReceiveChannel {
  private static final int ONE = 1;

  /** Of requests that are begun without one. */
  private final long deadlineNs;

  private final NcclMeshRequests requests;

  public NcclMeshReceiveChannel(
      ChannelContext context, ChannelLifeCycle life, NcclMeshEndpoint endpoint, Route route) {
    super(context, life, endpoint, route);
    this.deadlineNs = context.timing().requestNs();
    this.requests =
        new NcclMeshRequests(context.memory(), core, endpoint, NcclMeshRequests.Direction.RECEIVE);
    core.attach(new SingleEndpoint(core, endpoint), requests);
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
    return requests.begin(memory, offsetBytes, lengthBytes, timeoutNs);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs) {
    return requests.begin(buffer, timeoutNs);
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
    core.lock.lock();
    try {
      int slot = core.progressFor(request, lengthsBytes);
      boolean hasArrived = core.requests.outcome(slot) >= 0;
      if (hasArrived) {
        requests.lengths(slot, lengthsBytes);
      }
      return hasArrived ? ONE : 0;
    } finally {
      core.lock.unlock();
    }
  }
}
