// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.nio.ByteBuffer;
import java.time.Duration;

/** The receiving end of a channel. Rules of {@link Channel}. */
public interface ReceiveChannel extends Channel {
  /** The request waits as long as the peer is alive. */
  long NO_DEADLINE = SendChannel.NO_DEADLINE;

  /**
   * Offers room for one message to the peer. Never blocks, allocates nothing.
   *
   * @param memory registered with this channel's transport
   * @param offsetBytes where the room begins in it
   * @param lengthBytes of the room; a longer message is not received but fails on both sides with
   *     MESSAGE_TOO_LONG
   * @param tag must equal the send's
   * @return a request, {@link #BUSY}, or {@link #FAILED} if the channel has failed
   * @throws IllegalArgumentException memory of another transport, or out of its bounds
   * @throws IllegalStateException memory or channel closed
   */
  default long irecv(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    return irecv(memory, offsetBytes, lengthBytes, tag, NO_DEADLINE);
  }

  /**
   * As {@link #irecv(RegisteredMemory, long, long, int)} with a deadline.
   *
   * @param timeoutNs nanoseconds from now until the request fails with TIMED_OUT, or {@link
   *     #NO_DEADLINE}. It takes the channel with it, for the peer may be writing to the memory; the
   *     peer is told why first, which may add 100 ms, and fails with PEER_CLOSED.
   */
  long irecv(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs);

  /**
   * Offers the room between a buffer's position and limit, neither of which moves; the message
   * begins at the position of now. The buffer belongs to the request until that is over. One of up
   * to MESH_BOUNCE_BYTES, heap or direct, gets its bytes as a copy when they have come; a longer
   * one must be direct and gets them where they come. Rules of {@link SendChannel#isend(ByteBuffer,
   * int, long)}, and otherwise of {@link #irecv(RegisteredMemory, long, long, int, long)}.
   *
   * @throws IllegalArgumentException a read-only buffer, or a heap buffer of more than
   *     MESH_BOUNCE_BYTES
   */
  long irecv(ByteBuffer buffer, int tag, long timeoutNs);

  /** As {@link #irecv(ByteBuffer, int, long)}, without a deadline. */
  default long irecv(ByteBuffer buffer, int tag) {
    return irecv(buffer, tag, NO_DEADLINE);
  }

  /**
   * Receives one message into the room between a buffer's position and limit.
   *
   * @return its length in bytes
   * @throws TransportException why it failed; TIMED_OUT when the time passed, and the channel has
   *     then failed with it
   */
  default long receive(ByteBuffer buffer, int tag, Duration timeout) throws TransportException {
    return Blocking.finish(this, () -> irecv(buffer, tag, Blocking.nanos(timeout)), timeout);
  }

  /**
   * Offers room for several messages as one request, done when all have arrived.
   *
   * <p>One message that is too long fails the request with MESSAGE_TOO_LONG, once all the others
   * have arrived.
   *
   * @param group one to {@link Transport#MAX_GROUP} receives; free for refilling when this returns
   * @throws IllegalArgumentException also for an empty group
   */
  long irecv(ReceiveGroup group, long timeoutNs);

  /**
   * How many messages of a request have arrived, from its first on without a gap, having moved
   * along whatever can be moved. So one who reads a stream need not wait for a group to be full,
   * which costs the peer one announcement. Those memories may be read; they are the caller's again
   * only when {@link #test} has answered for the whole request. Never blocks, allocates nothing.
   *
   * @param lengthsBytes filled with the length of each that has arrived; room for the group at
   *     least
   * @return 0 to the size of the group; 0 or 1 without one. Also counts what arrived before a
   *     request failed
   * @throws IllegalArgumentException if there is no such request, or less room
   */
  int receivedSoFar(long request, long[] lengthsBytes);

  /**
   * Receives one message.
   *
   * @return its length in bytes
   * @throws TransportException why it failed; TIMED_OUT when the time passed, and the channel has
   *     then failed with it
   */
  default long receive(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, Duration timeout)
      throws TransportException {
    return Blocking.finish(
        this, () -> irecv(memory, offsetBytes, lengthBytes, tag, Blocking.nanos(timeout)), timeout);
  }
}
