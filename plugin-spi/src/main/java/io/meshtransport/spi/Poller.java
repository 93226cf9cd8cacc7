// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.time.WaitTimes;
import java.time.Duration;

/**
 * One place where a thread learns what happened on any number of connections (a completion queue,
 * as verbs, UCX workers and libfabric have it). The cost of a poll grows with what is ready, not
 * with the number of connections.
 *
 * <p>Threads: {@link #poll}, {@link #await} and {@link #arm} are one thread at a time; any thread
 * may call the other methods. Connections go on while no thread polls, unless
 * MESH_PROGRESS_THREAD=0; what has ended waits for the next poll.
 *
 * <p>A send's end is reported once the peer's device has acknowledged it or a later one. In all
 * {@link SendMode}s but {@link SendMode#LATENCY} most sends request no acknowledgement. If no later
 * send of the connection does, a thread that waits here requests one within some 5 ms, and so does
 * the first poll after that time. Where none polls the transport's thread does: within 32 ms where
 * an event loop sleeps on {@link #fd}, else within a quarter of a second. At a poller those modes
 * are for programs with buffers for more than sixteen sends.
 *
 * <p>Created by {@link Transport#newPoller} and closed by its creator. Once its transport is closed
 * it reports what is left to report, then is closed as well. On a closed one {@link #add}, {@link
 * #poll}, {@link #await}, {@link #arm} and {@link #fd} throw IllegalStateException, which ends a
 * wait in progress too.
 */
public interface Poller extends AutoCloseable {
  /**
   * From now on the ends of the connection's requests come from here, until {@link
   * CompletionKind#CLOSED} was reported of it, or this poller is closed.
   *
   * <p>Of a connection that has failed by now, or that this end has closed, CLOSED with {@link
   * Connection#failure()} is all that is reported: another thread may have closed it a moment ago,
   * and no caller can rule that out.
   *
   * @throws IllegalStateException if the connection is at a poller already, or has requests that
   *     have not been tested; or if this poller is closed
   * @throws IllegalArgumentException if the connection belongs to another transport
   */
  void add(Connection connection);

  /**
   * Makes whatever progress is possible, then reports what has ended, oldest first for each
   * connection. Each end is reported once: its buffers are the caller's again, and its request's
   * number is no longer valid. Never blocks, allocates nothing.
   *
   * @param into filled from entry 0 on; what it had before is removed
   * @return how many entries there are
   */
  int poll(Completions into);

  /**
   * As {@link #poll}, waiting until there is something to report: polls for at most MESH_SPIN_US,
   * then sleeps.
   *
   * @param timeout max wait; 0 or less polls once
   * @return how many entries there are; 0 if the time passed, after {@link #wakeup}, or if the
   *     thread was interrupted (its interrupt status stays set)
   */
  default int await(Completions into, Duration timeout) {
    return await(into, WaitTimes.nanos(timeout));
  }

  /**
   * As {@link #await(Completions, Duration)}, for callers that must not allocate a Duration.
   *
   * @param timeoutNs max wait in nanoseconds; 0 or less polls once
   */
  int await(Completions into, long timeoutNs);

  /**
   * Ends the wait that is in progress, or else the next one, which then reports what there is. A
   * wait of 0 is a poll, and leaves a wake-up to the next wait.
   */
  void wakeup();

  /**
   * A file descriptor for the event loop of others (epoll, poll): readable when a poll would report
   * something, once {@link #arm} has answered true, and now and then when a poll finds nothing. It
   * belongs to this poller: never read, write or close it.
   *
   * @throws UnsupportedOperationException where there is none: only Linux has one
   */
  int fd();

  /**
   * Prepares to sleep on {@link #fd}: from now on it becomes readable when there is something to
   * report. Poll once it is, and arm again before the next sleep.
   *
   * <p>With MESH_PROGRESS_THREAD=0 it does not become readable for a deadline that passes, for a
   * peer that has gone silently, nor for the ends of sends that request no acknowledgement: then
   * sleep for a few milliseconds at most.
   *
   * @return false if there may be something to report already, and once after {@link #wakeup}: poll
   *     instead of sleeping. Also for as long as a connection goes over a relay on a node with RDMA
   *     devices, which reports no events of it: then sleep for a millisecond or so between polls
   */
  boolean arm();

  /**
   * Closes it. Its connections go on, at no poller ({@link Connection#isPolled}), and are the
   * caller's to close: the ends of their requests, also of those begun before, come from {@link
   * Connection#test} and {@link Connection#await}. Another poller accepts such a connection once it
   * has no requests that have not been tested. A thread that is in {@link #await} gets
   * IllegalStateException. Safe to call twice and from any thread.
   */
  @Override
  void close();
}
