// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.MultiReceive;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory that frames of one connection arrive in, as a few multi-receives: short frames lie one
 * behind the other, and one announcement to the peer is for many of them. While one multi-receive
 * is used up and posted again, the peer fills the others. Confined to the session's thread.
 */
final class ReceiveRing {
  /** Of so many receives one may be on its way back to the peer, and the peer has the others. */
  private static final int MULTI_RECEIVES = 4;

  /**
   * Most frames for each slot of memory: each takes a receive of the queue pair, whether it comes
   * or not. So frames of down to an eighth of a slot fill the memory.
   */
  private static final int FRAMES_PER_SLOT = 8;

  private final Connection connection;
  private final RegisteredMemory memory;
  private final ByteBuffer bytes;
  private final MultiReceive[] receives;
  private final int slotBytes;

  /** From one of the longest frames to the next. */
  private final long strideBytes;

  /**
   * @param slots for so many of the longest frames there is space, 1 to {@link
   *     Transport#MAX_REQUESTS} - 1
   * @param slotBytes of the longest frame
   * @throws TransportException if there is no memory for them
   */
  ReceiveRing(Connection connection, Transport transport, int slots, int slotBytes)
      throws TransportException {
    this.connection = connection;
    this.slotBytes = slotBytes;
    strideBytes = MultiReceive.next(0, slotBytes);
    memory = transport.allocate(slots * strideBytes);
    // At most 63 slots of 16 MiB, which is one segment.
    bytes = memory.segments().get(0).duplicate();
    receives = new MultiReceive[Math.min(MULTI_RECEIVES, slots)];
    int first = 0;
    for (int i = 0; i < receives.length; i++) {
      int end = (i + 1) * slots / receives.length;
      receives[i] = receive(first, end - first);
      first = end;
    }
  }

  private MultiReceive receive(int firstSlot, int slots) {
    // One slot is full behind its first frame.
    int frames = slots == 1 ? 1 : slots * FRAMES_PER_SLOT;
    return new MultiReceive(
        memory, firstSlot * strideBytes, slots * strideBytes, slotBytes, frames, Frame.TAG);
  }

  /** How many requests of the connection it takes. */
  int requests() {
    return receives.length;
  }

  /**
   * Posts a multi-receive, all of whose frames have been used. A connection that has failed says so
   * at the poller.
   *
   * @param userData of its frames and of its end
   */
  void post(int receive, long userData) {
    long request = connection.irecv(receives[receive], Connection.NO_DEADLINE, userData);
    if (request == Channel.BUSY) {
      throw new IllegalStateException("the connection has no receives left for its ring");
    }
  }

  /**
   * A frame that has arrived, from its position to its limit.
   *
   * @param offsetBytes in the memory
   * @return valid until the next call
   */
  ByteBuffer frame(long offsetBytes, long lengthBytes) {
    int begin = (int) offsetBytes;
    // The byte order as well: the program had this buffer before.
    return bytes
        .clear()
        .order(ByteOrder.BIG_ENDIAN)
        .limit(begin + (int) lengthBytes)
        .position(begin);
  }

  /** After the connection is closed: no device uses the memory. */
  void release() {
    memory.close();
  }
}
