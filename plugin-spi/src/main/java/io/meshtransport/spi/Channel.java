// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.time.Duration;
import java.util.Map;

/**
 * One direction to or from one peer. Messages arrive whole, once, and for equal tags in order.
 *
 * <p>Confined to one thread at a time, except {@link #state}, {@link #failure()}, {@link #counts},
 * {@link SendChannel#latencies} and {@link #close}, which any thread may call, and {@link
 * #awaitProgress}, which one thread may be in while another uses the channel. Buffers of a request
 * belong to the channel from the call that made the request until {@link #test} says otherwise.
 *
 * <p>Each end moves along while its owner calls {@link #test}, {@link #await}, {@link
 * #awaitProgress} or {@link ReceiveChannel#receivedSoFar}. A send needs nothing of the receiver's
 * threads but that the receive was posted. A receive that is over at this end, or a send that
 * failed, says nothing about the other end's memory of it: both ends of a message that is too long
 * fail, and an end that fails for a reason of its own leaves the other to notice by the peer's
 * silence or goodbye.
 */
public interface Channel extends AutoCloseable {
  /** From {@link #test}: not done, test again. */
  long PENDING = -1;

  /** From {@link #test}, isend, irecv, iput and iget: it failed; {@link #failure} says why. */
  long FAILED = -2;

  /**
   * From isend, irecv, iput and iget: {@link Transport#MAX_REQUESTS} are outstanding, or for an
   * unregistered buffer all bounce buffers are in use; test some, then try again. Nothing was
   * begun.
   */
  long BUSY = -3;

  /** Where this channel is in its life. Any thread. */
  ChannelState state();

  /** Which way it goes. */
  Route route();

  /**
   * Looks at a request, having moved along whatever can be moved. Never blocks, allocates nothing.
   * Once it has answered anything but PENDING the request is over: its buffers are the caller's
   * again and its number means nothing any more.
   *
   * @param request from isend or irecv
   * @return {@link #PENDING}, {@link #FAILED}, or the length of the message in bytes: for a send
   *     what was sent, for a receive what arrived, for a group the sum
   * @throws IllegalArgumentException if there is no such request: never was, or over
   */
  long test(long request);

  /**
   * As {@link #test(long)} for a grouped receive.
   *
   * @param lengthsBytes filled, once done, with the length of each message in the group's order;
   *     room for the group at least
   * @throws IllegalArgumentException if there is less room, at once; the request stays as it is
   */
  long test(long request, long[] lengthsBytes);

  /**
   * Waits until a request is over: spins for MESH_SPIN_US, then parks.
   *
   * @return as {@link #test(long)}; PENDING if the time passed or the thread was interrupted (the
   *     interrupt stays set), and the request goes on
   */
  long await(long request, Duration timeout);

  /**
   * How often something has moved on this channel so far: a message has arrived or its send is
   * over, the peer has posted a receive, the channel has failed. Only ever grows. Any thread.
   */
  long progressCount();

  /**
   * Waits until something moves: spins for MESH_SPIN_US, then parks. What has moved is seen by
   * testing.
   *
   * <p>One thread may be in here while another begins requests and tests them, which is how one
   * thread moves along what others have sent. Only one thread at a time may wait, here or in {@link
   * #await}: what arrives wakes one.
   *
   * @param seen what {@link #progressCount} said before the caller looked at its requests; if that
   *     has changed, this returns at once
   * @return {@link #progressCount} as it is now; unchanged if the time passed or the thread was
   *     interrupted (the interrupt stays set). Returns at once if the channel has failed or is
   *     closed.
   */
  long awaitProgress(long seen, Duration timeout);

  /**
   * Asks no more for a request: its slot is free as soon as it is over, and until then its buffers
   * stay the channel's. The request itself goes on.
   *
   * @throws IllegalArgumentException if there is no such request: never was, or over
   */
  void detach(long request);

  /**
   * Why the last request that FAILED did so; the channel's own failure if no request failed. A new
   * exception each time, made by this call, to be thrown by whoever asks; its cause says where it
   * was noticed.
   *
   * @throws IllegalStateException if nothing failed
   */
  TransportException failure();

  /**
   * What this channel has counted so far, every counter: each read once, not all at the same
   * instant. Any thread, also while the channel is used, which this does not slow.
   */
  Map<Counter, Long> counts();

  /**
   * Closes it: tells the peer, whose pending requests then fail with PEER_CLOSED, and releases
   * everything. Own requests outstanding fail with CLOSED. Messages whose send was done are not
   * lost. Waits for the peer's answer a bounded time, at most half a second, or MESH_TIMEOUT_MS
   * where that is less. Safe to call twice, from any thread; a second call returns when it is
   * closed, too. The peer's state becomes FAILED.
   */
  @Override
  void close();
}
