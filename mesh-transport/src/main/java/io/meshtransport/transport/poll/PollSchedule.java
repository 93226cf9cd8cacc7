// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

/**
 * Which connections of a poller are polled next. One whose completion queue was empty after it was
 * armed is polled no more until the queue raises an event. The few that completed something lately
 * are HOT instead: they are polled directly, so that a thread that spins over them waits for no
 * event. One whose device is of another provider than the poller's raises no event here: it stays
 * READY, and a sleep is a pause; one that goes on over such a device becomes READY without an
 * event.
 *
 * <pre>
 *           event              completions, few are busy
 *  ARMED ----------> READY --------------------------------> HOT
 *    ^                 |   others                             |
 *    +-----------------+                                      | empty while others are busy;
 *    +--------------------------------------------------------+ before a sleep
 * </pre>
 *
 * <p>Confined to the poller's lock.
 */
final class PollSchedule {
  /** Polled directly: what costs about as much as one system call. */
  private static final int MAX_HOT = 8;

  /** A hot connection that completed nothing in so many polls makes space for others. */
  private static final int MAX_EMPTY_POLLS = 64;

  private final PollerMember[] hot = new PollerMember[MAX_HOT];
  private int hotCount;
  private final ReadyQueue ready = new ReadyQueue();

  /** Polls of connections that found something. */
  private long activity;

  /** Grows with each poll of a connection that found something, or may have. */
  long activity() {
    return activity;
  }

  boolean hasHot() {
    return hotCount > 0;
  }

  /** A connection that is new here is polled next. */
  void add(PollerMember member) {
    ready.add(member);
  }

  /** A connection's completion queue has raised an event, or will raise none any more. */
  void raised(PollerMember member) {
    if (member.state == PollerMember.State.ARMED) {
      ready.add(member);
    }
  }

  void remove(PollerMember member) {
    ready.remove(member);
    for (int i = 0; i < hotCount; i++) {
      if (hot[i] == member) {
        hot[i] = hot[--hotCount];
        hot[hotCount] = null;
      }
    }
  }

  /** Polls each that is HOT, and arms those that are so no more. */
  void pollHot() {
    int kept = 0;
    int count = hotCount;
    for (int i = 0; i < count; i++) {
      PollerMember member = hot[i];
      int found = member.poll();
      noteFound(member, found);
      boolean isKept =
          member.isLive()
              && (member.emptyPolls < MAX_EMPTY_POLLS
                  || activity - member.lastActivity < MAX_EMPTY_POLLS);
      if (isKept) {
        hot[kept++] = member;
      } else {
        arm(member);
      }
    }
    clearHotFrom(kept);
  }

  private void clearHotFrom(int kept) {
    for (int i = kept; i < hotCount; i++) {
      hot[i] = null;
    }
    hotCount = kept;
  }

  private void noteFound(PollerMember member, int found) {
    if (found > 0) {
      member.emptyPolls = 0;
      member.lastActivity = ++activity;
    } else {
      member.emptyPolls++;
    }
  }

  /**
   * Polls what is READY, the longest ready first.
   *
   * @param atMost connections
   */
  void pollReady(int atMost) {
    boolean areFew = ready.size() <= MAX_HOT;
    for (int left = Math.min(atMost, ready.size()); left > 0; left--) {
      poll(ready.remove(), areFew);
    }
  }

  private void poll(PollerMember member, boolean mayBecomeHot) {
    if (mayBecomeHot && hotCount < MAX_HOT && member.isLive()) {
      member.state = PollerMember.State.HOT;
      member.emptyPolls = 0;
      hot[hotCount++] = member;
      noteFound(member, member.poll());
    } else {
      activity++;
      arm(member);
    }
  }

  /** As {@link PollerMember#arm}; what no event reports stays READY. */
  private long arm(PollerMember member) {
    member.state = PollerMember.State.ARMED;
    long pauseNs = member.arm();
    if (pauseNs != Watched.NEVER) {
      ready.add(member);
    }
    return pauseNs;
  }

  /**
   * Arms all, before a sleep.
   *
   * @return nanoseconds until something is to be polled again if no event comes before: {@link
   *     Watched#NEVER} where all have events, 0 if there may be more now
   */
  long armAll() {
    for (int i = 0; i < hotCount; i++) {
      ready.add(hot[i]);
    }
    clearHotFrom(0);
    long pauseNs = Watched.NEVER;
    for (int left = ready.size(); left > 0; left--) {
      pauseNs = Math.min(pauseNs, arm(ready.remove()));
    }
    return pauseNs;
  }
}
