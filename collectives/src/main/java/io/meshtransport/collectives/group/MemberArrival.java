// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.GroupSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/** Waits until the members of a group have come. Used once, by one thread. */
final class MemberArrival {
  private static final long PAUSE_NS = 5_000_000;

  /**
   * From when another number of members was read until that is a failure: all others have read it
   * by then, and what an earlier group has left behind is replaced.
   */
  private static final long MISMATCH_NS = 1_000_000_000;

  private final GroupSpec spec;
  private final Roster roster;
  private final MemberNews news;
  private List<String> mismatches = List.of();
  private long mismatchAtNs;

  /**
   * @param news notes who comes, and what is found meanwhile
   */
  MemberArrival(GroupSpec spec, Roster roster, MemberNews news) {
    this.spec = spec;
    this.roster = roster;
    this.news = news;
  }

  /**
   * The names in the order of ranks.
   *
   * @throws CollectiveException MISMATCH if some expect another number of members, or more have
   *     come; UNREACHABLE if two have one name; TIMED_OUT, INTERRUPTED
   */
  List<String> await(Deadline deadline) throws CollectiveException {
    while (true) {
      List<String> present = roster.present();
      news.note(present);
      requireOnce(present);
      compare(present);
      if (mismatches.isEmpty() && areAllThere(present)) {
        return spec.members().isEmpty() ? chosen(present) : spec.members();
      }
      boolean isInterrupted = Thread.currentThread().isInterrupted();
      if (isInterrupted || deadline.leftNs() <= 0) {
        throw ended(present, isInterrupted);
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  private boolean areAllThere(List<String> present) {
    return spec.members().isEmpty()
        ? present.size() >= spec.size()
        : new HashSet<>(present).containsAll(spec.members());
  }

  /** One that gives up for that, and leaves, counts still. */
  private void compare(List<String> present) throws CollectiveException {
    List<String> others = spec.members().isEmpty() ? present : spec.members();
    List<String> now = roster.mismatches(others);
    if (now.isEmpty() && (mismatches.isEmpty() || areAllThere(present))) {
      mismatches = List.of();
      return;
    }
    if (mismatches.isEmpty()) {
      mismatchAtNs = System.nanoTime();
    }
    mismatches = now.isEmpty() ? mismatches : now;
    if (System.nanoTime() - mismatchAtNs > MISMATCH_NS) {
      throw GroupJoin.failure(
          Reason.MISMATCH,
          "group '%s': %s joins a group of %d members, and of the others %s. Give all the same."
              .formatted(spec.name(), roster.self(), spec.size(), String.join(", ", mismatches)),
          null);
    }
  }

  private CollectiveException ended(List<String> present, boolean isInterrupted) {
    return GroupJoin.failure(
        isInterrupted ? Reason.INTERRUPTED : Reason.TIMED_OUT,
        "group '%s' of %d members%s: only %s came%s%s%s%s"
            .formatted(
                spec.name(),
                spec.size(),
                spec.members().isEmpty() ? "" : " " + spec.members(),
                news.came(),
                isInterrupted ? ", and the thread was interrupted." : " in time.",
                departed(present),
                isInterrupted ? "" : " Have the others join too, or allow more time.",
                news(present)),
        null);
  }

  /** One that has waited for less long has given up first. */
  private String departed(List<String> present) {
    Set<String> departed = new TreeSet<>(news.came());
    present.forEach(departed::remove);
    return departed.isEmpty() ? "" : " Of these, %s has left since.".formatted(departed);
  }

  /** Of those that have not come: the members, or where they are not named, any node. */
  private String news(List<String> present) {
    Set<String> absent = new TreeSet<>(spec.members().isEmpty() ? roster.nodes() : spec.members());
    present.forEach(absent::remove);
    return news.of(absent);
  }

  private void requireOnce(List<String> present) throws CollectiveException {
    if (new HashSet<>(present).size() != present.size()) {
      throw GroupJoin.failure(
          Reason.UNREACHABLE, "group '" + spec.name() + "': " + news.doubled(present), null);
    }
  }

  private List<String> chosen(List<String> present) throws CollectiveException {
    if (present.size() > spec.size()) {
      throw GroupJoin.failure(
          Reason.MISMATCH,
          "group '"
              + spec.name()
              + "' has "
              + spec.size()
              + " members, and these have come: "
              + present
              + ". Name the members, or give the group a name of its own.",
          null);
    }
    return present.stream().sorted().toList();
  }
}
