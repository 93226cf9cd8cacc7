// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.transport.route.Candidate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
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
 * further than the peer's answer: the one that {@link #claim}s first. The others are given up; if
 * that one fails after all, they are tried again.
 *
 * <p>Decides, and does nothing itself: {@link Attempts} does. Confined to the set-up thread, except
 * {@link #claim} and {@link #connected}.
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

    /** Gives up an attempt that has begun; {@link #failed} still reports its end. */
    void cancel(Candidate candidate);

    /** Calls back on the set-up thread after so many nanoseconds. */
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
  private final Set<Candidate> underWay = ConcurrentHashMap.newKeySet();

  /** Those that another one's claim has stopped, and that count as untried if that one fails. */
  private final Set<Candidate> yielded = ConcurrentHashMap.newKeySet();

  /** Those whose host has taken the connection. */
  private final Set<Candidate> connected = ConcurrentHashMap.newKeySet();

  /** In the place of a claim when the race has ended: there is none to be had any more. */
  private static final Object ENDED = new Object();

  /** The candidate that goes further, null, or {@link #ENDED}. */
  private final AtomicReference<Object> claimed = new AtomicReference<>();

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

  /** Begins the next attempt, if there is one and none has the claim. */
  void startNext() {
    if (over || claimed.get() != null) {
      return;
    }
    Candidate candidate = untried.poll();
    if (candidate == null) {
      if (underWay.isEmpty()) {
        over = true;
        attempts.exhausted();
      }
      return;
    }
    underWay.add(candidate);
    long leftNs = Math.max(0, deadlineNs - clockNs.getAsLong());
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
   * @return false if another has the claim, or all is over: then it must fail
   */
  boolean claim(Candidate candidate) {
    if (claimed.compareAndSet(null, candidate)) {
      return true;
    }
    yielded.add(candidate);
    return false;
  }

  /** Whether an attempt failed, or is about to, for another's sake: it is to be tried again. */
  boolean hasYielded(Candidate candidate) {
    return yielded.contains(candidate);
  }

  /** An attempt has come to nothing, and nothing is left of it. */
  void failed(Candidate candidate) {
    underWay.remove(candidate);
    connected.remove(candidate);
    if (yielded.remove(candidate)) {
      untried.addFirst(candidate);
    }
    claimed.compareAndSet(candidate, over ? ENDED : null);
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
          underWay.remove(candidate);
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
    for (Candidate each : List.copyOf(underWay)) {
      boolean hasAnswer = connected.contains(each) || each.equals(claimed.get());
      if (!hasAnswer && isVain.test(each)) {
        hasDropped = true;
        attempts.cancel(each);
      }
    }
    if (underWay.isEmpty()) {
      startNext();
    }
  }

  /** Whether candidates were given up by {@link #drop}. */
  boolean hasDropped() {
    return hasDropped;
  }

  /** An attempt stands; the others are given up. */
  void won(Candidate candidate) {
    underWay.remove(candidate);
    end();
  }

  /** Begins no more attempts, and gives up those that are under way. */
  void end() {
    over = true;
    // An attempt whose peer answers just now must not go on unseen.
    claimed.compareAndSet(null, ENDED);
    underWay.forEach(attempts::cancel);
  }

  /** Whether it begins no more attempts. */
  boolean isOver() {
    return over;
  }

  /** Whether there is nothing left to wait for. */
  boolean isIdle() {
    return underWay.isEmpty();
  }
}
