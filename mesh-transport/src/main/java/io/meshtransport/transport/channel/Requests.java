// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.jfr.FlightEvents;
import io.meshtransport.transport.jfr.RequestSpans;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.transport.stats.ChannelCounters;
import io.meshtransport.transport.stats.SendTimer;
import java.util.Arrays;

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

  /** Of {@link #flags}: no caller will test it. */
  private static final int DETACHED = 1;

  /** The flight recorder times it. */
  private static final int RECORDED = 2;

  /** A thread sleeps until it ends, or has done so. */
  private static final int AWAITED = 4;

  private final int max;
  private long[] numbers = new long[TableGrowth.FIRST];
  private long[] outcomes = new long[TableGrowth.FIRST];
  private TransportException[] failures = new TransportException[TableGrowth.FIRST];

  /** Of multi-receives, most messages; of others 0. */
  private int[] limits = new int[TableGrowth.FIRST];

  private CompletionKind[] kinds = new CompletionKind[TableGrowth.FIRST];
  private long[] userData = new long[TableGrowth.FIRST];
  private final RequestDeadlines deadlines = new RequestDeadlines();
  private final RequestMemory memory = new RequestMemory();
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

  private long begun;
  private int outstanding;
  private int pending;

  private final RecentFailures recentFailures;

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

  /** When a pending request that has a deadline began, on the clock of System.nanoTime. */
  long beganNs(int slot) {
    return deadlines.beganNs(slot);
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
    limits[slot] = 0;
    flags[slot] = 0;
    memory.begin(slot);
    deadlines.begin(slot, nowNs, timeoutNs);
    return slot;
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
    failures = Arrays.copyOf(failures, slots);
    limits = Arrays.copyOf(limits, slots);
    kinds = Arrays.copyOf(kinds, slots);
    userData = Arrays.copyOf(userData, slots);
    flags = Arrays.copyOf(flags, slots);
    deadlines.grow(slots);
    memory.grow(slots);
  }

  /** Notes that a request uses memory, which the request has retained. */
  public void uses(int slot, Retained retained) {
    memory.add(slot, retained);
  }

  /** What the request uses, its first if there are several. */
  public MeshMemory memory(int slot) {
    return memory.first(slot);
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

  /** How long a pending request was given, or {@link SendChannel#NO_DEADLINE}. */
  public long timeoutNs(int slot) {
    return deadlines.timeoutNs(slot);
  }

  /** Whether a pending request has a deadline. */
  public boolean hasDeadline(int slot) {
    return deadlines.has(slot);
  }

  /** Gives a pending request another deadline; one that has a deadline began when it did. */
  public void postpone(int slot, long nowNs, long timeoutNs) {
    deadlines.postpone(slot, nowNs, timeoutNs);
  }

  /** A request may get so many messages into the memory that it uses. */
  public void limit(int slot, int messages) {
    limits[slot] = messages;
  }

  /** How many lengths a request may have. */
  int maxLengths(int slot) {
    return Math.max(limits[slot], memory.size(slot));
  }

  /** Messages, or receives, of a request. */
  public int size(int slot) {
    return memory.size(slot);
  }

  public TransportException failure(int slot) {
    return failures[slot];
  }

  /**
   * A message has come into one of the memories that a request uses. Called where a caller may read
   * it before the request succeeds; a request of a single memory reports it when it succeeds.
   */
  public void arrived(int slot, int use, long lengthBytes) {
    memory.arrived(slot, use, lengthBytes);
  }

  public void succeed(int slot, long lengthBytes) {
    succeed(slot, lengthBytes, Math.max(1, memory.size(slot)));
  }

  /**
   * @param messages that it has received or sent
   */
  public void succeed(int slot, long lengthBytes, int messages) {
    if (outcomes[slot] == Channel.PENDING) {
      if (memory.size(slot) == 1) {
        arrived(slot, 0, lengthBytes);
      }
      outcomes[slot] = lengthBytes;
      stopPending(slot);
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
      stopPending(slot);
      counts.add(Counter.FAILED_REQUESTS, 1);
      stopwatch.failed(slot);
      failures[slot] = why;
      recentFailures.add(numbers[slot], why);
      endIfMarked(slot);
      attendant.ended(slot);
    }
  }

  private void stopPending(int slot) {
    pending--;
    deadlines.clear(slot);
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
    memory.release(slot);
    flags[slot] = 0;
    if (isPending(slot)) {
      stopPending(slot);
    }
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
    memory.startKeeping();
  }

  /** The device has stopped after all. */
  void releaseKeptMemory() {
    memory.stopKeeping();
  }

  /**
   * Releases all memory, of tested requests and others: the channel is closed. Outcomes, and how
   * many messages each has, can still be read.
   */
  void endAll() {
    memory.releaseAll();
  }

  /** A pending request whose deadline has passed, or -1. */
  int overdue(long nowNs) {
    return deadlines.overdue(nowNs);
  }

  /**
   * Nanoseconds in which no deadline of a pending request passes, at most the given number. They
   * may be fewer than until the next deadline, if a request with an earlier one has ended
   * meanwhile.
   */
  long untilDeadlineNs(long nowNs, long atMostNs) {
    return deadlines.untilNextNs(nowNs, atMostNs);
  }
}
