// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import io.meshtransport.verbs.CompletionEvents;
import java.util.ArrayList;
import java.util.List;

/**
 * The connections of a poller, and what one poll does to them: polls those that have something, as
 * {@link PollSchedule} says, and visits all when a sweep is due. Confined to the poller's lock,
 * except what says otherwise.
 */
final class PollCycle {
  /** The clock is read at each empty poll, and at one of so many others. */
  private static final int BUSY_POLLS_PER_CLOCK = 16;

  /** Of the progress thread in one scan, for the program's polls wait meanwhile. */
  private static final int MAX_FETCHES = 16;

  private final CompletionEvents events;
  private final long silenceNs;

  /** When all are visited: a deadline passes, or a silent peer must be probed. */
  private final SweepTimer sweeps = new SweepTimer(System.nanoTime());

  /** When a report is requested of each that has unsignaled sends under way. */
  private final SweepTimer reportRequests = new SweepTimer(System.nanoTime());

  private final List<PollerMember> members = new ArrayList<>();
  private final PollSchedule schedule = new PollSchedule();
  private final EventFetch fetch;
  private int busyPolls;

  /** Whether one that is armed may raise no event any more. */
  private volatile boolean isAnyUnheard;

  /**
   * @param events of the members that are not polled directly
   * @param silenceNs after which a silent peer is probed
   */
  PollCycle(CompletionEvents events, long silenceNs) {
    this.events = events;
    this.silenceNs = silenceNs;
    this.fetch = new EventFetch(events, schedule);
  }

  /** Adds one, which is polled next. */
  void add(PollerMember member) {
    members.add(member);
    schedule.add(member);
    sweeps.lower(System.nanoTime() + silenceNs);
  }

  void remove(PollerMember member) {
    members.remove(member);
    schedule.remove(member);
  }

  boolean isEmpty() {
    return members.isEmpty();
  }

  /** All of them, for one that removes some meanwhile. */
  List<PollerMember> members() {
    return List.copyOf(members);
  }

  /**
   * Polls what is hot, then what is ready.
   *
   * @param atMost connections that are ready, the longest ready first
   */
  void poll(int atMost) {
    raiseUnheard();
    long before = schedule.activity();
    schedule.pollHot();
    fetch.fetchIfDue();
    schedule.pollReady(atMost);
    boolean isIdle = schedule.activity() == before;
    if (isIdle) {
      // Sends of connections that are armed, and so not polled themselves, may have been put off.
      events.flush();
    }
    if (isIdle || ++busyPolls >= BUSY_POLLS_PER_CLOCK) {
      busyPolls = 0;
      sweepIfDue();
    }
  }

  /** One raises no event from now on, since it has gone to another rail. Any thread. */
  void unheard() {
    isAnyUnheard = true;
  }

  private void raiseUnheard() {
    if (!isAnyUnheard) {
      return;
    }
    isAnyUnheard = false;
    for (int i = 0; i < members.size(); i++) {
      if (!members.get(i).isHeard()) {
        schedule.raised(members.get(i));
      }
    }
  }

  /** A deadline passes then. Any thread; whether nothing was due by then. */
  boolean lower(long deadlineNs) {
    return sweeps.lower(deadlineNs);
  }

  /** A member has unsignaled sends under way. Any thread; whether no request was due by then. */
  boolean requestReportsSoon() {
    return reportRequests.lowerToSoon();
  }

  /** Whether something is due, now or later. Any thread. */
  boolean isAnyDue() {
    return sweeps.isSet() || reportRequests.isSet();
  }

  /** As {@link SweepTimer#untilDueNs}, of what is due first. Any thread. */
  long untilDueNs(long nowNs) {
    return Math.min(sweeps.untilDueNs(nowNs), reportRequests.untilDueNs(nowNs));
  }

  private void sweepIfDue() {
    long nowNs = System.nanoTime();
    if (reportRequests.beginIfDue(nowNs)) {
      for (int i = 0; i < members.size(); i++) {
        members.get(i).requestReport();
      }
    }
    if (sweeps.beginIfDue(nowNs)) {
      sweep(nowNs);
    }
  }

  private void sweep(long nowNs) {
    long untilNs = silenceNs;
    // By index: an iterator would be garbage.
    for (int i = 0; i < members.size(); i++) {
      untilNs = members.get(i).checkClock(nowNs, untilNs);
    }
    if (!members.isEmpty()) {
      sweeps.lower(nowNs + untilNs);
    }
  }

  /** As {@link PollSchedule#armAll}. */
  long armAll() {
    raiseUnheard();
    return schedule.armAll();
  }

  /**
   * A sleep has ended: the next poll fetches events. Without the lock, by the thread that has
   * slept.
   */
  void expectEvents() {
    fetch.expect();
  }

  /** For the progress thread: polls all once, for what they have put off. */
  void pollAllUnpolled() {
    for (int i = 0; i < members.size(); i++) {
      members.get(i).progressUnpolled();
    }
  }

  /**
   * For the progress thread: polls what has events until nothing has, or peers that go on and on
   * have had their share. What cannot be armed is polled at each scan.
   *
   * @return whether there was any
   */
  boolean pollRaised() {
    long pauseNs = armAll();
    boolean wasAny = pauseNs != Watched.NEVER;
    for (int i = 0; i < MAX_FETCHES && (fetch.fetchUndriven() || pauseNs == 0); i++) {
      wasAny = true;
      pauseNs = schedule.armAll();
    }
    sweepIfDue();
    events.flush();
    return wasAny;
  }
}
