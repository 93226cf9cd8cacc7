// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.exec.Engine;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One rank of a group: its links, its operations, what the others told, and whether it has failed.
 *
 * <p>All state belongs to {@link #lock}, that of its parts too. {@link PollerTurn} says which of
 * the threads that wait is at the poller.
 */
final class LocalRank implements MemberLinks.Events {
  /** What a thread waits for. */
  interface Goal {
    /**
     * With the lock: whether it is reached. Changes state: a run that is complete ends, and the
     * group fails where the goal cannot be reached any more.
     */
    boolean advance() throws CollectiveException;

    /** Nanoseconds until a deadline of its own, at which it is to be asked again. */
    long leftNs();
  }

  private final GroupMembership membership;
  private final MemberLinks links;
  private final Engine engine;
  private final RecordRounds rounds;
  private final Departures departures;
  private final ProgressReports reports;
  private final LostLinks lost;
  private final ReentrantLock lock = new ReentrantLock();
  private final PollerTurn poller;
  private long starts;
  private LinkProbe probe;
  private Failure failure;
  private Throwable cause;
  private boolean isClosed;

  LocalRank(GroupMembership membership, MemberLinks links) {
    this.membership = membership;
    this.links = links;
    links.events(this);
    engine = new Engine(links, membership.rank());
    rounds = new RecordRounds(this);
    departures = new Departures(membership.size());
    reports = new ProgressReports(this);
    lost = new LostLinks(membership);
    poller = new PollerTurn(lock, links, this::handle);
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

  RecordRounds rounds() {
    return rounds;
  }

  ProgressReports reports() {
    return reports;
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
  void join(int link, Connection connection) throws TransportException {
    links.add(link, connection);
    tellKnown(link);
  }

  /** The same, until the neighbour is known to use this connection and no other. */
  void joinProvisionally(int rank, Connection connection) throws TransportException {
    links.addProvisional(rank, connection);
    tellKnown(rank);
  }

  private void tellKnown(int link) {
    rounds.records().known().forEach(each -> links.send(link, each.encode()));
    departures.known().forEach(each -> links.send(link, each.encode()));
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
   * @throws CollectiveException INTERRUPTED, as of {@link #waitFor}, or why the group has failed
   */
  boolean await(Goal goal, long timeoutNs) throws CollectiveException {
    long beginNs = System.nanoTime();
    while (!goal.advance()) {
      check();
      long leftNs = timeoutNs - (System.nanoTime() - beginNs);
      if (leftNs <= 0) {
        return false;
      }
      waitFor(Math.min(leftNs, Math.min(goal.leftNs(), lost.leftNs())));
      if (!lost.isEmpty()) {
        decide();
      }
    }
    return true;
  }

  /**
   * With the lock: waits until something has happened, at most so long.
   *
   * @throws CollectiveException INTERRUPTED; the caller knows what follows from it
   */
  void waitFor(long timeoutNs) throws CollectiveException {
    poller.await(timeoutNs);
    if (Thread.currentThread().isInterrupted()) {
      throw new CollectiveException(
          Reason.INTERRUPTED,
          CollectiveException.NO_RANK,
          "",
          membership.spec() + ": the waiting thread was interrupted.");
    }
  }

  /**
   * The failure of a wait, with what an interrupt means for what was waited for.
   *
   * @param consequence a sentence
   */
  static CollectiveException withConsequence(CollectiveException why, String consequence) {
    return why.reason() == Reason.INTERRUPTED
        ? new CollectiveException(
            why.reason(), why.rank(), why.node(), why.getMessage() + " " + consequence)
        : why;
  }

  /** With the lock: what is there already, without waiting. */
  void poll() {
    if (!isClosed) {
      poller.poll();
    }
  }

  /** What throws here fails the group: which thread polls is chance. */
  private void handle(int count) {
    if (count == 0) {
      return;
    }
    try {
      links.handle(count);
      if (failure == null && lost.isEmpty()) {
        engine.advance();
      }
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

  /** With the lock: an operation is no more. */
  void remove(int operation) {
    engine.remove(operation);
    reports.remove(operation);
  }

  /** With the lock: whether a run is complete, and all that it has put has arrived. */
  boolean isDone(int operation) {
    return failure == null && lost.isEmpty() && engine.isDone(operation);
  }

  /** What a program's reducer throws, too. */
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
    // Neighbours that hang acknowledge nothing, which would wake a thread at the poller.
    poller.signal();
  }

  /** With the lock: to all neighbours but the one that it came from. */
  void flood(RankMessage message, int from) {
    ByteBuffer bytes = message.encode();
    boolean isNeeded = message.kind() != RankMessage.Kind.PROGRESS;
    for (int rank = 0; rank < membership.size(); rank++) {
      if (rank != from && rank != message.origin() && (isNeeded || links.hasRoom(rank))) {
        links.send(rank, bytes.duplicate());
      }
    }
  }

  @Override
  public void putDone(long userData) {
    if (probe != null && probe.isPutting()) {
      probe.putDone(userData);
    } else {
      engine.putDone(userData);
    }
  }

  @Override
  public void notice(int link, int notice) {
    int rank = link % membership.size();
    if (probe != null && probe.isPutting()) {
      probe.arrived(link);
    } else if (!engine.notice(rank, notice)) {
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
      case ACCEPTED -> links.confirm(from);
      case RECORD -> {
        if (rounds.records().add(message)) {
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
        if (!Departures.isGoodbye(message)) {
          failOfForeignGoodbye(message.origin());
        } else if (departures.add(message)) {
          flood(message, from);
          checkAllPresent();
        }
      }
      case PROGRESS -> {
        if (failure == null && !isClosed) {
          reports.handle(from, message);
        }
      }
      default -> {
        if (probe != null) {
          probe.handle(from, message);
        }
      }
    }
  }

  private void failOfForeignGoodbye(int rank) {
    fail(
        new Failure(
            Reason.MISMATCH,
            rank,
            membership.member(rank)
                + " left by a message that is none of this version. Give all members the same"
                + " version."));
  }

  /** All ranks start as many runs: one that has left will not take part in those beyond. */
  private void checkAllPresent() {
    for (int rank = 0; rank < membership.size(); rank++) {
      if (departures.isMissingIn(rank, starts)) {
        failIfLeft(rank);
      }
    }
  }

  /** With the lock: a group that is being joined needs every rank. */
  void requireAllPresent() throws CollectiveException {
    for (int rank = 0; rank < membership.size(); rank++) {
      failIfLeft(rank);
    }
    check();
  }

  /** With the lock. */
  void failIfLeft(int rank) {
    if (departures.hasLeft(rank)) {
      fail(new Failure(Reason.ABORTED, rank, membership.member(rank) + " has closed its group."));
    }
  }

  @Override
  public void lost(int rank, TransportException why) {
    if (departures.hasLeft(rank) || isClosed) {
      return;
    }
    if (why.reason() == TransportException.Reason.CLOSED) {
      failOfClosedTransport(why);
      return;
    }
    lost.add(rank, why);
    decide();
  }

  @Override
  public void closed(IllegalStateException why) {
    failOfClosedTransport(why);
  }

  /** The others find their connections to this rank closed, and hear nothing else from it. */
  private void failOfClosedTransport(Exception why) {
    if (failure == null && !isClosed) {
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
  void verdicts(MemberVerdicts verdicts, boolean hasOverlay) {
    lost.verdicts(verdicts, hasOverlay);
  }

  /** Any thread: fails the group for a connection that was lost, once it is known what that is. */
  void decide() {
    lock.lock();
    try {
      if (failure == null && !isClosed) {
        lost.decide()
            .ifPresent(
                each -> {
                  cause = each.cause();
                  fail(each.failure());
                });
        links.wakeup();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Any thread: no cable leads to a neighbour any more. What a relay does not carry, fails. */
  void cutOff(int rank, String evidence) {
    lock.lock();
    try {
      if (!departures.hasLeft(rank) && !isClosed) {
        lost.cutOffWithoutRelay(rank, evidence).ifPresent(this::fail);
        links.wakeup();
      }
    } finally {
      lock.unlock();
    }
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
    if (isClosed) {
      lock.unlock();
      return false;
    }
    try {
      try {
        isInterrupted |= drain(drainNs);
        leave();
      } finally {
        // What the others answer to a goodbye is no failure of this rank.
        isClosed = true;
      }
      isInterrupted |= drainControl(drainNs);
      poller.signal();
      isInterrupted |= poller.awaitFree();
    } finally {
      lock.unlock();
      links.close();
    }
    return isInterrupted;
  }

  private void leave() {
    if (engine.isRunning()) {
      fail(
          new Failure(
              Reason.ABORTED,
              membership.rank(),
              membership.member(membership.rank())
                  + " closed its group while an operation was running."));
    }
    if (failure == null) {
      flood(Departures.goodbye(membership.rank(), starts), -1);
    }
  }

  private boolean drain(long drainNs) {
    boolean isInterrupted = false;
    long endNs = System.nanoTime() + drainNs;
    while ((links.outstanding() > 0 || engine.isRunning())
        && failure == null
        && endNs - System.nanoTime() > 0) {
      isInterrupted |= poller.awaitUninterrupted(endNs - System.nanoTime());
    }
    return isInterrupted;
  }

  private boolean drainControl(long drainNs) {
    boolean isInterrupted = false;
    long endNs = System.nanoTime() + drainNs;
    while (links.controlOutstanding() > 0 && endNs - System.nanoTime() > 0) {
      isInterrupted |= poller.awaitUninterrupted(endNs - System.nanoTime());
    }
    return isInterrupted;
  }
}
