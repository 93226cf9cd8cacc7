// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * One direction to or from one peer. Each message arrives whole and once; messages with equal tags
 * arrive in order.
 *
 * <p>Threads: any thread may call any method, at the same time as others, and any number of threads
 * may wait at once, such as one in {@link SendChannel#send} beside others in {@link #await} and
 * {@link #awaitProgress}: each is woken for what it waits for, whichever of them polled it. The
 * order of messages is that in which the calls got the channel's lock. Each request is one
 * thread's: of two that test or await the same one, the first that learns its end ends it, and the
 * other gets IllegalArgumentException.
 *
 * <p>Ownership: the buffers of a request belong to the channel from the call that made the request
 * until {@link #test} says that it is complete.
 *
 * <p>Each end makes progress while its owner calls {@link #test}, {@link #await}, {@link
 * #awaitProgress} or {@link ReceiveChannel#receivedSoFar}. A send needs the receiver's threads only
 * for posting its receive. The outcome of a request at one end says nothing about the other end's
 * memory, unless the send succeeded: a message that is too long fails at both ends, but an end that
 * fails for a reason of its own leaves the other end to learn it from the goodbye or from silence.
 */
public interface Channel extends AutoCloseable {
  /** Answer of {@link #test}: the request is not complete; test again. */
  long PENDING = -1;

  /**
   * Answer of {@link #test}: the request failed, and {@link #failure(long)} says why. Answer of
   * isend, irecv, iput and iget: the channel has failed, and {@link #failure()} says why.
   */
  long FAILED = -2;

  /**
   * Answer of isend, irecv, iput and iget: {@link #maxRequests()} are outstanding on this channel;
   * of an irecv on a connection also that more receives of groups and messages of {@link
   * MultiReceive}s would be awaited than 8 x {@link #maxRequests()}, or 4,096 if that is less
   * ({@link ConnectOptions#requests(int)}). There is no other reason. Nothing was begun. One more
   * can begin once {@link #test} or {@link #await} has ended a request, or a {@link Poller} has
   * reported the end of one: wait there, then try again.
   */
  long BUSY = -3;

  /** Answer of {@link #peerSilenceNs}: this end does not know. */
  long SILENCE_UNKNOWN = -1;

  /** The state of this channel. Any thread. */
  ChannelState state();

  /**
   * Max requests outstanding on this channel; one more is {@link #BUSY}. {@link
   * Transport#MAX_REQUESTS}, except for a connection whose ends have agreed on another number
   * ({@link ConnectOptions#requests(int)}). Never changes. Any thread.
   */
  default int maxRequests() {
    return Transport.MAX_REQUESTS;
  }

  /** The NICs and addresses that this channel uses, and why. Never changes. */
  Route route();

  /**
   * Makes whatever progress is possible, then says whether a request is complete. Never blocks,
   * allocates nothing. Any answer but PENDING ends the request: its buffers are the caller's again,
   * and its number is no longer valid.
   *
   * @param request from isend, irecv, iput or iget
   * @return {@link #PENDING}, {@link #FAILED}, or the length of the message in bytes: of a send
   *     what was sent, of a receive what arrived, of a group the sum
   * @throws IllegalArgumentException if there is no such request: there never was, or it has ended
   */
  long test(long request);

  /**
   * As {@link #test(long)}, with the lengths of a grouped receive.
   *
   * @param lengthsBytes filled, once the request is complete, with the length of each message in
   *     the group's order; must have at least as many elements as the group. Of a {@link
   *     MultiReceive} as many as it may have messages, and those it did not have are -1
   * @throws IllegalArgumentException if there is no such request, or the array is too short; the
   *     request goes on
   */
  long test(long request, long[] lengthsBytes);

  /**
   * Waits until a request is complete: polls for at most MESH_SPIN_US, then sleeps.
   *
   * @param timeout max wait; 0 or less tests once
   * @return as {@link #test(long)}; PENDING if the time passed or the thread was interrupted (its
   *     interrupt status stays set), and then the request goes on
   * @throws IllegalArgumentException if there is no such request
   */
  long await(long request, Duration timeout);

  /**
   * How many steps this channel has made: a message arrived, a send completed, the peer posted a
   * receive, the channel failed. Never decreases. Any thread.
   */
  long progressCount();

  /**
   * Waits until the channel makes progress: polls for at most MESH_SPIN_US, then sleeps. Test the
   * requests to learn what happened.
   *
   * <p>A thread may wait here while others begin, test and await requests; so one thread can make
   * the progress of what others have sent.
   *
   * @param seen the {@link #progressCount} that the caller read before it tested its requests; if
   *     the count differs by now, this returns at once
   * @param timeout max wait; 0 or less makes what progress is possible now
   * @return the current {@link #progressCount}; equal to {@code seen} if the time passed or the
   *     thread was interrupted (its interrupt status stays set). Returns at once if the channel has
   *     failed or is closed
   */
  long awaitProgress(long seen, Duration timeout);

  /**
   * Gives up interest in a request, which goes on: it frees its slot by itself when it is complete,
   * and its buffers belong to the channel until then.
   *
   * @throws IllegalArgumentException if there is no such request: there never was, or it has ended
   */
  void detach(long request);

  /**
   * How long ago the last bytes came from the peer, in nanoseconds, as far as this end has read
   * them. It tells a stopped program or a cut cable from a slow answer. While a request is pending
   * a peer that is silent for a quarter of MESH_TIMEOUT_MS is probed, and answers unless its
   * program is stopped; without one it may be silent for any time. Any thread; acquires the
   * channel's lock.
   *
   * @return {@link #SILENCE_UNKNOWN} over adapters, which answer for a program that is stopped,
   *     too; and where the channel has failed, or is closed or about to be
   */
  default long peerSilenceNs() {
    return SILENCE_UNKNOWN;
  }

  /**
   * Why this channel begins no request any more: the reason for which it is {@link
   * ChannelState#FAILED}, or CLOSED if this end has closed it before it failed. Any thread. Each
   * call makes a new exception for the caller to throw; its cause is the place where the failure
   * was noticed. {@link TransportException#retryHelps} says whether a new channel can succeed.
   *
   * @throws IllegalStateException if it is open and has not failed; a single request may have
   *     ({@link #failure(long)})
   */
  TransportException failure();

  /**
   * Whether a {@link Poller} reports the ends of its requests, so that no other call may learn
   * them. Only a {@link Connection} can be at a poller. Any thread.
   */
  default boolean isPolled() {
    return false;
  }

  /**
   * Why one request failed, after {@link #test} or {@link #await} has answered FAILED for it: its
   * own reason, or the channel's if that failed. Any thread. It makes no difference what else fails
   * meanwhile.
   *
   * @param request its number; or {@link #FAILED}, as its beginning may have answered, for {@link
   *     #failure()}
   * @return a new exception for the caller to throw
   * @throws IllegalArgumentException if the request is none of the last {@link #maxRequests()} that
   *     have failed on this channel
   */
  TransportException failure(long request);

  /**
   * The value of every counter. Values are read one by one, not at one instant. Any thread, also
   * while the channel is in use, which this does not slow down.
   */
  Map<Counter, Long> counts();

  /**
   * Closes the channel and releases everything it has. The peer's pending requests fail with
   * PEER_CLOSED, or over adapters with PEER_GONE where a message of this end was still under way
   * when the wait was over, and its state becomes FAILED; own outstanding requests fail with
   * CLOSED, and those that are begun from then on answer {@link #FAILED}, for which {@link
   * #failure} has CLOSED too: a thread that closes need not wait for those that send. Messages
   * whose send was complete are not lost. Waits for the peer's answer for at most half a second, or
   * MESH_TIMEOUT_MS where that is less. Safe to call twice and from any thread; a second call
   * returns when the channel is closed, too.
   */
  @Override
  void close();

  /**
   * As {@link #close}, for threads that must not wait, such as an event loop: the peer is notified
   * before this returns, nothing begins any more, and threads of the transport do the rest, for any
   * number of channels side by side. Until the stage is complete the buffers of outstanding
   * requests belong to the channel. Does not block, unless the system cannot start a thread: then
   * the caller does the rest. Safe to call twice and from any thread, and a later {@link #close}
   * waits for it.
   *
   * @return completes when the channel is closed, within the time that {@link #close} may take, and
   *     a few at once where a driver is slow; never fails. Its dependents run where those of {@link
   *     java.util.concurrent.CompletableFuture#runAsync(Runnable)} do, or on the caller's thread if
   *     it is complete when they are added
   */
  CompletionStage<Void> closeAsync();
}
