// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Measures how fast long messages come in over the links of one rank, one link at a time, as {@link
 * ProbeTurns} has them: both ends put at the same time, as operations do, in pieces of which a
 * program that has just begun handles few. With the member's lock.
 *
 * <p>A turn begins with three messages: that the lower rank is ready, that the higher is, and that
 * the lower knows. So each end knows a moment before which nothing has come.
 */
final class RateProbe {
  /** Of a put; all neighbours' go to the same place. */
  static final int BULK_BYTES = 128 << 10;

  /** The engine has no part in puts of the probe. */
  private static final int NOTICE = 0;

  /** In each turn, as long as they fit into the time. */
  private static final long MAX_BULK_BYTES = 4 << 20;

  private static final long BULK_NS = 30_000_000;

  /**
   * Less says little of a link, so that one that is slow, or a host that is busy, has more time.
   */
  private static final long MIN_BULK_BYTES = 1 << 20;

  private static final long MAX_BULK_NS = 250_000_000;

  /** Puts that have not ended, and more once as many have: not on a link of 1 Mb/s. */
  private static final int MAX_WAITING = 3;

  private static final int MAX_WAITING_OF_FAST = 12;

  /** Of a turn, once both ends are ready: for what is on its way on a link of 1 Mb/s. */
  private static final long TURN_NS = 4_000_000_000L;

  private final LocalRank member;
  private final RegisteredMemory memory;
  private final LongSupplier clock;

  /** By rank: where to put. */
  private final RemoteMemory[] targets;

  private final ArrivalRate[] rates;

  /** Of each link: turns that this end has begun. */
  private final int[] turns;

  /** Of each link: how often the other end said that it begins, and that its puts have ended. */
  private final int[] begins;

  private final int[] ends;

  /** Of each link: whether one turn took so long that it must do. */
  private final boolean[] isSlow;

  /** Of each link: puts that have not ended. */
  private final int[] waiting;

  /**
   * @param memory what is put, and, behind that, where neighbours put
   * @param clock in nanoseconds
   */
  RateProbe(LocalRank member, RegisteredMemory memory, LongSupplier clock) {
    this.member = member;
    this.memory = memory;
    this.clock = clock;
    targets = new RemoteMemory[member.membership().size()];
    int bound = member.links().bound();
    rates = new ArrivalRate[bound];
    Arrays.setAll(rates, link -> new ArrivalRate());
    turns = new int[bound];
    begins = new int[bound];
    ends = new int[bound];
    isSlow = new boolean[bound];
    waiting = new int[bound];
  }

  void target(int rank, RemoteMemory newTarget) {
    targets[rank] = newTarget;
  }

  /** The other end of a link is ready, or has learned that this one is. */
  void begins(int link) {
    begins[link]++;
  }

  /** All puts of a turn have arrived. */
  void ends(int link) {
    ends[link]++;
  }

  /** A put of a neighbour has arrived. */
  void arrived(int link) {
    rates[link].arrived(BULK_BYTES, clock.getAsLong());
  }

  /** A put of this rank has ended. */
  void putDone(int link) {
    waiting[link]--;
  }

  /** Of the best turn; 0 if nothing has come. */
  long bytesPerSecond(int link) {
    return rates[link].bytesPerSecond();
  }

  /** Whether turns found the same rate. */
  boolean isSteady(int link) {
    return rates[link].isSteady();
  }

  /**
   * One turn: waits for the neighbour, then takes 4 seconds at most.
   *
   * @param isWarm whether this is not the first turn of the link: programs that have just begun are
   *     slow, which says nothing of it
   * @throws CollectiveException TIMED_OUT if the neighbour is not ready in time
   */
  void measure(int link, boolean isWarm, Deadline deadline) throws CollectiveException {
    turns[link]++;
    begin(link, deadline);
    Deadline soon = deadline.sooner(TURN_NS);
    long sent = isSlow[link] ? 0 : put(link, soon);
    isSlow[link] |= isWarm && sent < MIN_BULK_BYTES;
    member.send(link, RankMessage.Kind.BULK_END, new byte[0]);
    await(() -> ends[link] >= turns[link], soon);
    rates[link].endRound();
  }

  /** Each end counts from its own last message, before which the other has not put. */
  private void begin(int link, Deadline deadline) throws CollectiveException {
    boolean isLower = member.membership().rank() < neighbour(link);
    int before = isLower ? turns[link] : 2 * turns[link] - 1;
    if (isLower) {
      member.send(link, RankMessage.Kind.BULK_BEGIN, new byte[0]);
    }
    awaitBegins(link, before, deadline);
    rates[link].beginRound(clock.getAsLong());
    member.send(link, RankMessage.Kind.BULK_BEGIN, new byte[0]);
    if (!isLower) {
      awaitBegins(link, before + 1, deadline);
    }
  }

  private void awaitBegins(int link, int count, Deadline deadline) throws CollectiveException {
    if (!await(() -> begins[link] >= count, deadline)) {
      GroupMembership membership = member.membership();
      member.fail(
          new Failure(
              Reason.TIMED_OUT,
              neighbour(link),
              membership.member(membership.rank())
                  + " waited in vain for "
                  + membership.member(neighbour(link))
                  + " to measure the link between them, in the time for joining the group."));
      member.check();
    }
  }

  /** Waits until all puts of this rank have ended, also those that outlasted their turn. */
  void awaitPuts(Deadline deadline) throws CollectiveException {
    await(() -> Arrays.stream(waiting).allMatch(each -> each == 0), deadline);
  }

  private boolean await(BooleanSupplier goal, Deadline deadline) throws CollectiveException {
    while (!goal.getAsBoolean()) {
      member.requireAllPresent();
      if (deadline.leftNs() <= 0) {
        return false;
      }
      member.waitFor(Math.max(1, deadline.leftNs()));
    }
    return true;
  }

  private int neighbour(int link) {
    return link % targets.length;
  }

  /** Answers how many bytes. */
  private long put(int link, Deadline deadline) throws CollectiveException {
    long beginNs = clock.getAsLong();
    long sent = 0;
    boolean isOver = false;
    while (!isOver && deadline.leftNs() > 0) {
      while (!isOver && waiting[link] < maxWaiting(link, sent)) {
        waiting[link]++;
        member.links().add(memory, 0, BULK_BYTES, targets[neighbour(link)], BULK_BYTES);
        member.links().put(link, NOTICE, link);
        sent += BULK_BYTES;
        isOver = isOver(sent, clock.getAsLong() - beginNs);
      }
      if (!isOver) {
        member.requireAllPresent();
        member.waitFor(BULK_NS);
        isOver = isOver(sent, clock.getAsLong() - beginNs);
      }
    }
    await(() -> waiting[link] == 0, deadline);
    return sent;
  }

  private int maxWaiting(int link, long sentBytes) {
    long ended = sentBytes / BULK_BYTES - waiting[link];
    return ended >= MAX_WAITING ? MAX_WAITING_OF_FAST : MAX_WAITING;
  }

  private static boolean isOver(long sentBytes, long tookNs) {
    return sentBytes >= MAX_BULK_BYTES
        || tookNs >= BULK_NS && sentBytes >= MIN_BULK_BYTES
        || tookNs >= MAX_BULK_NS;
  }
}
