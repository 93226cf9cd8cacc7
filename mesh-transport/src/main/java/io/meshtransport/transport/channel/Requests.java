// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.jfr.FlightEvents;
import io.meshtransport.transport.jfr.RequestSpans;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.transport.stats.ChannelCounters;
import io.meshtransport.transport.stats.SendTimer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The requests outstanding on one channel: a slot each, with its outcome, its memory and its
 * deadline. A request's number is its slot and how many requests came before it, so that a number
 * that is over is known as such. Confined to the channel's lock; allocates nothing after it is
 * made, but for the slots above those used so far: there are few at first, and lower ones are used
 * first.
 */
public final class Requests {
  /** Slots from 0 to {@link ConnectOptions#MAX_REQUESTS} - 1. */
  private static final int SLOT_BITS = 12;

  private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;
  private static final long NONE = -1;

  /** Of {@link #flags}: it has a deadline. */
  private static final int DEADLINE = 1;

  /** No caller will test it. */
  private static final int DETACHED = 2;

  /** The flight recorder times it. */
  private static final int RECORDED = 4;

  /** Its memory is not given back when it ends, but kept. */
  private static final int KEPT = 8;

  /** A thread sleeps until it ends, or has done so. */
  private static final int AWAITED = 16;

  /** A deadline that is further away than any that matters, from now. */
  private static final long FAR_NS = Long.MAX_VALUE / 2;

  private final int max;
  private long[] numbers = new long[TableGrowth.FIRST];
  private long[] outcomes = new long[TableGrowth.FIRST];
  private long[] deadlinesNs = new long[TableGrowth.FIRST];
  private long[] timeoutsNs = new long[TableGrowth.FIRST];
  private TransportException[] failures = new TransportException[TableGrowth.FIRST];
  private Retained[] memories = new Retained[TableGrowth.FIRST * Transport.MAX_GROUP];
  private int[] sizes = new int[TableGrowth.FIRST];

  /** Of multi-receives, most messages; of others 0. */
  private int[] limits = new int[TableGrowth.FIRST];

  private CompletionKind[] kinds = new CompletionKind[TableGrowth.FIRST];
  private long[] userData = new long[TableGrowth.FIRST];
  private ChannelAttendant attendant = ChannelAttendant.NONE;
  private final ChannelCounters counts = new ChannelCounters();

  /** Of messages received; the same as {@link #counts} unless requests go in both directions. */
  private ChannelCounters receivedCounts = counts;

  /** Told of the ends of those that are awaited. */
  private WaitingThreads waiting;

  private SendTimer stopwatch = SendTimer.OFF;
  private RequestSpans spans;
  private final SlotSet free = new SlotSet();

  /** Of each slot, what is unusual about its request: bits of the constants above. */
  private byte[] flags = new byte[TableGrowth.FIRST];

  private int withDeadline;

  /** No deadline of a pending request is earlier; of no meaning if there is none. */
  private long noDeadlineBeforeNs;

  private long begun;
  private int outstanding;
  private int pending;

  private final RecentFailures recentFailures;

  private final List<Retained> kept = new ArrayList<>(0);

  /**
   * @param max of them outstanding at once, at most {@link ConnectOptions#MAX_REQUESTS}
   */
  Requests(int max) {
    this.max = max;
    recentFailures = new RecentFailures(max);
    free.addAllBelow(max);
    Arrays.fill(numbers, NONE);
  }

  /** Most requests outstanding at once; slots are below. Any thread. */
  public int max() {
    return max;
  }

  /** What happened to requests so far, and whatever else is counted of their channel. */
  public ChannelCounters counts() {
    return counts;
  }

  /** From now on messages received are counted by themselves: requests go in both directions. */
  void countReceivedApart() {
    receivedCounts = new ChannelCounters();
  }

  /** Messages received; the same as {@link #counts} unless requests go in both directions. */
  ChannelCounters receivedCounts() {
    return receivedCounts;
  }

  /** From now on requests that send are timed. */
  void time(SendTimer newStopwatch) {
    stopwatch = newStopwatch;
  }

  /** From now on requests that send are recorded, while the flight recorder asks for that. */
  void record(RequestSpans newSpans) {
    spans = newSpans;
  }

  /** From now on it follows the ends of requests. */
  void attend(ChannelAttendant next) {
    attendant = next;
  }

  /** From now on it wakes the threads that sleep until a request ends. */
  void awaitedBy(WaitingThreads newWaiting) {
    waiting = newWaiting;
  }

  /** A thread is about to sleep until a request ends, which is pending. */
  void awaited(int slot) {
    flags[slot] |= AWAITED;
  }

  /** How many are pending. */
  int pending() {
    return pending;
  }

  public boolean isFull() {
    return outstanding == max;
  }

  /**
   * Requests that {@link #end} has not ended; a thread without the lock may see an older number.
   */
  int outstanding() {
    return outstanding;
  }

  /** Slot of the pending request that began first, or -1. */
  int oldestPending() {
    int oldest = -1;
    for (int slot = 0; slot < numbers.length; slot++) {
      if (isPending(slot) && (oldest < 0 || numbers[slot] < numbers[oldest])) {
        oldest = slot;
      }
    }
    return oldest;
  }

  /** Whether a slot has a request that has not ended. */
  public boolean isPending(int slot) {
    return slot < numbers.length && numbers[slot] != NONE && outcomes[slot] == Channel.PENDING;
  }

  /** When a request that has a deadline began, on the clock of System.nanoTime. */
  long beganNs(int slot) {
    return deadlinesNs[slot] - timeoutsNs[slot];
  }

  /** Whether there is a request whose end is still open. */
  boolean anyPending() {
    return pending > 0;
  }

  /**
   * Takes a free slot, of which there must be one.
   *
   * @param nowNs on the clock of System.nanoTime, meaningful if there is a deadline
   * @param timeoutNs from then to the deadline, or {@link SendChannel#NO_DEADLINE}
   */
  int begin(long nowNs, long timeoutNs) {
    int slot = free.next(0);
    free.remove(slot);
    outstanding++;
    pending++;
    if (slot >= numbers.length) {
      grow(TableGrowth.toHold(slot));
    }
    numbers[slot] = begun++ << SLOT_BITS | slot;
    outcomes[slot] = Channel.PENDING;
    deadlinesNs[slot] = nowNs + timeoutNs;
    timeoutsNs[slot] = timeoutNs;
    sizes[slot] = 0;
    limits[slot] = 0;
    flags[slot] = 0;
    if (timeoutNs != SendChannel.NO_DEADLINE) {
      noteDeadline(slot, nowNs);
    }
    return slot;
  }

  /** A request has a deadline now. */
  private void noteDeadline(int slot, long nowNs) {
    long deadlineNs = deadlinesNs[slot];
    if (withDeadline == 0 || deadlineNs - nowNs < noDeadlineBeforeNs - nowNs) {
      noDeadlineBeforeNs = deadlineNs;
    }
    withDeadline += hasDeadline(slot) ? 0 : 1;
    flags[slot] |= DEADLINE;
  }

  /** Says what a request that begins is, and what its caller knows it by. */
  void describe(int slot, CompletionKind kind, long newUserData) {
    kinds[slot] = kind;
    userData[slot] = newUserData;
    if (kind != CompletionKind.RECEIVED) {
      stopwatch.begun(slot);
      if (FlightEvents.areRequestsTimed()) {
        record(slot);
      }
    }
  }

  private void record(int slot) {
    if (spans != null) {
      spans.begun(slot);
      flags[slot] |= RECORDED;
    }
  }

  /** What the end of a request is reported as, if it succeeds. */
  public CompletionKind kind(int slot) {
    return kinds[slot];
  }

  /** What its caller knows a request by. */
  public long userData(int slot) {
    return userData[slot];
  }

  private void grow(int slots) {
    int before = numbers.length;
    numbers = Arrays.copyOf(numbers, slots);
    Arrays.fill(numbers, before, slots, NONE);
    outcomes = Arrays.copyOf(outcomes, slots);
    deadlinesNs = Arrays.copyOf(deadlinesNs, slots);
    timeoutsNs = Arrays.copyOf(timeoutsNs, slots);
    failures = Arrays.copyOf(failures, slots);
    memories = Arrays.copyOf(memories, slots * Transport.MAX_GROUP);
    sizes = Arrays.copyOf(sizes, slots);
    limits = Arrays.copyOf(limits, slots);
    kinds = Arrays.copyOf(kinds, slots);
    userData = Arrays.copyOf(userData, slots);
    flags = Arrays.copyOf(flags, slots);
  }

  /** Notes that a request uses memory, which the request has retained. */
  public void uses(int slot, Retained memory) {
    memories[slot * Transport.MAX_GROUP + sizes[slot]++] = memory;
  }

  /** What the request uses, its first if there are several. */
  public MeshMemory memory(int slot) {
    return memories[slot * Transport.MAX_GROUP].memory();
  }

  public long number(int slot) {
    return numbers[slot];
  }

  /**
   * @throws IllegalArgumentException if there is no such request
   */
  public int slot(long number) {
    int slot = (int) number & SLOT_MASK;
    if (number < 0 || slot >= numbers.length || numbers[slot] != number) {
      throw new IllegalArgumentException(
          "there is no request " + number + ": it never was, or test has already answered for it");
    }
    return slot;
  }

  public long outcome(int slot) {
    return outcomes[slot];
  }

  public boolean isDetached(int slot) {
    return (flags[slot] & DETACHED) != 0;
  }

  /** How long a request that has a deadline was given. */
  public long timeoutNs(int slot) {
    return timeoutsNs[slot];
  }

  public boolean hasDeadline(int slot) {
    return (flags[slot] & DEADLINE) != 0;
  }

  /** Gives a pending request another deadline; one that has a deadline began when it did. */
  public void postpone(int slot, long nowNs, long timeoutNs) {
    long beganNs = hasDeadline(slot) ? beganNs(slot) : nowNs;
    deadlinesNs[slot] = nowNs + timeoutNs;
    timeoutsNs[slot] = deadlinesNs[slot] - beganNs;
    noteDeadline(slot, nowNs);
  }

  /** A request may get so many messages into the memory that it uses. */
  public void limit(int slot, int messages) {
    limits[slot] = messages;
  }

  /** How many lengths a request may have. */
  int maxLengths(int slot) {
    return Math.max(limits[slot], sizes[slot]);
  }

  /** Messages, or receives, of a request. */
  public int size(int slot) {
    return sizes[slot];
  }

  public TransportException failure(int slot) {
    return failures[slot];
  }

  /**
   * A message has come into one of the memories that a request uses. Called where a caller may read
   * it before the request succeeds; a request of a single memory reports it when it succeeds.
   */
  public void arrived(int slot, int use, long lengthBytes) {
    memories[slot * Transport.MAX_GROUP + use].arrived(lengthBytes);
  }

  public void succeed(int slot, long lengthBytes) {
    succeed(slot, lengthBytes, Math.max(1, sizes[slot]));
  }

  /**
   * @param messages that it has received or sent
   */
  public void succeed(int slot, long lengthBytes, int messages) {
    if (outcomes[slot] == Channel.PENDING) {
      if (sizes[slot] == 1) {
        arrived(slot, 0, lengthBytes);
      }
      outcomes[slot] = lengthBytes;
      pending--;
      ChannelCounters direction = kinds[slot] == CompletionKind.RECEIVED ? receivedCounts : counts;
      direction.add(Counter.MESSAGES, messages);
      direction.add(Counter.BYTES, lengthBytes);
      stopwatch.succeeded(slot);
      endIfMarked(slot);
      attendant.ended(slot);
    }
  }

  /**
   * Why a request failed, as long as it is one of the last that did.
   *
   * @throws IllegalArgumentException if there is no such request (any more)
   */
  TransportException failureOf(long number) {
    return recentFailures.of(number);
  }

  public void fail(int slot, TransportException why) {
    if (outcomes[slot] == Channel.PENDING) {
      outcomes[slot] = Channel.FAILED;
      pending--;
      counts.add(Counter.FAILED_REQUESTS, 1);
      stopwatch.failed(slot);
      failures[slot] = why;
      recentFailures.add(numbers[slot], why);
      endIfMarked(slot);
      attendant.ended(slot);
    }
  }

  /** No caller will test it: it ends by itself. */
  void detach(int slot) {
    flags[slot] |= DETACHED;
    endIfMarked(slot);
  }

  private void endIfMarked(int slot) {
    if ((flags[slot] & (DETACHED | RECORDED | AWAITED)) != 0 && outcomes[slot] != Channel.PENDING) {
      endMarked(slot);
    }
  }

  private void endMarked(int slot) {
    if ((flags[slot] & RECORDED) != 0) {
      flags[slot] &= ~RECORDED;
      spans.ended(slot, kinds[slot], outcomes[slot], failures[slot]);
    }
    if ((flags[slot] & AWAITED) != 0) {
      flags[slot] &= ~AWAITED;
      waiting.wake(slot);
    }
    if (isDetached(slot)) {
      end(slot);
    }
  }

  /** Fails whatever is still pending. */
  void failAll(TransportException why) {
    for (int slot = 0; slot < numbers.length; slot++) {
      if (isPending(slot)) {
        fail(slot, why);
      }
    }
  }

  /** Frees a slot whose outcome was returned; its memory is the caller's again. */
  public void end(int slot) {
    for (int i = slot * Transport.MAX_GROUP; i < slot * Transport.MAX_GROUP + sizes[slot]; i++) {
      release(i);
    }
    withDeadline -= hasDeadline(slot) ? 1 : 0;
    flags[slot] = 0;
    pending -= isPending(slot) ? 1 : 0;
    numbers[slot] = NONE;
    failures[slot] = null;
    free.add(slot);
    outstanding--;
  }

  /**
   * The device cannot be stopped: what the requests of now use stays registered until {@link
   * #releaseKeptMemory}, if need be for good.
   */
  void keepMemory() {
    for (int slot = 0; slot < numbers.length; slot++) {
      if (numbers[slot] != NONE) {
        flags[slot] |= KEPT;
      }
    }
  }

  /** The device has stopped after all. */
  void releaseKeptMemory() {
    for (int slot = 0; slot < flags.length; slot++) {
      flags[slot] &= ~KEPT;
    }
    kept.forEach(Retained::release);
    kept.clear();
  }

  private void release(int use) {
    Retained memory = memories[use];
    // None if the channel was closed before the request was tested.
    if (memory != null) {
      memories[use] = null;
      if ((flags[use / Transport.MAX_GROUP] & KEPT) != 0) {
        kept.add(memory);
      } else {
        memory.release();
      }
    }
  }

  /**
   * Releases all memory, of tested requests and others: the channel is closed. Outcomes, and how
   * many messages each has, can still be read.
   */
  void endAll() {
    for (int slot = 0; slot < numbers.length; slot++) {
      int uses = numbers[slot] == NONE ? 0 : sizes[slot];
      for (int i = slot * Transport.MAX_GROUP; i < slot * Transport.MAX_GROUP + uses; i++) {
        release(i);
      }
    }
  }

  /** A pending request whose deadline has passed, or -1. */
  int overdue(long nowNs) {
    if (withDeadline == 0 || nowNs - noDeadlineBeforeNs < 0) {
      return -1;
    }
    int earliest = earliestDeadline(nowNs);
    return earliest >= 0 && nowNs - deadlinesNs[earliest] >= 0 ? earliest : -1;
  }

  /**
   * Nanoseconds in which no deadline of a pending request passes, at most the given number. They
   * may be fewer than until the next deadline, if a request with an earlier one has ended
   * meanwhile.
   */
  long untilDeadlineNs(long nowNs, long atMostNs) {
    if (withDeadline == 0) {
      return atMostNs;
    }
    if (nowNs - noDeadlineBeforeNs >= 0) {
      earliestDeadline(nowNs);
    }
    return Math.min(atMostNs, Math.max(0, noDeadlineBeforeNs - nowNs));
  }

  /**
   * Visits all slots that were ever used: called only when the earliest that was known has passed,
   * so that polls do not pay for what is outstanding.
   *
   * @return the pending request with the earliest deadline, or -1
   */
  private int earliestDeadline(long nowNs) {
    int earliest = -1;
    long untilNs = FAR_NS;
    for (int slot = 0; slot < numbers.length; slot++) {
      long slotUntilNs = deadlinesNs[slot] - nowNs;
      if (hasDeadline(slot) && isPending(slot) && slotUntilNs < untilNs) {
        earliest = slot;
        untilNs = slotUntilNs;
      }
    }
    noDeadlineBeforeNs = nowNs + untilNs;
    return earliest;
  }
}
