// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.RegisteredMemory;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/** An operation of a member, as programs have it. */
final class PreparedOperation implements Collective, LocalRank.Goal {
  /** Of its time, the part in which ranks report how far they are. */
  private static final int REPORTING_PARTS = 4;

  /** Ranks that wait have reported within milliseconds, also where they share processors. */
  private static final long MAX_REPORTING_NS = 250_000_000;

  /** A rank that has waited for reports for less than that blames no other for its silence. */
  private static final long MIN_ROUND_NS = 10_000_000;

  private final LocalRank member;
  private final int id;
  private final OperationSpec spec;
  private final String plan;

  /** The time in ns, as {@link System#nanoTime} has it. */
  private final LongSupplier clock;

  /** Its own: scratch memory, and second registrations of the program's. */
  private final List<RegisteredMemory> memories;

  private boolean isRunning;
  private boolean hasReported;

  /** Which round of reports it has begun; 0 for none. */
  private int round;

  private long roundBeganNs;

  /** When it polled for reports last, before its deadline. */
  private long polledNs;

  private boolean isClosed;
  private long startNs;
  private long deadlineNs;

  PreparedOperation(
      LocalRank member, int id, OperationSpec spec, String plan, List<RegisteredMemory> memories) {
    this(member, id, spec, plan, memories, System::nanoTime);
  }

  PreparedOperation(
      LocalRank member,
      int id,
      OperationSpec spec,
      String plan,
      List<RegisteredMemory> memories,
      LongSupplier clock) {
    this.clock = clock;
    this.member = member;
    this.id = id;
    this.spec = spec;
    this.plan = plan;
    this.memories = memories;
  }

  @Override
  public void start(long timeoutNs) throws CollectiveException {
    member.lock();
    try {
      if (isClosed) {
        throw new IllegalStateException(spec.text() + " is closed");
      }
      // What was running when the group failed does so no longer.
      member.check();
      if (isRunning) {
        throw new IllegalStateException(spec.text() + " is running; await it first");
      }
      isRunning = true;
      hasReported = false;
      round = 0;
      startNs = clock.getAsLong();
      deadlineNs = Math.max(0, timeoutNs);
      member.start(id);
    } finally {
      member.unlock();
    }
  }

  @Override
  public boolean test() throws CollectiveException {
    return await(0);
  }

  @Override
  public boolean await(long timeoutNs) throws CollectiveException {
    return await(timeoutNs, "The run goes on unless its operation is closed.");
  }

  /**
   * As {@link #await(long)}.
   *
   * @param ifInterrupted what follows from an interrupt, a sentence
   */
  boolean await(long timeoutNs, String ifInterrupted) throws CollectiveException {
    member.lock();
    try {
      if (isClosed) {
        throw new IllegalStateException(spec.text() + " is closed");
      }
      if (isRunning && (timeoutNs <= 0 || untilDeadlineNs() <= reportingNs())) {
        pollOnce();
      }
      return member.await(this, Math.max(0, timeoutNs));
    } catch (CollectiveException e) {
      throw LocalRank.withConsequence(e, ifInterrupted);
    } finally {
      member.unlock();
    }
  }

  /** What is known of others at the deadline has come in several messages from each neighbour. */
  private void pollOnce() throws CollectiveException {
    member.poll();
    for (int i = 1; i < member.membership().size() && untilDeadlineNs() <= 0; i++) {
      member.poll();
    }
  }

  @Override
  public boolean advance() throws CollectiveException {
    if (isClosed) {
      return hasEndedBeforeItWasClosed();
    }
    if (isRunning && member.isDone(id)) {
      isRunning = false;
    }
    if (isRunning && !member.hasFailed() && untilDeadlineNs() <= reportingNs()) {
      approachDeadline();
    }
    if (member.hasFailed()) {
      member.check();
    }
    return !isRunning;
  }

  /**
   * Waits until the run that an interrupted call has left behind is complete; at once if there is
   * none. What keeps it from being complete fails the group: this rank cannot take part in the next
   * run, which the others may have begun.
   *
   * @param timeoutNs max wait in nanoseconds; past it the run has timed out, whatever its own
   *     deadline is
   * @throws CollectiveException why the group has failed; INTERRUPTED if that is the cause
   */
  void awaitFormerRun(long timeoutNs) throws CollectiveException {
    member.lock();
    try {
      if (!isRunning || isClosed) {
        return;
      }
      deadlineNs = Math.min(deadlineNs, clock.getAsLong() - startNs + timeoutNs);
      member.poll();
      member.await(this, Long.MAX_VALUE);
    } catch (CollectiveException e) {
      if (e.reason() == Reason.INTERRUPTED) {
        failOfInterrupt();
      }
      throw LocalRank.withConsequence(
          e, "The group has failed with it, since the next run could not begin.");
    } finally {
      member.unlock();
    }
  }

  private void failOfInterrupt() {
    abort(
        " was interrupted before it could start "
            + spec.text()
            + " again: a run that an earlier interrupt had left was not complete.");
  }

  /** Fails the group for what this rank has done. */
  private void abort(String deed) {
    GroupMembership members = member.membership();
    int rank = members.rank();
    member.fail(new Failure(Reason.ABORTED, rank, members.member(rank) + deed));
  }

  /** Its number may be that of another operation by now. */
  private boolean hasEndedBeforeItWasClosed() throws CollectiveException {
    if (isRunning || member.hasFailed()) {
      member.check();
    }
    return true;
  }

  /** Until its deadline, or until its round of reports before that. */
  @Override
  public long leftNs() {
    long untilDeadlineNs = untilDeadlineNs();
    if (!hasReported) {
      return untilDeadlineNs - reportingNs();
    }
    long untilReportsNs = MIN_ROUND_NS - (clock.getAsLong() - roundBeganNs);
    return untilReportsNs > 0 ? Math.min(untilReportsNs, untilDeadlineNs) : untilDeadlineNs;
  }

  private long untilDeadlineNs() {
    return deadlineNs == NO_DEADLINE ? Long.MAX_VALUE : deadlineNs - (clock.getAsLong() - startNs);
  }

  /** So long before its deadline the ranks report how far they are. */
  private long reportingNs() {
    return Math.min(MAX_REPORTING_NS, deadlineNs / REPORTING_PARTS);
  }

  private void approachDeadline() {
    if (untilDeadlineNs() <= 0) {
      timedOut();
    } else if (!hasReported) {
      hasReported = true;
      roundBeganNs = clock.getAsLong();
      polledNs = roundBeganNs;
      round = member.reports().beginRound(id);
    } else {
      polledNs = clock.getAsLong();
    }
  }

  /**
   * Where the others had no time to report, as none of its threads was in a call to begin a round,
   * it knows its neighbours alone.
   */
  private void timedOut() {
    GroupMembership members = member.membership();
    TreeSet<Integer> missing = member.engine().missing(id);
    boolean hadTime = round > 0 && polledNs - roundBeganNs >= MIN_ROUND_NS;
    Optional<Stragglers> stragglers =
        hadTime ? Optional.of(member.reports().stragglers(id, round)) : Optional.empty();
    if (hadTime && failOfCrossing(stragglers.get())) {
      return;
    }
    String neighbours =
        missing.isEmpty()
            ? "."
            : "; it waited for %s, which may have waited for others."
                .formatted(members.members(missing));
    member.fail(
        new Failure(
            Reason.TIMED_OUT,
            stragglers.map(Stragglers::rank).orElse(CollectiveException.NO_RANK),
            notComplete() + stragglers.map(each -> each.text(members)).orElse(neighbours)));
  }

  private String notComplete() {
    GroupMembership members = member.membership();
    return "%s was not complete %d ms after %s started it"
        .formatted(spec.text(), deadlineNs / 1_000_000, members.member(members.rank()));
  }

  /** Fails the group where a rank that has not started this run waits for this rank elsewhere. */
  private boolean failOfCrossing(Stragglers stragglers) {
    GroupMembership members = member.membership();
    TreeSet<Integer> waiting = new TreeSet<>(stragglers.idle());
    waiting.addAll(stragglers.held());
    for (int rank : waiting) {
      Optional<String> crossing = member.reports().crossing(rank, id, round);
      if (crossing.isPresent()) {
        member.fail(
            new Failure(
                Reason.MISMATCH,
                rank,
                "%s, since %s %s, and waits there. Every member must start the same, in the same order."
                    .formatted(notComplete(), members.member(rank), crossing.get())));
        return true;
      }
    }
    return false;
  }

  @Override
  public String plan() {
    return plan;
  }

  @Override
  public void close() {
    member.lock();
    try {
      if (isClosed) {
        return;
      }
      isClosed = true;
      isRunning &= !member.engine().isDone(id);
      if (isRunning) {
        abort(" closed " + spec.text() + " while it was running.");
      }
      member.remove(id);
    } finally {
      member.unlock();
    }
    memories.forEach(RegisteredMemory::close);
  }
}
