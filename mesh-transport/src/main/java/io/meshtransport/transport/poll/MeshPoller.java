// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Poller;
import io.meshtransport.transport.channel.AdaptiveSpin;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.channel.SpinnerCount;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Polls the connections that have something to poll, and collects the ends of their requests.
 *
 * <p>A connection whose completion queue was empty after it was armed is polled no more until the
 * queue raises an event. The few that completed something lately are HOT instead: they are polled
 * directly, so that a thread that spins over them waits for no event.
 *
 * <pre>
 *           event              completions, few are busy
 *  ARMED ----------> READY --------------------------------> HOT
 *    ^                 |   others                             |
 *    +-----------------+                                      | empty while others are busy;
 *    +--------------------------------------------------------+ before a sleep
 * </pre>
 *
 * <p>Order of locks: {@link #lock}, a connection's lock, the monitor of {@link ReportQueue}.
 */
public final class MeshPoller extends Watched implements Poller {
  /** Polled directly: what costs about as much as one system call. */
  private static final int MAX_HOT = 8;

  /** A hot connection that completed nothing in so many polls makes space for others. */
  private static final int MAX_EMPTY_POLLS = 64;

  /** How many polls of hot connections pass before the others' events are fetched. */
  private static final int POLLS_PER_FETCH = 8;

  /**
   * How many of those fetches pass before one moves bytes of connections that are not polled: that
   * is a system call for each device, and the hot ones move theirs.
   */
  private static final int FETCHES_PER_DRIVE = 4;

  /** The clock is read at each empty poll, and at one of so many others. */
  private static final int BUSY_POLLS_PER_CLOCK = 16;

  /** Deadlines are this coarse: a sweep visits every connection. */
  private static final long MIN_SWEEP_NS = 5_000_000;

  private final ChannelContext context;
  private final long silenceNs;
  private final CompletionEvents events;
  private final ProgressThread progress;
  private final AdaptiveSpin spin;

  /** Held during a poll, by the thread that polls or by the progress thread; never while asleep. */
  private final ReentrantLock lock = new ReentrantLock();

  private final List<PollerMember> members = new ArrayList<>();
  private final PollerMember[] hot = new PollerMember[MAX_HOT];
  private int hotCount;
  private final ReadyQueue ready = new ReadyQueue();
  private final ReportQueue reports = new ReportQueue();

  /** Polls of connections that found something. */
  private long activity;

  private int pollsToFetch;
  private int fetchesToDrive;
  private int busyPolls;
  private long sweptNs = System.nanoTime();

  /** When a deadline passes, or a silent peer must be probed; nanoTime, or {@link #NEVER}. */
  private final AtomicLong dueNs = new AtomicLong(NEVER);

  /** Grows with each poll of the program's. */
  private volatile long polls;

  /** The thread that sleeps, or is about to, and until when. */
  private volatile Thread sleeper;

  /** Whether another event loop sleeps on {@link #fd}. */
  private volatile boolean isArmed;

  private volatile boolean isWoken;
  private volatile boolean isClosed;

  /**
   * @param events closed with it
   * @param progress moves its connections along while nothing polls it
   * @param context of the channels that it accepts
   */
  public MeshPoller(ChannelContext context, CompletionEvents events, ProgressThread progress) {
    this.context = context;
    this.silenceNs = context.timing().silenceNs();
    this.events = events;
    this.progress = progress;
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
      members.add(member);
      ready.add(member);
      lowerDue(System.nanoTime() + silenceNs);
    } finally {
      lock.unlock();
    }
    // One that waits already polls the new one first.
    stir();
  }

  private void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException("the poller is closed");
    }
  }

  @Override
  public int poll(Completions into) {
    lock.lock();
    try {
      requireOpen();
      isArmed = false;
      countPoll();
      into.clear();
      report(into);
      if (!into.isFull()) {
        progress(into.capacity());
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

  /**
   * Polls what is hot, then what is ready.
   *
   * @param atMost connections that are ready, the longest ready first
   */
  private void progress(int atMost) {
    long before = activity;
    pollHot();
    if (hotCount == 0 || --pollsToFetch <= 0) {
      fetchEvents();
    }
    boolean areFew = ready.size() <= MAX_HOT;
    for (int left = Math.min(atMost, ready.size()); left > 0; left--) {
      serve(ready.remove(), areFew);
    }
    if (activity == before) {
      // Sends of connections that are armed, and so not polled themselves, may have been put off.
      events.flush();
    }
    if (activity == before || ++busyPolls >= BUSY_POLLS_PER_CLOCK) {
      busyPolls = 0;
      sweepIfDue();
    }
  }

  private void pollHot() {
    int kept = 0;
    int count = hotCount;
    for (int i = 0; i < count; i++) {
      PollerMember member = hot[i];
      int found = member.poll();
      noteFound(member, found);
      boolean isKept =
          member.isLive()
              && (member.emptyPolls < MAX_EMPTY_POLLS
                  || activity - member.lastActivity < MAX_EMPTY_POLLS);
      if (isKept) {
        hot[kept++] = member;
      } else {
        arm(member);
      }
    }
    clearHotFrom(kept);
  }

  private void clearHotFrom(int kept) {
    for (int i = kept; i < hotCount; i++) {
      hot[i] = null;
    }
    hotCount = kept;
  }

  private void noteFound(PollerMember member, int found) {
    if (found > 0) {
      member.emptyPolls = 0;
      member.lastActivity = ++activity;
    } else {
      member.emptyPolls++;
    }
  }

  /**
   * Moves those that have an event to the queue of what is ready. Makes no system call in software,
   * unless there is none and it is time to move bytes.
   */
  private void fetchEvents() {
    pollsToFetch = POLLS_PER_FETCH;
    boolean drives = hotCount == 0 || --fetchesToDrive <= 0;
    fetchesToDrive = drives ? FETCHES_PER_DRIVE : fetchesToDrive;
    try {
      if (drives ? !events.await(0) : !events.awaitUndriven(0)) {
        return;
      }
      for (Object next = events.next(); next != null; next = events.next()) {
        PollerMember member = (PollerMember) next;
        if (member.state == PollerMember.State.ARMED) {
          ready.add(member);
        }
      }
      // What is busy now is busy at the next poll.
      pollsToFetch = 1;
    } catch (VerbsException e) {
      throw new IllegalStateException("the poller cannot fetch events: " + e.getMessage(), e);
    }
  }

  private void serve(PollerMember member, boolean mayBecomeHot) {
    if (mayBecomeHot && hotCount < MAX_HOT && member.isLive()) {
      member.state = PollerMember.State.HOT;
      member.emptyPolls = 0;
      hot[hotCount++] = member;
      noteFound(member, member.poll());
    } else {
      activity++;
      arm(member);
    }
  }

  private void arm(PollerMember member) {
    member.state = PollerMember.State.ARMED;
    if (!member.arm()) {
      ready.add(member);
    }
  }

  /** Whether there is nothing left to poll before an event comes. */
  private boolean armAll() {
    int count = hotCount;
    for (int i = 0; i < count; i++) {
      arm(hot[i]);
    }
    clearHotFrom(0);
    for (int left = ready.size(); left > 0; left--) {
      arm(ready.remove());
    }
    return ready.size() == 0;
  }

  private void sweepIfDue() {
    long nowNs = System.nanoTime();
    if (nowNs - sweptNs < MIN_SWEEP_NS || nowNs < dueNs.get()) {
      return;
    }
    sweptNs = nowNs;
    dueNs.set(NEVER);
    long untilNs = silenceNs;
    // By index: an iterator would be garbage.
    for (int i = 0; i < members.size(); i++) {
      untilNs = members.get(i).checkClock(nowNs, untilNs);
    }
    if (!members.isEmpty()) {
      lowerDue(nowNs + untilNs);
    }
  }

  /** A sweep is wanted, and soon is enough. */
  void sweepSoon() {
    lowerDue(System.nanoTime() + MIN_SWEEP_NS);
  }

  private void lowerDue(long newDueNs) {
    long was = dueNs.get();
    while (newDueNs < was && !dueNs.compareAndSet(was, newDueNs)) {
      was = dueNs.get();
    }
  }

  /** With a connection's lock: a request with a deadline has begun. */
  void begun(long deadlineNs) {
    if (deadlineNs < dueNs.get()) {
      lowerDue(deadlineNs);
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
    members.remove(member);
    ready.remove(member);
    for (int i = 0; i < hotCount; i++) {
      if (hot[i] == member) {
        hot[i] = hot[--hotCount];
        hot[hotCount] = null;
      }
    }
    member.detach();
  }

  @Override
  public int await(Completions into, long timeoutNs) {
    long startNs = System.nanoTime();
    spin.begin(startNs);
    try {
      while (true) {
        int count = poll(into);
        long nowNs = System.nanoTime();
        long leftNs = timeoutNs - (nowNs - startNs);
        if (count > 0 || leftNs <= 0 || consumeWakeUp() || Thread.currentThread().isInterrupted()) {
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
      // The program may wait for the ends of sends that were begun while this thread slept.
      sweepSoon();
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
        if (isClosed || !armAll() || isWoken || !reports.isEmpty()) {
          return;
        }
        long due = dueNs.get();
        long untilDueNs = due == NEVER ? NEVER : due - System.nanoTime();
        sleepNs = Math.min(atMostNs, Math.max(untilDueNs, untilNextSweepNs()));
      } finally {
        lock.unlock();
      }
      events.await(sleepNs);
      pollsToFetch = 0;
    } catch (VerbsException e) {
      if (!isClosed) {
        throw new IllegalStateException("the poller cannot sleep: " + e.getMessage(), e);
      }
    } finally {
      sleeper = null;
    }
  }

  /** A deadline that has passed waits for the next sweep. */
  private long untilNextSweepNs() {
    return Math.max(0, sweptNs + MIN_SWEEP_NS - System.nanoTime());
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
      throw isClosed
          ? new IllegalStateException("the poller is closed")
          : new UnsupportedOperationException(e.getMessage(), e);
    }
  }

  @Override
  public boolean arm() {
    lock.lock();
    try {
      requireOpen();
      countPoll();
      isArmed = true;
      isArmed = armAll() && !consumeWakeUp() && reports.isEmpty() && events.arm();
      if (isArmed && !reports.isEmpty()) {
        isArmed = false;
      }
      if (isArmed && dueNs.get() != NEVER) {
        progress.watch(this);
      }
      return isArmed;
    } catch (VerbsException e) {
      throw new IllegalStateException("the poller cannot be armed: " + e.getMessage(), e);
    } finally {
      lock.unlock();
    }
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

  /** What ends is reported at the next poll; an event loop that sleeps is woken for it. */
  @Override
  boolean progressUnpolled(ProgressThread by) {
    if (!lock.tryLock()) {
      return true;
    }
    try {
      if (isClosed) {
        return false;
      }
      boolean isMore = false;
      for (int i = 0; i < members.size(); i++) {
        isMore |= members.get(i).progressUnpolled();
      }
      sweepIfDue();
      // What was armed may be so no more, and an event loop waits for its event.
      boolean areArmed = !isArmed || armAll();
      return isMore || !areArmed || isArmed && dueNs.get() != NEVER;
    } finally {
      lock.unlock();
    }
  }

  @Override
  long untilDueNs(long nowNs) {
    long due = dueNs.get();
    return isArmed && due != NEVER ? Math.max(due - nowNs, untilNextSweepNs()) : NEVER;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (isClosed) {
        return;
      }
      isClosed = true;
      for (PollerMember member : List.copyOf(members)) {
        leave(member);
      }
    } finally {
      lock.unlock();
    }
    events.wakeUp();
    try {
      events.close();
    } catch (VerbsException e) {
      throw new IllegalStateException("the poller cannot be closed: " + e.getMessage(), e);
    }
  }
}
