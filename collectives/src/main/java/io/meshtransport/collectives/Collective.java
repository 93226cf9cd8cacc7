// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import io.meshtransport.time.WaitTimes;
import java.time.Duration;

/**
 * A prepared operation of a {@link Group}: its memory, its plan and its peers' keys are fixed, and
 * it can be run any number of times. Every rank of the group prepares it, in the same order among
 * its operations, and every rank starts it as often.
 *
 * <p>From {@link #start} until it is complete, its memory belongs to it: what is sent must not
 * change, and what is received has no defined content. Several operations of a group may be
 * outstanding at once, if their memory does not overlap.
 *
 * <p>Any thread may call it, one at a time for each operation. Starting, testing and awaiting
 * allocate nothing. A rank makes progress while one of its threads is in a call of its group; a
 * rank that passes on what others send does so too, so start, then await without long pauses.
 *
 * <p>Every method that throws a {@link CollectiveException} throws that of the group once it has
 * failed.
 */
public interface Collective extends AutoCloseable {
  /** No deadline but that of the verdicts on nodes and connections that are gone. */
  long NO_DEADLINE = Long.MAX_VALUE;

  /**
   * Starts it. Never blocks.
   *
   * @param timeoutNs nanoseconds until it must be complete, or {@link #NO_DEADLINE}; past it, the
   *     group fails on every rank, with TIMED_OUT and the ranks that may be at fault. Checked by
   *     the threads that test and await; with 0 or less by the next of them
   * @throws IllegalStateException if it is running, or closed
   */
  void start(long timeoutNs) throws CollectiveException;

  /**
   * Makes whatever progress is possible. Never blocks.
   *
   * @return whether it is complete: results are in memory, and the memory is the caller's again
   */
  boolean test() throws CollectiveException;

  /**
   * Waits until it is complete: polls for a while, then sleeps.
   *
   * @param timeoutNs max wait in nanoseconds; 0 or less tests once
   * @return whether it is complete; false if the time passed, and then it goes on
   * @throws CollectiveException INTERRUPTED if the thread was interrupted (its interrupt status
   *     stays set), and then it goes on; else why the group has failed
   */
  boolean await(long timeoutNs) throws CollectiveException;

  /** As {@link #await(long)}. */
  default boolean await(Duration timeout) throws CollectiveException {
    return await(WaitTimes.nanos(timeout));
  }

  /**
   * Starts it and waits until it is complete.
   *
   * @param timeout its deadline, as for {@link #start}
   */
  default void run(Duration timeout) throws CollectiveException {
    long timeoutNs = WaitTimes.nanos(timeout);
    start(timeoutNs);
    while (!await(timeoutNs)) {
      // Its deadline passes about now, and the next await throws for it.
      Thread.onSpinWait();
    }
  }

  /** Explains how it runs: the trees and their shares, the chunks, the bound, the expected time. */
  String plan();

  /**
   * Frees what it has. One that is running fails the group on every rank, as {@link Group#abort}
   * does. Safe to call twice. Its memory stays the caller's to close.
   */
  @Override
  void close();
}
