// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.transport.route.Candidate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Tries the candidates of one connect side by side, as RFC 8305 ("Happy Eyeballs") does: the next
 * one starts when the one before has failed, or {@value #ATTEMPT_DELAY_MS} ms after it began, a
 * pair of link-local addresses after {@value #LINK_LOCAL_DELAY_MS} ms. So one that is dead costs a
 * quarter of a second, and not its share of the deadline. One whose host has taken the connection
 * is not dead: it is given {@value #CONNECTED_DELAY_MS} ms, since a channel stays where it is made,
 * and the first handshake of a process takes longer than the later ones.
 *
 * <p>The peer must not see channels that are not used. So of all attempts only one at a time may go
 * further than the peer's answer: the one that {@link #acquire}s the permit first. The others are
 * given up; if that one fails after all, they are tried again. One that has had the permit for
 * {@value #PERMIT_MS} ms and is not up, such as one whose cable was cut meanwhile, loses it to
 * another that has the peer's answer, until it {@link #confirm}s: from then on the peer may have
 * its channel.
 *
 * <p>Decides, and does nothing itself: {@link Attempts} does. Confined to the set-up thread, except
 * {@link #acquire}, {@link #confirm} and {@link #connected}.
 */
final class CandidateRace {
  /** Connection Attempt Delay of RFC 8305, section 8: the recommended value. */
  static final int ATTEMPT_DELAY_MS = 250;

  /**
   * Before a pair of link-local addresses is tried. Most of them are not on one cable, and a cable
   * that joins them takes the connection in far less; not below the 10 ms of RFC 8305, section 8.
   */
  static final int LINK_LOCAL_DELAY_MS = 50;

  /** The same of an attempt whose host has taken the connection. */
  static final int CONNECTED_DELAY_MS = 1000;

  /**
   * For so long no other takes the permit, or for half of the time that is left: the first data
   * connection of a process takes longer than the later ones.
   */
  static final int PERMIT_MS = 1000;

  private static final long PERMIT_NS = TimeUnit.MILLISECONDS.toNanos(PERMIT_MS);

  private static final long ATTEMPT_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(ATTEMPT_DELAY_MS);

  private static final long LINK_LOCAL_DELAY_NS =
      TimeUnit.MILLISECONDS.toNanos(LINK_LOCAL_DELAY_MS);

  private static final long CONNECTED_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(CONNECTED_DELAY_MS);

  /**
   * Before the interface of the default route is tried: a channel stays where it is made, and the
   * first handshake of a process that has just begun may take longer than the usual delay.
   */
  private static final long DEFAULT_ROUTE_DELAY_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * An IPv6 address of this host cannot be used for the second or two of its duplicate detection
   * (RFC 4862, section 5.4): what fails for that is tried again, this long after it failed.
   */
  static final int OWN_ADDRESS_AGAIN_MS = 250;

  /** For so long from the beginning of the race. */
  static final int OWN_ADDRESS_LIMIT_MS = 3000;

  /** What the race has done. */
  interface Attempts {
    /**
     * Begins an attempt; {@link #failed} or {@link #won} reports its end later.
     *
     * @param untilNs when to give it up
     */
    void begin(Candidate candidate, long untilNs);

    /** Gives up an attempt that has begun; {@link #failed} still reports its end. Any thread. */
    void cancel(Candidate candidate);

    /** Calls back on the set-up thread after so many nanoseconds. Any thread. */
    void after(long delayNs, Runnable task);

    /** Every candidate has been tried in vain. */
    void exhausted();
  }

  private final boolean isSideBySide;
  private final Attempts attempts;
  private final LongSupplier clockNs;
  private final long deadlineNs;
  private final long againUntilNs;
  private final Deque<Candidate> untried;
  private final RacePermit permit = new RacePermit();

  /** Those whose host has taken the connection. */
  private final Set<Candidate> connected = ConcurrentHashMap.newKeySet();

  /** The newest attempt: only its timer starts another. */
  private long newest;

  private boolean over;
  private boolean hasDropped;

  /**
   * @param candidates the best first
   * @param isSideBySide false to begin each one only when that before it has failed
   * @param clockNs the clock of the deadline
   */
  CandidateRace(
      List<Candidate> candidates,
      boolean isSideBySide,
      long deadlineNs,
      Attempts attempts,
      LongSupplier clockNs) {
    this.isSideBySide = isSideBySide;
    // A handle may name an address twice.
    this.untried = new ArrayDeque<>(new LinkedHashSet<>(candidates));
    this.deadlineNs = deadlineNs;
    this.attempts = attempts;
    this.clockNs = clockNs;
    long limitNs = clockNs.getAsLong() + TimeUnit.MILLISECONDS.toNanos(OWN_ADDRESS_LIMIT_MS);
    this.againUntilNs = limitNs - deadlineNs > 0 ? deadlineNs : limitNs;
  }

  /** Begins the next attempt, if there is one that could go further than its peer's answer now. */
  void startNext() {
    if (over) {
      return;
    }
    long nowNs = clockNs.getAsLong();
    Optional<Candidate> next =
        untried.stream().filter(each -> permit.isFreeFor(each, nowNs)).findFirst();
    if (next.isPresent()) {
      untried.remove(next.get());
      begin(next.get(), nowNs);
    } else if (isIdle()) {
      over = true;
      attempts.exhausted();
    }
  }

  private void begin(Candidate candidate, long nowNs) {
    permit.begin(candidate);
    long leftNs = Math.max(0, deadlineNs - nowNs);
    // Each of the others is to have a share of what is left.
    long shareNs = leftNs / (untried.size() + 1);
    if (isSideBySide) {
      startAnotherAfter(Math.min(delayNs(untried.peek()), shareNs), candidate, shareNs);
    }
    attempts.begin(candidate, isSideBySide ? deadlineNs : deadlineNs - leftNs + shareNs);
  }

  private static long delayNs(Candidate next) {
    if (next == null) {
      return ATTEMPT_DELAY_NS;
    }
    if (next.nic().routes().isDefault()) {
      return DEFAULT_ROUTE_DELAY_NS;
    }
    return next.pair().isLinkLocal() ? LINK_LOCAL_DELAY_NS : ATTEMPT_DELAY_NS;
  }

  /** Starts the next attempt after a while, or later if the newest one's host is there. */
  private void startAnotherAfter(long delayNs, Candidate begun, long shareNs) {
    long mine = ++newest;
    if (untried.isEmpty()) {
      return;
    }
    attempts.after(
        delayNs,
        () -> {
          long moreNs = Math.min(CONNECTED_DELAY_NS, shareNs) - delayNs;
          if (mine != newest) {
            return;
          }
          if (moreNs > 0 && connected.contains(begun)) {
            startAnotherAfter(moreNs, begun, /* shareNs= */ 0);
          } else {
            startNext();
          }
        });
  }

  /** The host of an attempt that is under way has taken its connection. Any thread. */
  void connected(Candidate candidate) {
    connected.add(candidate);
  }

  /**
   * Asks whether an attempt may go further than the peer's answer. Any thread.
   *
   * @return false if another has the permit, or all is over: then it must fail
   */
  boolean acquire(Candidate candidate) {
    long nowNs = clockNs.getAsLong();
    long heldNs = Math.min(PERMIT_NS, Math.max(0, deadlineNs - nowNs) / 2);
    RacePermit.Outcome outcome = permit.acquire(candidate, nowNs, heldNs);
    outcome.overtaken().ifPresent(attempts::cancel);
    if (outcome.isHeld()) {
      attempts.after(heldNs, () -> goOnBehind(candidate));
    }
    return outcome.isHeld();
  }

  private void goOnBehind(Candidate candidate) {
    if (permit.isHeldBy(candidate)) {
      startNext();
    }
  }

  /**
   * Asks whether the attempt that has the permit may tell the peer that it is ready: none takes the
   * permit from it any more. Any thread.
   *
   * @return false if another has taken it, or all is over: then it must fail
   */
  boolean confirm(Candidate candidate) {
    return permit.confirm(candidate);
  }

  /** Whether an attempt failed, or is about to, for another's sake: it is to be tried again. */
  boolean hasYielded(Candidate candidate) {
    return permit.hasYielded(candidate);
  }

  /** Whether another has taken the permit from it: its peer answered, and then it was too slow. */
  boolean hasLost(Candidate candidate) {
    return permit.hasLost(candidate);
  }

  /** An attempt has come to nothing, and nothing is left of it. */
  void failed(Candidate candidate) {
    connected.remove(candidate);
    boolean isAgain = permit.failed(candidate);
    if (isAgain && permit.isOvertaken(candidate)) {
      untried.addLast(candidate);
    } else if (isAgain) {
      untried.addFirst(candidate);
    }
    startNext();
  }

  /**
   * An attempt has come to nothing since this host's own address could not be used yet: it is tried
   * again soon, the next one now.
   *
   * @return false if that would be too late: then it has to be reported as {@link #failed}
   */
  boolean tryAgainSoon(Candidate candidate) {
    long delayNs = TimeUnit.MILLISECONDS.toNanos(OWN_ADDRESS_AGAIN_MS);
    if (over || !isSideBySide || againUntilNs - clockNs.getAsLong() < delayNs) {
      return false;
    }
    // It stays among those under way, so that the race is not exhausted before.
    attempts.after(
        delayNs,
        () -> {
          permit.failed(candidate);
          untried.addFirst(candidate);
          startNext();
        });
    startNext();
    return true;
  }

  /**
   * Gives up candidates that cannot stand, begun or not, but none that is connected or goes
   * further: a host that answers there is the better evidence.
   */
  void drop(Predicate<Candidate> isVain) {
    hasDropped |= untried.removeIf(isVain);
    for (Candidate each : permit.underWay()) {
      boolean hasAnswer = connected.contains(each) || permit.isHeldBy(each);
      if (!hasAnswer && isVain.test(each)) {
        hasDropped = true;
        attempts.cancel(each);
      }
    }
    if (isIdle()) {
      startNext();
    }
  }

  /** Whether candidates were given up by {@link #drop}. */
  boolean hasDropped() {
    return hasDropped;
  }

  /** An attempt stands; the others are given up. */
  void won(Candidate candidate) {
    permit.won(candidate);
    end();
  }

  /** Begins no more attempts, and gives up those that are under way. */
  void end() {
    over = true;
    // An attempt whose peer answers just now must not go on unseen.
    permit.end();
    permit.underWay().forEach(attempts::cancel);
  }

  /** Whether it begins no more attempts. */
  boolean isOver() {
    return over;
  }

  /** Whether there is nothing left to wait for. */
  boolean isIdle() {
    return permit.underWay().isEmpty();
  }
}
