// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.transport.route.Candidate;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which attempts of a {@link CandidateRace} are under way, and which one of them may go further
 * than its peer's answer: it has the permit. Until it has confirmed it another may take the permit
 * over, after a while. Any thread; waits for nothing and calls nothing, so that it may be called
 * with a lock of a device held.
 */
final class RacePermit {
  /** Of an attempt that has begun and not ended. */
  private enum Attempt {
    /** It may acquire the permit, or has it. */
    RUNNING,
    /** It must fail, as another has the permit. */
    YIELDED,
    /** It had the permit, and must fail, as another has taken it. */
    OVERTAKEN
  }

  /** In the order of their beginnings. */
  private final Map<Candidate, Attempt> underWay = new LinkedHashMap<>();

  /**
   * Those that another has taken the permit from: they take it from none, so that all this ends.
   */
  private final Set<Candidate> overtaken = new HashSet<>();

  /** Has the permit; null if none does. One of those under way, or the one that has won. */
  private Candidate holder;

  /** Until when no other may take it. */
  private long untilNs;

  /** Whether no other may take it at all. */
  private boolean isConfirmed;

  private boolean hasEnded;

  /**
   * What came of {@link #acquire}.
   *
   * @param isHeld whether the candidate has the permit now
   * @param overtaken the one that had it before and must fail now
   */
  record Outcome(boolean isHeld, Optional<Candidate> overtaken) {
    private static final Outcome REFUSED = new Outcome(false, Optional.empty());
  }

  /** An attempt begins. */
  synchronized void begin(Candidate candidate) {
    underWay.put(candidate, Attempt.RUNNING);
  }

  /** Whether a candidate could acquire the permit now, once it has its peer's answer. */
  synchronized boolean isFreeFor(Candidate candidate, long nowNs) {
    boolean isOverdue = !isConfirmed && untilNs - nowNs <= 0;
    return !hasEnded && (holder == null || isOverdue && !overtaken.contains(candidate));
  }

  /**
   * Gives an attempt the permit if it is free for it. One that does not get it has yielded, unless
   * it is under way no more: such a one must not keep the permit from the others.
   *
   * @param heldNs for so long no other may take it
   */
  synchronized Outcome acquire(Candidate candidate, long nowNs, long heldNs) {
    if (!underWay.containsKey(candidate)) {
      return Outcome.REFUSED;
    }
    if (!isFreeFor(candidate, nowNs)) {
      underWay.put(candidate, Attempt.YIELDED);
      return Outcome.REFUSED;
    }
    Optional<Candidate> before = Optional.ofNullable(holder);
    before.ifPresent(overtaken::add);
    before.ifPresent(each -> underWay.put(each, Attempt.OVERTAKEN));
    holder = candidate;
    untilNs = nowNs + heldNs;
    return new Outcome(true, before);
  }

  /**
   * From now on none takes the permit from the attempt that has it.
   *
   * @return false if it does not have it
   */
  synchronized boolean confirm(Candidate candidate) {
    boolean isHeld = isHeldBy(candidate);
    isConfirmed |= isHeld;
    return isHeld;
  }

  synchronized boolean isHeldBy(Candidate candidate) {
    return candidate.equals(holder);
  }

  /** Whether an attempt that is under way must fail for the sake of another. */
  synchronized boolean hasYielded(Candidate candidate) {
    return underWay.getOrDefault(candidate, Attempt.RUNNING) != Attempt.RUNNING;
  }

  /** Whether another has ever taken the permit from a candidate. */
  synchronized boolean isOvertaken(Candidate candidate) {
    return overtaken.contains(candidate);
  }

  /** Whether another has taken the permit from an attempt that is under way. */
  synchronized boolean hasLost(Candidate candidate) {
    return underWay.get(candidate) == Attempt.OVERTAKEN;
  }

  /** Those that have begun and not ended, in that order. */
  synchronized List<Candidate> underWay() {
    return List.copyOf(underWay.keySet());
  }

  /**
   * An attempt has come to nothing.
   *
   * @return whether it has yielded: then it is to be tried again
   */
  synchronized boolean failed(Candidate candidate) {
    boolean isAgain = hasYielded(candidate);
    underWay.remove(candidate);
    if (isHeldBy(candidate)) {
      holder = null;
      isConfirmed = false;
    }
    return isAgain;
  }

  /** This attempt has won the race, and keeps the permit. */
  synchronized void won(Candidate candidate) {
    underWay.remove(candidate);
  }

  /** None gets the permit any more, and one that has not confirmed it loses it. */
  synchronized void end() {
    hasEnded = true;
    holder = isConfirmed ? holder : null;
  }
}
