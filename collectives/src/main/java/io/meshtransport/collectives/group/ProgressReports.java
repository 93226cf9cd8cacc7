// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.Engine;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What ranks report of runs that are near their deadlines. The first whose deadline is near reports
 * how far it is, and each rank that learns of a report reports as much of itself, once for each
 * run. All pass on what is news, so that a report comes over those very ranks that wait for each
 * other. With the rank's lock.
 */
final class ProgressReports {
  /**
   * A rank is some runs ahead of another at most, as far as its slots in the other's memory go. A
   * report of a run that is further would keep this rank from reporting those before it.
   */
  private static final long MAX_RUNS_AHEAD = 1 << 10;

  private final LocalRank member;
  private final int self;
  private final int size;

  /** By operation, then by rank: its last report; null if there is none. */
  private final Map<Integer, ProgressReport[]> reports = new HashMap<>();

  ProgressReports(LocalRank member) {
    this.member = member;
    self = member.membership().rank();
    size = member.membership().size();
  }

  /** Reports how far this rank is with the last run that it has started. */
  void report(int operation) {
    report(operation, member.engine().starts(operation));
  }

  private void report(int operation, long run) {
    ProgressReport own = own(operation, run);
    if (add(self, own)) {
      member.flood(new RankMessage(RankMessage.Kind.PROGRESS, self, 0, own.encode()), -1);
    }
  }

  private ProgressReport own(int operation, long run) {
    Engine engine = member.engine();
    long starts = engine.starts(operation);
    TreeSet<Integer> missing =
        starts == run
            ? engine.missing(operation)
            : starts < run ? engine.missing() : new TreeSet<>();
    long waitsFor = missing.stream().mapToLong(rank -> 1L << rank).reduce(0, (a, b) -> a | b);
    return new ProgressReport(operation, run, starts, waitsFor);
  }

  /** A report of another rank: what is none, or of no run that is possible here, is ignored. */
  void handle(int from, RankMessage message) {
    ProgressReport.decode(message.body(), size)
        .filter(report -> message.origin() != self && isPossible(report))
        .filter(report -> add(message.origin(), report))
        .ifPresent(
            report -> {
              member.flood(message, from);
              report(report.operation(), report.run());
            });
  }

  private boolean isPossible(ProgressReport report) {
    Engine engine = member.engine();
    int operation = report.operation();
    return engine.has(operation) && report.run() - engine.starts(operation) <= MAX_RUNS_AHEAD;
  }

  /** Whether it is news. */
  private boolean add(int origin, ProgressReport report) {
    ProgressReport[] all =
        reports.computeIfAbsent(report.operation(), key -> new ProgressReport[size]);
    boolean isNews = all[origin] == null || all[origin].run() < report.run();
    if (isNews) {
      all[origin] = report;
    }
    return isNews;
  }

  /** Whom the last run of an operation waits for; empty if this rank has not reported it yet. */
  Optional<Stragglers> stragglers(int operation) {
    long run = member.engine().starts(operation);
    ProgressReport[] all = reports.get(operation);
    return all == null || all[self] == null || all[self].run() < run
        ? Optional.empty()
        : Optional.of(Stragglers.of(self, run, member.engine().missing(operation), all));
  }

  /** The operation is no more. */
  void remove(int operation) {
    reports.remove(operation);
  }
}
