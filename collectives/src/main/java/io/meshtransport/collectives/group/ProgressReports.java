// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.Engine;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What ranks report of runs that are near their deadlines, in rounds. The first whose deadline is
 * near begins a round by a report of how far it is; each rank that learns of a report reports as
 * much of itself, once in each round of a run. All pass on what is news, so that a report comes
 * over those very ranks that wait for each other. With the rank's lock.
 */
final class ProgressReports {
  /**
   * A rank is some runs ahead of another at most, as far as its slots in the other's memory go. A
   * report of a run that is further would keep this rank from reporting those before it.
   */
  private static final long MAX_RUNS_AHEAD = 1 << 10;

  /**
   * Rounds of one run. Ranks whose deadlines are near at one time begin the same one; the first
   * whose deadline passes, which is the one that is heard, was among the first to begin it.
   */
  private static final int MAX_ROUNDS = 16;

  /** A rank's last one, and in which round of its run it came. */
  private record Reported(ProgressReport report, int round) {
    boolean isBefore(long otherRun, int otherRound) {
      return report.run() < otherRun || report.run() == otherRun && round < otherRound;
    }
  }

  private final LocalRank member;
  private final int self;
  private final int size;

  /** By operation, then by rank; null for one that has reported nothing. */
  private final Map<Integer, Reported[]> reports = new HashMap<>();

  /** By operation. */
  private final Map<Integer, String> texts = new HashMap<>();

  ProgressReports(LocalRank member) {
    this.member = member;
    self = member.membership().rank();
    size = member.membership().size();
  }

  /**
   * Begins a round: reports how far this rank is with the last run that it has started.
   *
   * @return its number, from 1; 0 where there is none: the run has had too many, or this rank has
   *     reported of a later one
   */
  int beginRound(int operation) {
    long run = member.engine().starts(operation);
    int round = 1 + lastRound(operation, run);
    if (round > MAX_ROUNDS) {
      return 0;
    }
    return report(operation, run, round) ? round : 0;
  }

  private int lastRound(int operation, long run) {
    int last = 0;
    for (Reported each : reports.getOrDefault(operation, new Reported[0])) {
      if (each != null && each.report.run() == run) {
        last = Math.max(last, each.round);
      }
    }
    return last;
  }

  private boolean report(int operation, long run, int round) {
    ProgressReport own = own(operation, run);
    boolean isNews = add(self, own, round);
    if (isNews) {
      member.flood(new RankMessage(RankMessage.Kind.PROGRESS, self, round, own.encode()), -1);
    }
    return isNews;
  }

  private ProgressReport own(int operation, long run) {
    Engine engine = member.engine();
    long starts = engine.starts(operation);
    TreeSet<Integer> missing =
        starts == run
            ? engine.missing(operation)
            : starts < run ? engine.missing() : new TreeSet<>();
    long waitsFor = missing.stream().mapToLong(rank -> 1L << rank).reduce(0, (a, b) -> a | b);
    int instead = starts < run ? engine.running() : Engine.NONE;
    return new ProgressReport(
        operation,
        run,
        starts,
        waitsFor,
        instead,
        instead == Engine.NONE ? 0 : engine.starts(instead));
  }

  /** A report of another rank: what is none, or of no run that is possible here, is ignored. */
  void handle(int from, RankMessage message) {
    int round = message.round();
    if (round < 1 || round > MAX_ROUNDS) {
      return;
    }
    ProgressReport.decode(message.body(), size)
        .filter(report -> message.origin() != self && isPossible(report))
        .filter(report -> add(message.origin(), report, round))
        .ifPresent(
            report -> {
              member.flood(message, from);
              report(report.operation(), report.run(), round);
            });
  }

  private boolean isPossible(ProgressReport report) {
    Engine engine = member.engine();
    int operation = report.operation();
    return engine.has(operation) && report.run() - engine.starts(operation) <= MAX_RUNS_AHEAD;
  }

  /** Whether it is news. */
  private boolean add(int origin, ProgressReport report, int round) {
    Reported[] all = reports.computeIfAbsent(report.operation(), key -> new Reported[size]);
    boolean isNews = all[origin] == null || all[origin].isBefore(report.run(), round);
    if (isNews) {
      all[origin] = new Reported(report, round);
    }
    return isNews;
  }

  /**
   * Whom the last run of an operation waits for.
   *
   * @param round of {@link #beginRound}: a rank that has not reported in that one, or a later one,
   *     is silent
   */
  Stragglers stragglers(int operation, int round) {
    return Stragglers.of(
        self,
        member.engine().starts(operation),
        member.engine().missing(operation),
        current(operation, round));
  }

  /** By rank; null for one that has reported nothing in this round, or a later one. */
  private ProgressReport[] current(int operation, int round) {
    long run = member.engine().starts(operation);
    Reported[] all = reports.getOrDefault(operation, new Reported[size]);
    ProgressReport[] current = new ProgressReport[size];
    for (int rank = 0; rank < size; rank++) {
      Reported last = all[rank];
      current[rank] = last == null || last.isBefore(run, round) ? null : last.report;
    }
    return current;
  }

  /** What this rank's program has prepared, for texts. */
  void name(int operation, String text) {
    texts.put(operation, text);
  }

  /**
   * What a rank does that this rank waits for in vain, if it waits there for this one: it runs an
   * operation that this rank has not started, or is in a round of records where this one is not.
   *
   * @param round as of {@link #stragglers}
   * @return for a sentence, as in {@code prepares a barrier}
   */
  Optional<String> crossing(int rank, int operation, int round) {
    Optional<byte[]> record = member.rounds().records().ahead(self, rank);
    if (record.isPresent()) {
      return Optional.of(Preparation.describe(record.get()));
    }
    ProgressReport report = current(operation, round)[rank];
    return report != null && isNotStarted(report.instead(), report.insteadRun())
        ? Optional.of("runs " + texts.getOrDefault(report.instead(), "another operation"))
        : Optional.empty();
  }

  private boolean isNotStarted(int operation, long run) {
    Engine engine = member.engine();
    return operation != Engine.NONE && engine.has(operation) && engine.starts(operation) < run;
  }

  /** The operation is no more. */
  void remove(int operation) {
    reports.remove(operation);
    texts.remove(operation);
  }
}
