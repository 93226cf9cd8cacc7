// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.exec.Engine;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One rank of a group: its links, its operations, what the others told, and whether it has failed.
 *
 * <p>All state belongs to {@link #lock}. Of the threads that wait, one at a time is at the poller,
 * without the lock; it handles what it found with the lock, and the others look again.
 */
final class LocalRank implements MemberLinks.Events {
  private static final long PRESENT = -1;

  /** How long a mesh may take to say whether a node is gone: longer than its verdicts do. */
  private static final long VERDICT_NS = 3_000_000_000L;

  /** A wake-up may come just before the poller waits: closing wakes it again after so long. */
  private static final long CLOSE_CHECK_NS = 1_000_000;

  /** What a thread waits for. */
  interface Goal {
    /** With the lock. */
    boolean isReached() throws CollectiveException;

    /** Nanoseconds until a deadline of its own, at which it is to be asked again. */
    long leftNs();
  }

  private final GroupMembership membership;
  private final MemberLinks links;
  private final Engine engine;
  private final Records records;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** By rank: how many runs it had started when it left; {@link #PRESENT} while it has not. */
  private final long[] startsWhenLeft;

  private long starts;
  private LinkProbe probe;
  private Failure failure;
  private Throwable cause;
  private MemberVerdicts verdicts = MemberVerdicts.NONE;
  private boolean hasOverlay;

  /** Connections that were lost, by rank, until it is known whether their ranks are. */
  private final Map<Integer, TransportException> lost = new TreeMap<>();

  private long lostAtNs;
  private boolean isAtPoller;
  private boolean isClosed;

  LocalRank(GroupMembership membership, MemberLinks links) {
    this.membership = membership;
    this.links = links;
    links.events(this);
    engine = new Engine(links, membership.rank());
    records = new Records(membership.size());
    startsWhenLeft = new long[membership.size()];
    Arrays.fill(startsWhenLeft, PRESENT);
  }

  GroupMembership membership() {
    return membership;
  }

  MemberLinks links() {
    return links;
  }

  Engine engine() {
    return engine;
  }

  Records records() {
    return records;
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /** With the lock: what measures the links gets its messages from now on. */
  void probe(LinkProbe measures) {
    probe = measures;
  }

  /** With the lock: to one neighbour alone. */
  void send(int rank, RankMessage.Kind kind, byte[] body) {
    links.send(rank, new RankMessage(kind, membership.rank(), 0, body).encode());
  }

  /** A neighbour more; it gets what is known already. */
  void join(int rank, Connection connection) throws TransportException {
    links.add(rank, connection);
    for (RankMessage each : records.known()) {
      links.send(rank, each.encode());
    }
    for (int left = 0; left < startsWhenLeft.length; left++) {
      if (hasLeft(left)) {
        links.send(rank, goodbye(left, startsWhenLeft[left]).encode());
      }
    }
  }

  private static RankMessage goodbye(int rank, long starts) {
    byte[] body = ByteBuffer.allocate(Long.BYTES).putLong(starts).array();
    return new RankMessage(RankMessage.Kind.GOODBYE, rank, 0, body);
  }

  /** With the lock: throws if the group has failed, or was closed. */
  void check() throws CollectiveException {
    if (failure != null) {
      throw failure.exception(membership, cause);
    }
    if (isClosed) {
      throw new CollectiveException(
          Reason.CLOSED,
          membership.rank(),
          membership.names().get(membership.rank()),
          membership.spec() + " was closed on this rank.");
    }
  }

  boolean hasFailed() {
    return failure != null;
  }

  /**
   * With the lock: waits until the goal is reached.
   *
   * @return false if the time passed before
   * @throws CollectiveException INTERRUPTED, or why the group has failed
   */
  boolean await(Goal goal, long timeoutNs) throws CollectiveException {
    long beginNs = System.nanoTime();
    while (!goal.isReached()) {
      check();
      long leftNs = timeoutNs - (System.nanoTime() - beginNs);
      if (leftNs <= 0) {
        return false;
      }
      waitFor(Math.min(leftNs, Math.min(goal.leftNs(), verdictLeftNs())));
      if (!lost.isEmpty()) {
        decide();
      }
    }
    return true;
  }

  /**
   * With the lock: waits until something has happened, at most so long.
   *
   * @throws CollectiveException INTERRUPTED
   */
  void waitFor(long timeoutNs) throws CollectiveException {
    waitOnce(timeoutNs);
    if (Thread.currentThread().isInterrupted()) {
      throw new CollectiveException(
          Reason.INTERRUPTED,
          CollectiveException.NO_RANK,
          "",
          membership.spec() + ": the waiting thread was interrupted; what it waited for goes on.");
    }
  }

  private void waitOnce(long timeoutNs) {
    if (isAtPoller) {
      try {
        changed.awaitNanos(timeoutNs);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return;
    }
    isAtPoller = true;
    lock.unlock();
    int count = 0;
    try {
      count = links.await(timeoutNs);
    } finally {
      lock.lock();
      isAtPoller = false;
      handle(count);
    }
  }

  /** With the lock: what is there already, without waiting. */
  void poll() {
    if (!isAtPoller && !isClosed) {
      handle(links.poll());
    }
  }

  /** What throws here fails the group: which thread polls is chance. */
  private void handle(int count) {
    try {
      if (count > 0) {
        links.handle(count);
        advance();
      }
    } catch (RuntimeException e) {
      failHere(e);
    } finally {
      changed.signalAll();
    }
  }

  /** With the lock: operations do what is possible. What a program's reducer throws fails all. */
  void advance() {
    if (failure != null || !lost.isEmpty()) {
      return;
    }
    try {
      engine.advance();
    } catch (RuntimeException e) {
      failHere(e);
    }
  }

  /** With the lock. */
  void start(int operation) throws CollectiveException {
    starts++;
    checkAllPresent();
    check();
    try {
      engine.start(operation);
    } catch (RuntimeException e) {
      failHere(e);
    }
  }

  private void failHere(RuntimeException thrown) {
    cause = thrown;
    fail(
        new Failure(
            Reason.ABORTED,
            membership.rank(),
            membership.member(membership.rank()) + " threw " + thrown + "."));
  }

  /** With the lock: fails the group here, and tells the neighbours. Only the first counts. */
  void fail(Failure why) {
    if (failure != null || isClosed) {
      return;
    }
    failure = why;
    flood(new RankMessage(RankMessage.Kind.FAILURE, membership.rank(), 0, why.encode()), -1);
    changed.signalAll();
  }

  /** To all neighbours but the one that it came from. */
  private void flood(RankMessage message, int from) {
    ByteBuffer bytes = message.encode();
    for (int rank = 0; rank < membership.size(); rank++) {
      if (rank != from && rank != message.origin()) {
        links.send(rank, bytes.duplicate());
      }
    }
  }

  /**
   * With the lock: gives all ranks this rank's record of the next round, and waits for theirs.
   *
   * @param what this rank is about, for texts
   */
  byte[][] exchange(RoundKind kind, byte[] mine, String what, long timeoutNs)
      throws CollectiveException {
    check();
    tell(kind, mine);
    if (!awaitRecords(what, timeoutNs)) {
      TreeSet<Integer> missing = records.missing();
      fail(
          new Failure(
              Reason.TIMED_OUT,
              missing.first(),
              membership.member(membership.rank())
                  + " waited in vain for "
                  + membership.members(missing)
                  + " to do the same: "
                  + what
                  + ". Every member must do it, in the same order."));
      check();
    }
    return endRound();
  }

  /**
   * With the lock: the records of a round that is complete.
   *
   * @throws CollectiveException MISMATCH, with the same text on all ranks, if they do not all do
   *     the same
   */
  byte[][] endRound() throws CollectiveException {
    byte[][] all = records.end();
    for (int rank = 0; rank < all.length; rank++) {
      if (!RoundKind.text(all[rank]).equals(RoundKind.text(all[0]))) {
        failMismatch(rank, RoundKind.text(all[0]), RoundKind.text(all[rank]));
      }
    }
    return Arrays.stream(all)
        .map(each -> Arrays.copyOfRange(each, 1, each.length))
        .toArray(byte[][]::new);
  }

  private void failMismatch(int rank, String expected, String found) throws CollectiveException {
    fail(
        new Failure(
            Reason.MISMATCH,
            rank,
            "%s %s, and %s %s. Every member must do the same, in the same order."
                .formatted(membership.member(0), expected, membership.member(rank), found)));
    check();
  }

  /**
   * With the lock: a record that its rank's program cannot have meant fails the group.
   *
   * @throws CollectiveException always
   */
  CollectiveException failRecord(int rank) throws CollectiveException {
    fail(
        new Failure(
            Reason.MISMATCH,
            rank,
            membership.member(rank)
                + " sent a record that is none of this version. Give all members the same version."));
    check();
    throw new IllegalStateException("a group that has failed");
  }

  /** A rank that stops waiting has told the others already, and would be a round behind them. */
  private boolean awaitRecords(String what, long timeoutNs) throws CollectiveException {
    try {
      return await(new Completion(), timeoutNs);
    } catch (CollectiveException e) {
      fail(
          new Failure(
              Reason.ABORTED,
              membership.rank(),
              membership.member(membership.rank()) + " gave up " + what + ": " + e.getMessage()));
      throw e;
    }
  }

  /** With the lock: gives all ranks this rank's record of the next round. */
  void tell(RoundKind kind, byte[] mine) {
    byte[] body = ByteBuffer.allocate(1 + mine.length).put((byte) kind.ordinal()).put(mine).array();
    RankMessage message =
        new RankMessage(RankMessage.Kind.RECORD, membership.rank(), records.round(), body);
    records.add(message);
    flood(message, -1);
  }

  private final class Completion implements Goal {
    @Override
    public boolean isReached() {
      boolean isComplete = records.isComplete();
      if (!isComplete) {
        failForThoseThatLeft();
      }
      return isComplete;
    }

    @Override
    public long leftNs() {
      return Long.MAX_VALUE;
    }
  }

  @Override
  public void putDone(long userData) {
    engine.putDone(userData);
  }

  @Override
  public void notice(int rank, int notice) {
    if (!engine.notice(rank, notice)) {
      fail(
          new Failure(
              Reason.ABORTED,
              rank,
              "%s sent %s the notice %08x, which its operation does not allow now."
                  .formatted(
                      membership.member(rank), membership.member(membership.rank()), notice)));
    }
  }

  @Override
  public void control(int from, ByteBuffer bytes) {
    RankMessage.decode(bytes, membership.size()).ifPresent(message -> handle(from, message));
  }

  private void handle(int from, RankMessage message) {
    switch (message.kind()) {
      case RECORD -> {
        if (records.add(message)) {
          flood(message, from);
        }
      }
      case FAILURE -> {
        if (failure == null && !isClosed) {
          failure = Failure.decode(message.body(), membership.size());
          flood(message, from);
        }
      }
      case GOODBYE -> {
        if (!hasLeft(message.origin()) && message.body().length == Long.BYTES) {
          startsWhenLeft[message.origin()] = ByteBuffer.wrap(message.body()).getLong();
          flood(message, from);
          checkAllPresent();
        }
      }
      default -> {
        if (probe != null) {
          probe.handle(from, message);
        }
      }
    }
  }

  @Override
  public void lost(int rank, TransportException why) {
    if (hasLeft(rank) || isClosed) {
      return;
    }
    if (why.reason() == TransportException.Reason.CLOSED) {
      failOfClosedTransport(why);
      return;
    }
    if (lost.isEmpty()) {
      lostAtNs = System.nanoTime();
    }
    lost.putIfAbsent(rank, why);
    decide();
  }

  /** The others find their connections to this rank closed, and hear nothing else from it. */
  private void failOfClosedTransport(TransportException why) {
    if (failure == null) {
      cause = why;
      failure =
          new Failure(
              Reason.CLOSED,
              membership.rank(),
              membership.member(membership.rank())
                  + " has closed the transport of "
                  + membership.spec()
                  + ". Close its groups first.");
    }
  }

  /** With the lock: who can tell a rank that is gone from a cable that is. */
  void verdicts(MemberVerdicts newVerdicts, boolean isOverlaid) {
    verdicts = newVerdicts;
    hasOverlay = isOverlaid;
  }

  private long verdictLeftNs() {
    return lost.isEmpty()
        ? Long.MAX_VALUE
        : Math.max(1, VERDICT_NS - (System.nanoTime() - lostAtNs));
  }

  /** Any thread: fails the group for a connection that was lost, once it is known what that is. */
  void decide() {
    lock.lock();
    try {
      if (failure == null && !isClosed) {
        lost.forEach(this::decide);
        links.wakeup();
      }
    } finally {
      lock.unlock();
    }
  }

  private void decide(int rank, TransportException why) {
    boolean isLate = System.nanoTime() - lostAtNs >= VERDICT_NS;
    MemberVerdicts.Verdict verdict = verdicts.of(rank);
    if (verdict == MemberVerdicts.Verdict.GONE) {
      cause = failure == null ? why : cause;
      String reports = membership.member(membership.rank()) + " reports: " + why.summary();
      fail(new Failure(Reason.RANK_LOST, rank, membership.member(rank) + " is lost, " + reports));
    } else if (isLate || verdict == MemberVerdicts.Verdict.CUT_OFF) {
      cause = failure == null ? why : cause;
      failCutOff(rank, why.summary());
    }
  }

  /** Any thread: no cable leads to a neighbour any more. What a relay does not carry, fails. */
  void cutOff(int rank, String evidence) {
    lock.lock();
    try {
      if (!hasOverlay && !hasLeft(rank) && !isClosed) {
        failCutOff(rank, evidence);
        links.wakeup();
      }
    } finally {
      lock.unlock();
    }
  }

  private void failCutOff(int rank, String evidence) {
    fail(
        new Failure(
            Reason.LINK_LOST,
            CollectiveException.NO_RANK,
            "No cable is left between "
                + membership.member(Math.min(rank, membership.rank()))
                + " and "
                + membership.member(Math.max(rank, membership.rank()))
                + ", both of which live: "
                + evidence.replaceFirst("[.]$", "")
                + ". Go on with rejoin, over the cables that are left."));
  }

  /** With the lock: whether a run is complete, and all that it has put has arrived. */
  boolean isDone(int operation) {
    return failure == null && lost.isEmpty() && engine.isDone(operation);
  }

  /** With the lock: a group that is being joined needs every rank. */
  void requireAllPresent() throws CollectiveException {
    for (int rank = 0; rank < startsWhenLeft.length; rank++) {
      if (hasLeft(rank)) {
        failForOneThatLeft(rank);
      }
    }
    check();
  }

  /** A rank says goodbye behind its records: one that has not told will not. */
  private void failForThoseThatLeft() {
    for (int rank : records.missing()) {
      if (hasLeft(rank)) {
        failForOneThatLeft(rank);
      }
    }
  }

  private void failForOneThatLeft(int rank) {
    fail(new Failure(Reason.ABORTED, rank, membership.member(rank) + " has closed its group."));
  }

  /** All ranks start as many runs: one that has left will not take part in those beyond. */
  private void checkAllPresent() {
    for (int rank = 0; rank < startsWhenLeft.length; rank++) {
      if (hasLeft(rank) && starts > startsWhenLeft[rank]) {
        failForOneThatLeft(rank);
      }
    }
  }

  private boolean hasLeft(int rank) {
    return startsWhenLeft[rank] != PRESENT;
  }

  /**
   * Says goodbye if all is well, waits a moment for what is on its way, and closes the links. An
   * interrupt does not end it, and is set again when it returns.
   */
  void close(long drainNs) {
    boolean isInterrupted = Thread.interrupted();
    try {
      isInterrupted |= closeOnce(drainNs);
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Answers whether the thread was interrupted meanwhile. */
  private boolean closeOnce(long drainNs) {
    boolean isInterrupted = false;
    lock.lock();
    try {
      if (isClosed) {
        return false;
      }
      if (failure == null) {
        isInterrupted |= drain(drainNs);
      }
      if (failure == null && engine.isRunning()) {
        fail(
            new Failure(
                Reason.ABORTED,
                membership.rank(),
                membership.member(membership.rank())
                    + " closed its group while an operation was running."));
      }
      if (failure == null) {
        flood(goodbye(membership.rank(), starts), -1);
      }
      // What the others answer to a goodbye is no failure of this rank.
      isClosed = true;
      isInterrupted |= drainControl(drainNs);
      links.wakeup();
      changed.signalAll();
      isInterrupted |= awaitPollerFree();
    } finally {
      lock.unlock();
    }
    links.close();
    return isInterrupted;
  }

  private boolean drain(long drainNs) {
    boolean isInterrupted = false;
    long endNs = System.nanoTime() + drainNs;
    while ((links.outstanding() > 0 || engine.isRunning())
        && failure == null
        && endNs - System.nanoTime() > 0) {
      isInterrupted |= waitUninterrupted(endNs - System.nanoTime());
    }
    return isInterrupted;
  }

  private boolean drainControl(long drainNs) {
    boolean isInterrupted = false;
    long endNs = System.nanoTime() + drainNs;
    while (links.controlOutstanding() > 0 && endNs - System.nanoTime() > 0) {
      isInterrupted |= waitUninterrupted(endNs - System.nanoTime());
    }
    return isInterrupted;
  }

  /** A thread that still waits finds the group closed, and leaves the poller. */
  private boolean awaitPollerFree() {
    boolean isInterrupted = false;
    while (isAtPoller) {
      links.wakeup();
      isInterrupted |= waitUninterrupted(CLOSE_CHECK_NS);
    }
    return isInterrupted;
  }

  /**
   * An interrupt that stays set would end every wait before it gives up the lock, without which the
   * thread at the poller cannot leave it. Answers whether there was one.
   */
  private boolean waitUninterrupted(long timeoutNs) {
    waitOnce(timeoutNs);
    return Thread.interrupted();
  }

  /** A text as the body of a record. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
