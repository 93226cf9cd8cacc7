// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.RegisteredMemory;
import java.util.List;
import java.util.TreeSet;

/** An operation of a member, as programs have it. */
final class PreparedOperation implements Collective, LocalRank.Goal {
  private final LocalRank member;
  private final int id;
  private final OperationSpec spec;
  private final String plan;

  /** Its own: scratch memory, and second registrations of the program's. */
  private final List<RegisteredMemory> memories;

  private boolean isRunning;
  private boolean isClosed;
  private long startNs;
  private long deadlineNs;

  PreparedOperation(
      LocalRank member, int id, OperationSpec spec, String plan, List<RegisteredMemory> memories) {
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
      startNs = System.nanoTime();
      deadlineNs = timeoutNs;
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
    member.lock();
    try {
      if (isClosed) {
        throw new IllegalStateException(spec.text() + " is closed");
      }
      if (timeoutNs <= 0 && isRunning) {
        member.poll();
      }
      return member.await(this, timeoutNs);
    } finally {
      member.unlock();
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
    if (isRunning && leftNs() <= 0) {
      timedOut();
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
      deadlineNs = Math.min(deadlineNs, System.nanoTime() - startNs + timeoutNs);
      member.poll();
      member.await(this, Long.MAX_VALUE);
    } catch (CollectiveException e) {
      if (e.reason() == Reason.INTERRUPTED) {
        failOfInterrupt();
      }
      throw e;
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

  @Override
  public long leftNs() {
    return deadlineNs == NO_DEADLINE ? Long.MAX_VALUE : deadlineNs - (System.nanoTime() - startNs);
  }

  private void timedOut() {
    TreeSet<Integer> missing = member.engine().missing(id);
    GroupMembership members = member.membership();
    member.fail(
        new Failure(
            Reason.TIMED_OUT,
            // Of several, others may wait for one: a rank passes on what comes with its own.
            missing.size() == 1 ? missing.first() : CollectiveException.NO_RANK,
            spec.text()
                + " was not complete "
                + deadlineNs / 1_000_000
                + " ms after "
                + members.member(members.rank())
                + " started it"
                + (missing.isEmpty()
                    ? "."
                    : "; nothing, or not all, has come from " + members.members(missing) + ".")));
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
      member.engine().remove(id);
    } finally {
      member.unlock();
    }
    memories.forEach(RegisteredMemory::close);
  }
}
