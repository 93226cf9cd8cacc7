// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.time.WaitTimes;
import java.nio.ByteBuffer;
import java.time.Duration;

/** The receiving end of a channel. The rules of {@link Channel} apply. */
public interface ReceiveChannel extends Channel {
  /** No deadline: the request waits as long as the peer is alive, and fails when it is not. */
  long NO_DEADLINE = SendChannel.NO_DEADLINE;

  /**
   * Posts a receive for one message and advertises it to the peer, which may write there from then
   * on. Never blocks, allocates nothing.
   *
   * @param memory registered with this channel's transport; belongs to the request until it is
   *     complete
   * @param offsetBytes where the receive begins in it
   * @param lengthBytes capacity of the receive, 0 to {@link Transport#MAX_MESSAGE_BYTES}; a longer
   *     message is not received but fails on both sides with MESSAGE_TOO_LONG, and the channel goes
   *     on
   * @param tag must equal the send's
   * @return a request, {@link #BUSY}, or {@link #FAILED} if the channel has failed or is closed, by
   *     whichever thread
   * @throws IllegalArgumentException for memory of another transport, or a range outside of it
   * @throws IllegalStateException if the memory is closed, and the channel is not
   */
  default long irecv(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    return irecv(memory, offsetBytes, lengthBytes, tag, NO_DEADLINE);
  }

  /**
   * As {@link #irecv(RegisteredMemory, long, long, int)}, with a deadline.
   *
   * @param timeoutNs nanoseconds from now until the request fails with TIMED_OUT, or {@link
   *     #NO_DEADLINE}. The channel fails with it, because the peer may be writing to the memory.
   *     The peer is notified first, which may take another 100 ms, and fails with PEER_CLOSED. With
   *     0 or less the request fails at the next test, unless its message is there by then
   */
  long irecv(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs);

  /**
   * Posts a receive into the bytes between a buffer's position and limit. Neither is moved; the
   * message begins at the position that the buffer has now. The buffer belongs to the request until
   * it is complete. A buffer of up to MESH_BOUNCE_BYTES, and a heap buffer of any length, is filled
   * by a copy when the message has arrived, from registered memory of the buffer's length that the
   * request has from its beginning; a longer direct one receives the bytes in place. The rules of
   * {@link SendChannel#isend(ByteBuffer, int, long)} on copies, caching and NO_RESOURCES apply,
   * where receives get three quarters of what there is for copies; and otherwise those of {@link
   * #irecv(RegisteredMemory, long, long, int, long)}.
   *
   * @throws IllegalArgumentException for a read-only buffer
   */
  long irecv(ByteBuffer buffer, int tag, long timeoutNs);

  /** As {@link #irecv(ByteBuffer, int, long)}, without a deadline. */
  default long irecv(ByteBuffer buffer, int tag) {
    return irecv(buffer, tag, NO_DEADLINE);
  }

  /**
   * Posts several receives as one request, which is complete when all their messages have arrived.
   * One announcement to the peer serves all of them.
   *
   * <p>If a message is too long for its receive, the request fails with MESSAGE_TOO_LONG once all
   * others have arrived.
   *
   * @param group one to {@link Transport#MAX_GROUP} receives; may be refilled when this returns
   * @throws IllegalArgumentException also for an empty group
   */
  long irecv(ReceiveGroup group, long timeoutNs);

  /**
   * Makes whatever progress is possible, then says how many messages of a request have arrived,
   * counted from its first up to the first gap. A reader of a stream thus need not wait until a
   * group is full. The memory of these messages may be read; it is the caller's again only when
   * {@link #test} has ended the whole request. Never blocks, allocates nothing.
   *
   * @param lengthsBytes filled with the length of each message that has arrived; must have at least
   *     as many elements as the group
   * @return 0 to the size of the group, or to the number of messages of a {@link MultiReceive}, or
   *     0 or 1 for a request without either. Includes what arrived before a request failed
   * @throws IllegalArgumentException if there is no such request, or the array is too short
   */
  int receivedSoFar(long request, long[] lengthsBytes);

  /**
   * Receives one message: {@link #irecv(RegisteredMemory, long, long, int, long)} and a wait for
   * its end.
   *
   * @param timeout the deadline of the request
   * @return the length of the message in bytes
   * @throws TransportException why it failed. TIMED_OUT when the time passed: a one-way channel has
   *     failed with it, on a {@link Connection} the receive alone is taken back, and a retry may
   *     help. INTERRUPTED if the thread was (its interrupt status stays set): on a connection the
   *     receive is taken back, and its message is for the next receive unless the text says that
   *     the peer has not confirmed that; on a one-way channel the receive goes on until its
   *     deadline, and a message that comes by then is lost
   */
  default long receive(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, Duration timeout)
      throws TransportException {
    return Blocking.receive(
        this,
        () -> irecv(memory, offsetBytes, lengthBytes, tag, WaitTimes.nanos(timeout)),
        timeout);
  }

  /**
   * Receives one message into the bytes between a buffer's position and limit: {@link
   * #irecv(ByteBuffer, int, long)} and a wait for its end.
   *
   * @param timeout the deadline of the request
   * @return the length of the message in bytes
   * @throws TransportException as {@link #receive(RegisteredMemory, long, long, int, Duration)}
   */
  default long receive(ByteBuffer buffer, int tag, Duration timeout) throws TransportException {
    return Blocking.receive(this, () -> irecv(buffer, tag, WaitTimes.nanos(timeout)), timeout);
  }
}
