// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.GroupSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
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
  private final JoinLog log;
  private List<String> mismatches = List.of();
  private long mismatchAtNs;

  /**
   * @param news notes who comes, and what is found meanwhile
   * @param log of this join
   */
  MemberArrival(GroupSpec spec, Roster roster, MemberNews news, JoinLog log) {
    this.spec = spec;
    this.roster = roster;
    this.news = news;
    this.log = log;
  }

  /** Of a group, before its members are known. */
  static String describe(GroupSpec spec) {
    return "group '%s' of %d members%s"
        .formatted(spec.name(), spec.size(), spec.members().isEmpty() ? "" : " " + spec.members());
  }

  /**
   * The names in the order of ranks.
   *
   * @throws CollectiveException MISMATCH if some expect another number of members, or more have
   *     come; CONFIGURATION if two have one name; TIMED_OUT, INTERRUPTED
   */
  List<String> await(Deadline deadline) throws CollectiveException {
    while (true) {
      List<String> all = roster.present();
      List<String> present = inOrder(all);
      news.note(present);
      log.present(present);
      List<String> members = spec.members().isEmpty() ? present : spec.members();
      requireOnce(all, members);
      compare(present);
      if (mismatches.isEmpty() && areAllThere(present) && !news.isDoubled(members)) {
        return spec.members().isEmpty() ? chosen(present) : spec.members();
      }
      boolean isInterrupted = Thread.currentThread().isInterrupted();
      if (isInterrupted || deadline.leftNs() <= 0) {
        throw ended(present, isInterrupted);
      }
      log.waits(news::hasCause, () -> waiting(present));
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
          Reason.MISMATCH, "group '%s': %s.".formatted(spec.name(), mismatch()), null);
    }
  }

  private CollectiveException ended(List<String> present, boolean isInterrupted) {
    return GroupJoin.failure(
        isInterrupted ? Reason.INTERRUPTED : Reason.TIMED_OUT,
        describe(spec)
            + ": "
            + text(
                present,
                "%s%s came%s."
                    .formatted(
                        areAllThere(present) ? "" : "only ",
                        inOrder(news.came()),
                        isInterrupted ? ", and the thread was interrupted" : " in time"),
                !isInterrupted),
        null);
  }

  private String waiting(List<String> present) {
    if (areAllThere(present)) {
      return text(present, "all are there: %s.".formatted(present), true);
    }
    List<String> missing = new ArrayList<>(spec.members());
    missing.removeAll(present);
    return text(
        present,
        "waits for %s; %s there."
            .formatted(
                spec.members().isEmpty() ? spec.size() - present.size() + " more" : missing,
                present.size() == 1 ? "only " + present.get(0) + " is" : present + " are"),
        true);
  }

  /**
   * The cause, what is so, what else is known, and what to do.
   *
   * @param what a sentence
   */
  private String text(List<String> present, String what, boolean hasAdvice) {
    if (areAllThere(present)) {
      return news.of(List.of()).with(wrong()).around(what);
    }
    List<String> absent = absent(present);
    return news.of(absent).around(what) + (hasAdvice ? news.advice(absent, areNamed()) : "");
  }

  /** Why the join goes on though all are there; a sentence with a blank before it. */
  private String wrong() {
    return mismatches.isEmpty()
        ? " Several nodes have one name, and a verdict on one of them may come yet."
        : " %s.".formatted(mismatch());
  }

  private String mismatch() {
    return "%s joins a group of %d members, and of the others %s. Give all the same"
        .formatted(roster.self(), spec.size(), String.join(", ", mismatches));
  }

  /** Of those that are not there: the members, or where some may be of any name, any node. */
  private List<String> absent(List<String> present) {
    List<String> absent = new ArrayList<>(areNamed() ? spec.members() : roster.nodes());
    absent.addAll(news.came());
    absent.removeAll(present);
    return inOrder(absent);
  }

  /** Whether all members are known by name: they were given, or have come at some time. */
  private boolean areNamed() {
    return !spec.members().isEmpty() || news.came().size() >= spec.size();
  }

  /** Each once, in the order of ranks; those that are no members come last. */
  private List<String> inOrder(Collection<String> names) {
    return names.stream()
        .distinct()
        .sorted(Comparator.comparingInt(this::place).thenComparing(Comparator.naturalOrder()))
        .toList();
  }

  private int place(String name) {
    int index = spec.members().indexOf(name);
    return index < 0 ? spec.size() : index;
  }

  private void requireOnce(List<String> all, List<String> members) throws CollectiveException {
    Optional<String> clash = news.clash(members);
    if (roster.mesh().isEmpty()) {
      clash =
          members.stream()
              .filter(each -> Collections.frequency(all, each) > 1)
              .map(each -> MemberNews.doubled(each, Collections.frequency(all, each)))
              .findFirst();
    }
    if (clash.isPresent()) {
      throw GroupJoin.failure(
          Reason.CONFIGURATION, "group '" + spec.name() + "': " + clash.get(), null);
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
    return present;
  }
}
