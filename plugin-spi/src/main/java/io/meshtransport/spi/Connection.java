// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.nio.ByteBuffer;

/**
 * Both directions to and from one peer: a sending and a receiving channel over one queue pair, with
 * one state and one failure. The rules of {@link SendChannel} and {@link ReceiveChannel} apply; the
 * two directions share the {@link Transport#MAX_REQUESTS} requests. Both ends are equal once the
 * connection is there, whichever of them opened it.
 *
 * <p>A connection fails as a whole, at both ends: the peer's failure names the reason that the end
 * which failed first had, where that could still be sent.
 *
 * <p>The ends of requests come from one of two places. On a connection that is at a {@link Poller}
 * they come from {@link Poller#poll}, with the {@code userData} of the request; {@link #test},
 * {@link #await}, {@link #detach} and the blocking forms then throw IllegalStateException. On any
 * other connection they come from {@link #test} and {@link #await}, and {@code userData} has no
 * effect.
 *
 * <p>Threads: any thread may begin requests, also at the same time; the order of messages is then
 * the order in which the calls got the connection's lock. Waiting is as for {@link Channel}.
 */
public interface Connection extends SendChannel, ReceiveChannel {
  /** Nanoseconds; no deadline, not even that of {@link ConnectOptions#deadline}. */
  long NO_DEADLINE = SendChannel.NO_DEADLINE;

  @Override
  boolean isPolled();

  /** The node at the other end, as its handshake named it. Never changes. */
  Peer peer();

  /**
   * The peer's first bytes, which came with its handshake: a copy of its {@link
   * ConnectOptions#hello(byte[])}, empty if it gave none.
   */
  byte[] hello();

  /**
   * As {@link SendChannel#isend(RegisteredMemory, long, long, int, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long isend(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      int tag,
      long timeoutNs,
      long userData);

  /**
   * As {@link SendChannel#isend(ByteBuffer, int, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long isend(ByteBuffer buffer, int tag, long timeoutNs, long userData);

  /**
   * As {@link SendChannel#isend(GatherList, int, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long isend(GatherList list, int tag, long timeoutNs, long userData);

  /**
   * As {@link ReceiveChannel#irecv(RegisteredMemory, long, long, int, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long irecv(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      int tag,
      long timeoutNs,
      long userData);

  /**
   * As {@link ReceiveChannel#irecv(ByteBuffer, int, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long irecv(ByteBuffer buffer, int tag, long timeoutNs, long userData);

  /**
   * Takes a posted receive back. Never blocks: the request ends later, as every request does. It
   * fails with WITHDRAWN once the peer has answered that it will send nothing there, or ends with
   * its message if that is on its way already. Of a group the messages that have come are lost for
   * the caller unless it has read them ({@link #receivedSoFar}): the group ends as one request. If
   * the peer does not answer within MESH_TIMEOUT_MS, the connection fails.
   *
   * <p>Does nothing to a request that has ended, or whose withdrawal has begun.
   *
   * @param request a receive
   * @throws IllegalArgumentException if there is no such request, or if it is not a receive
   */
  void withdraw(long request);

  /**
   * {@inheritDoc}
   *
   * <p>On a connection the receive alone is taken back, as by {@link #withdraw}, and ends with
   * TIMED_OUT, or with its message if that was on its way already.
   */
  @Override
  long irecv(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs);

  /**
   * As {@link SendChannel#iput(TransferList, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long iput(TransferList list, long timeoutNs, long userData);

  /**
   * As {@link SendChannel#iget(TransferList, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long iget(TransferList list, long timeoutNs, long userData);
}
