// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whom a run waits for, directly or through others: what a wait-for graph of ranks ends at. A rank
 * that has reported leads on to those that it waits for; one that has not is an end itself. A
 * value; the sets belong to it.
 *
 * @param idle have reported that they have not started the run, and wait for no rank
 * @param held have reported that they have not started it, and wait for others elsewhere
 * @param silent have reported nothing
 * @param active have started it
 */
record Stragglers(
    TreeSet<Integer> idle,
    TreeSet<Integer> held,
    TreeSet<Integer> silent,
    TreeSet<Integer> active) {
  /**
   * @param self the rank whose deadline passes
   * @param waitsFor its neighbours of whom something has not come
   * @param reports by rank, of this run or a later one; null for one without
   */
  static Stragglers of(int self, long run, Set<Integer> waitsFor, ProgressReport[] reports) {
    Stragglers found =
        new Stragglers(new TreeSet<>(), new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
    ArrayDeque<Integer> next = new ArrayDeque<>(waitsFor);
    Set<Integer> seen = new HashSet<>(waitsFor);
    seen.add(self);
    while (!next.isEmpty()) {
      int rank = next.remove();
      ProgressReport report = reports[rank];
      found.kind(run, report).add(rank);
      for (int other = 0; report != null && other < reports.length; other++) {
        if (report.waitsFor(other) && seen.add(other)) {
          next.add(other);
        }
      }
    }
    return found;
  }

  private TreeSet<Integer> kind(long run, ProgressReport report) {
    if (report == null) {
      return silent;
    }
    if (report.starts() >= run) {
      return active;
    }
    return report.waitsFor() == 0 ? idle : held;
  }

  /** The one at fault, or {@link CollectiveException#NO_RANK} for none or several. */
  int rank() {
    TreeSet<Integer> ranks = new TreeSet<>(idle);
    ranks.addAll(silent);
    return ranks.size() == 1 ? ranks.first() : CollectiveException.NO_RANK;
  }

  /** What follows "it was not complete in time". */
  String text(GroupMembership members) {
    StringBuilder text = new StringBuilder();
    if (!idle.isEmpty()) {
      text.append("; %s had not started it a moment before".formatted(members.members(idle)));
    }
    if (!silent.isEmpty()) {
      text.append(
          "; %s reported nothing, as a rank that hangs or is in no call of its group"
              .formatted(members.members(silent)));
    }
    if (text.length() == 0 && !held.isEmpty()) {
      text.append(
          "; %s had not started it a moment before, and waited for others in another run"
              .formatted(members.members(held)));
    } else if (text.length() == 0 && !active.isEmpty()) {
      text.append(
          "; all that it waited for had started it, %s: they are slow, or the cables between them"
              .formatted(members.members(active)));
    }
    return text + ".";
  }
}
