// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.VerbsException;

/**
 * Fetches the events of connections that are not polled, now and then while others are. Makes no
 * system call in software, unless nothing else is polled and it is time to move bytes. One thread
 * at a time: with the poller's lock, or the thread that has slept at the poller.
 */
final class EventFetch {
  /** How many polls of hot connections pass before the others' events are fetched. */
  private static final int POLLS_PER_FETCH = 8;

  /**
   * How many of those fetches pass before one moves bytes of connections that are not polled: that
   * is a system call for each device, and the hot ones move theirs.
   */
  private static final int FETCHES_PER_DRIVE = 4;

  private final CompletionEvents events;
  private final PollSchedule schedule;
  private int pollsToFetch;
  private int fetchesToDrive;

  EventFetch(CompletionEvents events, PollSchedule schedule) {
    this.events = events;
    this.schedule = schedule;
  }

  /** Fetches events at the next poll: some may have ended a sleep. */
  void expect() {
    pollsToFetch = 0;
  }

  /** Hands those that have an event to the schedule, if it is time. */
  void fetchIfDue() {
    if (!schedule.hasHot() || --pollsToFetch <= 0) {
      fetch();
    }
  }

  private void fetch() {
    pollsToFetch = POLLS_PER_FETCH;
    boolean drives = !schedule.hasHot() || --fetchesToDrive <= 0;
    fetchesToDrive = drives ? FETCHES_PER_DRIVE : fetchesToDrive;
    try {
      if (drives ? events.await(0) : events.awaitUndriven(0)) {
        raise();
        // What is busy now is busy at the next poll.
        pollsToFetch = 1;
      }
    } catch (VerbsException e) {
      throw fetchFailure(e);
    }
  }

  /**
   * As {@link #fetchIfDue}, at once, for a thread that does not poll in a loop: the devices move
   * their bytes themselves.
   *
   * @return whether any had an event
   */
  boolean fetchUndriven() {
    try {
      boolean isAny = events.awaitUndriven(0);
      if (isAny) {
        raise();
      }
      return isAny;
    } catch (VerbsException e) {
      throw fetchFailure(e);
    }
  }

  private void raise() {
    for (Object next = events.next(); next != null; next = events.next()) {
      schedule.raised((PollerMember) next);
    }
  }

  private static IllegalStateException fetchFailure(VerbsException why) {
    return new IllegalStateException("the poller cannot fetch events: " + why.getMessage(), why);
  }
}
