// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.CompletionKind;
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
  private static final int SLOT_BITS = 6;
  private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;
  private static final long NONE = -1;

  private long[] numbers = new long[TableGrowth.FIRST];
  private long[] outcomes = new long[TableGrowth.FIRST];
  private long[] deadlinesNs = new long[TableGrowth.FIRST];
  private long[] timeoutsNs = new long[TableGrowth.FIRST];
  private TransportException[] failures = new TransportException[TableGrowth.FIRST];
  private Retained[] memories = new Retained[TableGrowth.FIRST * Transport.MAX_GROUP];
  private int[] sizes = new int[TableGrowth.FIRST];
  private CompletionKind[] kinds = new CompletionKind[TableGrowth.FIRST];
  private long[] userData = new long[TableGrowth.FIRST];
  private ChannelAttendant attendant = ChannelAttendant.NONE;
  private final ChannelCounters counts = new ChannelCounters();

  /** Of messages received; the same as {@link #counts} unless requests go in both directions. */
  private ChannelCounters receivedCounts = counts;

  private SendTimer stopwatch = SendTimer.OFF;
  private RequestSpans spans;
  private long freeSlots = -1;
  private long withDeadline;

  /** Those with more to do at their end, detached or recorded; the next two say which. */
  private long marked;

  /** Those that no caller will test; of no meaning for one that is not marked. */
  private long detached;

  /** Those that the flight recorder times. */
  private long recorded;

  private long begun;

  /** Whose memory is not given back when they end, but kept. */
  private long keptSlots;

  private final RecentFailures recentFailures = new RecentFailures();

  private final List<Retained> kept = new ArrayList<>(0);

  Requests() {
    Arrays.fill(numbers, NONE);
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

  /** The pending ones, a bit for each slot. */
  long pending() {
    long pending = 0;
    for (long used = ~freeSlots; used != 0; used &= used - 1) {
      int slot = Long.numberOfTrailingZeros(used);
      pending |= outcomes[slot] == Channel.PENDING ? 1L << slot : 0;
    }
    return pending;
  }

  public boolean isFull() {
    return freeSlots == 0;
  }

  /**
   * Requests that {@link #end} has not ended; a thread without the lock may see an older number.
   */
  int outstanding() {
    return Long.bitCount(~freeSlots);
  }

  /** Slot of the pending request that began first, or -1. */
  int oldestPending() {
    int oldest = -1;
    for (long used = ~freeSlots; used != 0; used &= used - 1) {
      int slot = Long.numberOfTrailingZeros(used);
      if (outcomes[slot] == Channel.PENDING && (oldest < 0 || numbers[slot] < numbers[oldest])) {
        oldest = slot;
      }
    }
    return oldest;
  }

  /** When a request that has a deadline began, on the clock of System.nanoTime. */
  long beganNs(int slot) {
    return deadlinesNs[slot] - timeoutsNs[slot];
  }

  /** Whether there is a request whose end is still open. */
  boolean anyPending() {
    for (long used = ~freeSlots; used != 0; used &= used - 1) {
      if (outcomes[Long.numberOfTrailingZeros(used)] == Channel.PENDING) {
        return true;
      }
    }
    return false;
  }

  /**
   * Takes a free slot, of which there must be one.
   *
   * @param nowNs on the clock of System.nanoTime, meaningful if there is a deadline
   * @param timeoutNs from then to the deadline, or {@link SendChannel#NO_DEADLINE}
   */
  int begin(long nowNs, long timeoutNs) {
    int slot = Long.numberOfTrailingZeros(freeSlots);
    freeSlots &= freeSlots - 1;
    if (slot >= numbers.length) {
      grow(TableGrowth.toHold(slot));
    }
    numbers[slot] = begun++ << SLOT_BITS | slot;
    outcomes[slot] = Channel.PENDING;
    deadlinesNs[slot] = nowNs + timeoutNs;
    timeoutsNs[slot] = timeoutNs;
    withDeadline |= timeoutNs == SendChannel.NO_DEADLINE ? 0 : 1L << slot;
    sizes[slot] = 0;
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
      recorded |= 1L << slot;
      detached &= ~(1L << slot);
      marked |= 1L << slot;
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
    kinds = Arrays.copyOf(kinds, slots);
    userData = Arrays.copyOf(userData, slots);
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
    return (marked & detached & 1L << slot) != 0;
  }

  /** How long a request that has a deadline was given. */
  public long timeoutNs(int slot) {
    return timeoutsNs[slot];
  }

  public boolean hasDeadline(int slot) {
    return (withDeadline & 1L << slot) != 0;
  }

  /** Gives a pending request another deadline; one that has a deadline began when it did. */
  public void postpone(int slot, long nowNs, long timeoutNs) {
    long beganNs = hasDeadline(slot) ? beganNs(slot) : nowNs;
    deadlinesNs[slot] = nowNs + timeoutNs;
    timeoutsNs[slot] = deadlinesNs[slot] - beganNs;
    withDeadline |= 1L << slot;
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
    if (outcomes[slot] == Channel.PENDING) {
      if (sizes[slot] == 1) {
        arrived(slot, 0, lengthBytes);
      }
      outcomes[slot] = lengthBytes;
      ChannelCounters direction = kinds[slot] == CompletionKind.RECEIVED ? receivedCounts : counts;
      direction.add(Counter.MESSAGES, Math.max(1, sizes[slot]));
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
    detached |= 1L << slot;
    marked |= 1L << slot;
    endIfMarked(slot);
  }

  private void endIfMarked(int slot) {
    if ((marked & 1L << slot) != 0 && outcomes[slot] != Channel.PENDING) {
      endMarked(slot);
    }
  }

  private void endMarked(int slot) {
    if ((recorded & 1L << slot) != 0) {
      recorded &= ~(1L << slot);
      spans.ended(slot, kinds[slot], outcomes[slot], failures[slot]);
    }
    if (isDetached(slot)) {
      end(slot);
    }
  }

  /** Fails whatever is still pending. */
  void failAll(TransportException why) {
    for (long used = ~freeSlots; used != 0; used &= used - 1) {
      fail(Long.numberOfTrailingZeros(used), why);
    }
  }

  /** Frees a slot whose outcome was returned; its memory is the caller's again. */
  public void end(int slot) {
    for (int i = slot * Transport.MAX_GROUP; i < slot * Transport.MAX_GROUP + sizes[slot]; i++) {
      release(i);
    }
    keptSlots &= ~(1L << slot);
    numbers[slot] = NONE;
    failures[slot] = null;
    withDeadline &= ~(1L << slot);
    marked &= ~(1L << slot);
    freeSlots |= 1L << slot;
  }

  /**
   * The device cannot be stopped: what the requests of now use stays registered until {@link
   * #releaseKeptMemory}, if need be for good.
   */
  void keepMemory() {
    keptSlots |= ~freeSlots;
  }

  /** The device has stopped after all. */
  void releaseKeptMemory() {
    keptSlots = 0;
    kept.forEach(Retained::release);
    kept.clear();
  }

  private void release(int use) {
    Retained memory = memories[use];
    // None if the channel was closed before the request was tested.
    if (memory != null) {
      memories[use] = null;
      if ((keptSlots & 1L << use / Transport.MAX_GROUP) == 0) {
        memory.release();
      } else {
        kept.add(memory);
      }
    }
  }

  /**
   * Releases all memory, of tested requests and others: the channel is closed. Outcomes, and how
   * many messages each has, can still be read.
   */
  void endAll() {
    for (long used = ~freeSlots; used != 0; used &= used - 1) {
      int slot = Long.numberOfTrailingZeros(used);
      for (int i = slot * Transport.MAX_GROUP; i < slot * Transport.MAX_GROUP + sizes[slot]; i++) {
        release(i);
      }
    }
  }

  /** A pending request whose deadline has passed, or -1. */
  int overdue(long nowNs) {
    for (long some = withDeadline; some != 0; some &= some - 1) {
      int slot = Long.numberOfTrailingZeros(some);
      if (outcomes[slot] == Channel.PENDING && nowNs - deadlinesNs[slot] >= 0) {
        return slot;
      }
    }
    return -1;
  }

  /** Nanoseconds until the next deadline of a pending request, at most the given number. */
  long untilDeadlineNs(long nowNs, long atMostNs) {
    long until = atMostNs;
    for (long some = withDeadline; some != 0; some &= some - 1) {
      int slot = Long.numberOfTrailingZeros(some);
      if (outcomes[slot] == Channel.PENDING) {
        until = Math.min(until, Math.max(0, deadlinesNs[slot] - nowNs));
      }
    }
    return until;
  }
}
