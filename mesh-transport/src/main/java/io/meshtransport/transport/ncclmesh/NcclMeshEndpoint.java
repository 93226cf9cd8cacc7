// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.ncclmesh;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.device.ControlMemory;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.Rollback;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;

/**
 * An endpoint to a C plugin: messages are plain SENDs into the receives that the peer happens to
 * have posted. Owned by its channel, or by the set-up until there is one. Confined to the channel's
 * lock, except {@link #events()}.
 */
public final class NcclMeshEndpoint extends VerbsEndpoint {
  /**
   * The C plugin starts to count packets from 0, and expects the same, whatever the handshake says.
   */
  private static final int PSN = 0;

  private static final int KEEPALIVE = 1;
  private static final int REFUSED_WRITE = 1;

  /** Largest message of one work request, 2^31 bytes (InfiniBand 1.4, section 9.4.3). */
  private static final long MAX_MESSAGE_BYTES = 1L << 31;

  /**
   * Makes the queue pair and brings it to INIT.
   *
   * @param gid the GID this endpoint sends from, as discovery found it; its row is looked up anew
   */
  public static NcclMeshEndpoint open(OpenNic nic, GidEntry gid) throws VerbsException {
    try (Rollback undo = new Rollback()) {
      Queues queues =
          Queues.open(
              undo,
              nic,
              gid,
              Transport.MAX_REQUESTS + KEEPALIVE + REFUSED_WRITE,
              Transport.MAX_REQUESTS,
              Access.REMOTE_WRITE);
      NcclMeshEndpoint endpoint = new NcclMeshEndpoint(nic, queues);
      undo.keepAll();
      return endpoint;
    }
  }

  private ControlMemory.Piece refusedByte;

  private NcclMeshEndpoint(OpenNic nic, Queues queues) {
    super(nic, PSN, queues);
  }

  /** The longest message it carries, in bytes. */
  long maxMessageBytes() {
    return Math.min(MAX_MESSAGE_BYTES, nic().maxMessageBytes());
  }

  /**
   * Sends a message. Answers an errno.
   *
   * @param lengthBytes at most {@link #maxMessageBytes}
   */
  int send(int slot, MemoryRegion local, long address, long lengthBytes) {
    sends.clear();
    sends.begin(
        WorkRequestId.of(WorkRequestId.LAST_PART, slot),
        SendOpcode.SEND,
        SendFlags.SIGNALED | SendFlags.SOLICITED);
    if (lengthBytes != 0) {
      sends.sge(address, (int) lengthBytes, local.localKey());
    }
    return postSends();
  }

  /**
   * Writes a byte to memory that the peer has not granted: its queue pair fails (InfiniBand 1.4,
   * section 9.9.3, class C), and with it every request that is posted there, as this write does.
   * The one message that this wire has for closing. Answers an errno.
   */
  int writeRefused() {
    try {
      refusedByte = nic().control().take(1);
    } catch (VerbsException e) {
      return e.errno();
    }
    sends.clear();
    sends.begin(
        WorkRequestId.of(WorkRequestId.REFUSED_WRITE, 0),
        SendOpcode.RDMA_WRITE,
        SendFlags.SIGNALED);
    sends.sge(refusedByte.address(), 1, refusedByte.region().localKey());
    sends.remote(0, 0);
    return postSends();
  }

  @Override
  public synchronized void close() throws VerbsException {
    super.close();
    if (refusedByte != null) {
      nic().control().giveBack(refusedByte);
      refusedByte = null;
    }
  }

  /** Posts a receive; of longer memory only so much that a message can fill. Returns an errno. */
  int receive(int slot, MemoryRegion local, long address, long lengthBytes) {
    receives.clear();
    receives.begin(WorkRequestId.of(WorkRequestId.RECEIVE, slot));
    if (lengthBytes != 0) {
      receives.sge(address, (int) Math.min(lengthBytes, maxMessageBytes()), local.localKey());
    }
    return postReceives();
  }
}
