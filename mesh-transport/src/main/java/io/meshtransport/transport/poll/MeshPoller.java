// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Poller;
import io.meshtransport.time.WaitTimes;
import io.meshtransport.transport.channel.AdaptiveSpin;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.channel.SpinnerCount;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Polls the connections that have something to poll, in a {@link PollCycle}, and reports the ends
 * of their requests.
 *
 * <p>Order of locks: {@link #lock}, a connection's lock, the monitor of {@link ReportQueue}.
 */
public final class MeshPoller extends Watched implements Poller {
  private final ChannelContext context;
  private final CompletionEvents events;
  private final ProgressThread progress;
  private final Consumer<MeshPoller> onClosed;
  private final AdaptiveSpin spin;

  /** Held during a poll, by the thread that polls or by the progress thread; never while asleep. */
  private final ReentrantLock lock = new ReentrantLock();

  private final PollCycle cycle;
  private final ReportQueue reports = new ReportQueue();

  /** What {@link #polls} was when the progress thread moved all connections along. */
  private long pollsAtProgress = -1;

  /** Whether there is a connection. Written under the lock. */
  private volatile boolean hasMembers;

  /** Grows with each poll of the program's. */
  private volatile long polls;

  /** The thread that sleeps, or is about to, and until when. */
  private volatile Thread sleeper;

  /** Whether another event loop sleeps on {@link #fd}. */
  private volatile boolean isArmed;

  private volatile boolean isWoken;
  private volatile State state = State.OPEN;

  private enum State {
    OPEN,
    /** Its transport is closed: what its connections have not reported yet is all there will be. */
    DRAINING,
    CLOSED
  }

  /**
   * @param events closed with it
   * @param progress moves its connections along while nothing polls it
   * @param context of the channels that it accepts
   * @param onClosed is called when its owner has closed it
   */
  public MeshPoller(
      ChannelContext context,
      CompletionEvents events,
      ProgressThread progress,
      Consumer<MeshPoller> onClosed) {
    this.context = context;
    this.events = events;
    this.cycle = new PollCycle(events, context.timing().silenceNs());
    this.progress = progress;
    this.onClosed = onClosed;
    this.spin = new AdaptiveSpin(context.timing().spinNs(), SpinnerCount.OF_THIS_PROCESS);
  }

  @Override
  public void add(Connection connection) {
    if (!(connection instanceof MeshChannel channel) || channel.context() != context) {
      throw new IllegalArgumentException(connection + " belongs to another transport");
    }
    add(channel, connection);
  }

  /** As {@link #add(Connection)}, with what is reported as its connection. */
  void add(MeshChannel channel, Connection connection) {
    lock.lock();
    try {
      requireOpen();
      PollerMember member = new PollerMember(this, channel, connection);
      channel.core.lock.lock();
      try {
        channel.core.requireUnpolled();
        channel.core.attend(member);
        member.attach(events);
      } catch (VerbsException e) {
        channel.core.attend(context.attendants().apply(channel));
        throw new IllegalStateException(
            channel.route() + ": cannot be polled: " + e.getMessage(), e);
      } finally {
        channel.core.lock.unlock();
      }
      cycle.add(member);
      hasMembers = true;
    } finally {
      lock.unlock();
    }
    progress.watch(this);
    // One that waits already polls the new one first.
    stir();
  }

  private void requireOpen() {
    if (state != State.OPEN) {
      throw closedFailure();
    }
  }

  private IllegalStateException closedFailure() {
    return new IllegalStateException(
        state == State.CLOSED
            ? "the poller is closed"
            : "the poller is closed, because its transport is, and all is reported");
  }

  @Override
  public int poll(Completions into) {
    lock.lock();
    try {
      if (state == State.CLOSED) {
        throw closedFailure();
      }
      into.clear();
      isArmed = false;
      countPoll();
      report(into);
      if (into.count() == 0) {
        requireOpen();
      }
      if (!into.isFull() && state == State.OPEN) {
        cycle.poll(into.capacity());
        report(into);
      }
      return into.count();
    } finally {
      lock.unlock();
    }
  }

  /** Written under the lock only. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  private void countPoll() {
    polls++;
  }

  /** With a connection's lock: it has unsignaled sends under way. */
  void unsignaledPosted() {
    if (cycle.requestReportsSoon()) {
      stir();
    }
  }

  /** With a connection's lock: it may be armed, and raises no event from now on. */
  void unheard() {
    cycle.unheard();
    stir();
  }

  /** With a connection's lock: a request with a deadline has begun. */
  void begun(long deadlineNs) {
    if (cycle.lower(deadlineNs)) {
      stir();
    }
  }

  /** With a connection's lock: it has something to report. */
  void reportLater(PollerMember member) {
    if (reports.add(member)) {
      stir();
    }
  }

  /** With a connection's lock: only a poll moves something along. */
  void deferred() {
    progress.watch(this);
  }

  /** Ends a sleep, if it is another thread's. */
  private void stir() {
    Thread sleeping = sleeper;
    if (sleeping != null && sleeping != Thread.currentThread() || isArmed) {
      events.wakeUp();
    }
  }

  private void report(Completions into) {
    PollerMember member = into.isFull() ? null : reports.remove();
    while (member != null) {
      if (member.report(into)) {
        reports.add(member);
      } else if (member.isDone()) {
        leave(member);
      }
      member = into.isFull() ? null : reports.remove();
    }
  }

  /** The connection can do no more, and that was reported. */
  private void leave(PollerMember member) {
    cycle.remove(member);
    hasMembers = !cycle.isEmpty();
    member.detach();
  }

  @Override
  public int await(Completions into, long timeoutNs) {
    long atMostNs = WaitTimes.boundedNanos(timeoutNs);
    long startNs = System.nanoTime();
    spin.begin(startNs);
    try {
      while (true) {
        int count = poll(into);
        long nowNs = System.nanoTime();
        long leftNs = atMostNs - (nowNs - startNs);
        // A wake-up before the end of this wait ends no later one. A wait of 0 is only a poll.
        boolean wasWoken = atMostNs > 0 && consumeWakeUp();
        if (count > 0 || leftNs <= 0 || wasWoken || Thread.currentThread().isInterrupted()) {
          spin.end(nowNs, count > 0);
          return count;
        }
        if (spin.mayGoOn(nowNs)) {
          Thread.yield();
        } else {
          spin.parks();
          sleep(leftNs);
        }
      }
    } finally {
      spin.finish();
    }
  }

  private boolean consumeWakeUp() {
    boolean wasWoken = isWoken;
    if (wasWoken) {
      isWoken = false;
    }
    return wasWoken;
  }

  /** Sleeps until something happens; the caller polls and looks. */
  private void sleep(long atMostNs) {
    sleeper = Thread.currentThread();
    try {
      long sleepNs;
      lock.lock();
      try {
        long pauseNs = state == State.OPEN ? cycle.armAll() : 0;
        if (pauseNs == 0 || isWoken || !reports.isEmpty()) {
          return;
        }
        sleepNs = Math.min(Math.min(atMostNs, pauseNs), cycle.untilDueNs(System.nanoTime()));
      } finally {
        lock.unlock();
      }
      events.await(sleepNs);
      cycle.expectEvents();
    } catch (VerbsException e) {
      if (state == State.OPEN) {
        throw new IllegalStateException("the poller cannot sleep: " + e.getMessage(), e);
      }
    } finally {
      sleeper = null;
    }
  }

  @Override
  public void wakeup() {
    isWoken = true;
    events.wakeUp();
  }

  @Override
  public int fd() {
    try {
      return events.fd();
    } catch (VerbsException e) {
      throw state != State.OPEN
          ? closedFailure()
          : new UnsupportedOperationException(e.getMessage(), e);
    }
  }

  @Override
  public boolean arm() {
    lock.lock();
    try {
      if (state == State.DRAINING && !reports.isEmpty()) {
        return false;
      }
      requireOpen();
      countPoll();
      isArmed = true;
      isArmed = areAllArmed() && !consumeWakeUp() && reports.isEmpty() && events.arm();
      if (isArmed && !reports.isEmpty()) {
        isArmed = false;
      }
      if (isArmed && cycle.isAnyDue()) {
        progress.watch(this);
      }
      return isArmed;
    } catch (VerbsException e) {
      throw new IllegalStateException("the poller cannot be armed: " + e.getMessage(), e);
    } finally {
      lock.unlock();
    }
  }

  /** Arms all; whether an event will say what is to be polled next. */
  private boolean areAllArmed() {
    return cycle.armAll() == NEVER;
  }

  // --- for the progress thread

  @Override
  long polls() {
    return polls;
  }

  /** One that sleeps in {@link #await} ends its sleep itself, for deadlines too. */
  @Override
  boolean isAwaited() {
    return sleeper != null;
  }

  @Override
  boolean isAttached() {
    return false;
  }

  @Override
  void detach() {}

  /** Its peers' goodbyes and the receives that they take back want an answer at any time. */
  @Override
  boolean isPermanent() {
    return hasMembers && state == State.OPEN;
  }

  /** What ends is reported at the next poll; an event loop that sleeps is woken for it. */
  @Override
  boolean progressUnpolled(ProgressThread by) {
    if (isAttended && !isArmed) {
      return false;
    }
    if (!lock.tryLock()) {
      return true;
    }
    try {
      if (state != State.OPEN || cycle.isEmpty()) {
        return false;
      }
      // A thread that has begun to wait just now has the events to itself.
      return sleeper != null || (isArmed ? progressArmed() : progressLeft());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Nothing polls: all connections once, for what they have put off, then those that have events.
   */
  private boolean progressLeft() {
    if (pollsAtProgress != polls) {
      pollsAtProgress = polls;
      cycle.pollAllUnpolled();
    }
    cycle.pollRaised();
    return true;
  }

  /**
   * An event loop sleeps on {@link #fd}, or is busy with something else: it still has to find what
   * woke it.
   *
   * @return whether a deadline is to be watched
   */
  private boolean progressArmed() {
    if (cycle.pollRaised() || isWoken || !reports.isEmpty()) {
      events.wakeUp();
    }
    return cycle.isAnyDue();
  }

  @Override
  long untilDueNs(long nowNs) {
    return isArmed || !isAttended ? cycle.untilDueNs(nowNs) : NEVER;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (state == State.CLOSED) {
        return;
      }
      state = State.CLOSED;
      for (PollerMember member : cycle.members()) {
        leave(member);
      }
    } finally {
      lock.unlock();
    }
    closeEvents();
    onClosed.accept(this);
  }

  /**
   * Its transport is closed, and its connections are: ends the wait of a thread that is in it. What
   * was not reported yet still is; then each call says that it is closed.
   */
  public void transportClosed() {
    lock.lock();
    try {
      if (state != State.OPEN) {
        return;
      }
      state = State.DRAINING;
    } finally {
      lock.unlock();
    }
    closeEvents();
  }

  private void closeEvents() {
    events.wakeUp();
    try {
      events.close();
    } catch (VerbsException e) {
      throw new IllegalStateException("the poller cannot be closed: " + e.getMessage(), e);
    }
  }
}
