// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jgroups.logging.Log;

/**
 * The way to one peer: the channel that this node opened to it, and a thread that opens it when it
 * is wanted and moves along what its senders have left behind. There is no thread, and no memory,
 * while it is not wanted; no exception and no Error ends the thread of one that is. Made by {@link
 * Links}, which closes it; its life is in {@link LinkState}. Any thread may send.
 *
 * <p>The lock is never held while waiting for the peer: whoever waits in {@code awaitMove} has it
 * noted in {@code driven}, and everybody else waits for the {@code moved} condition.
 */
final class OutboundLink implements AutoCloseable {
  /** How often a thread looks at a link on which nothing seems to happen. */
  private static final Duration TICK = Duration.ofSeconds(1);

  /** What the links of one node have in common. */
  record Terms(
      Links links, SendBufferPool pool, long sendTimeoutNs, long restMs, long longestRestMs) {}

  /**
   * After so long a dial is begun anew where cables have changed meanwhile. Between busy hosts that
   * have just started one may take half a second, and is not to be ended just before its end.
   */
  static final long STALE_DIAL_MS = 1_000;

  /** Within so long a peer counts as wanted to which something was sent in vain. */
  private static final long LATELY_NS = 60_000_000_000L;

  /** What a thread that has met an Error waits before it goes on. */
  private static final long PAUSE_NS = 100_000_000L;

  /**
   * A question whether the peer lives, put at a moment.
   *
   * @param opens channels that had been opened by then
   * @param failures dials that had failed, and channels that had broken
   * @param arrivals directory messages that the peer has taken when it has taken one begun later
   */
  record Question(long opens, long failures, long arrivals) {}

  /** What is known of a peer since a question. */
  enum Sign {
    NONE,
    LIVES,
    UNREACHABLE
  }

  private final String id;
  private final Terms terms;
  private final Log log;
  private final BackOff backOff;
  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantLock parts = new ReentrantLock();
  private final Condition moved = lock.newCondition();
  private final Condition work = lock.newCondition();
  private final Backlog queue = new Backlog();

  private volatile byte[] handle;
  private LinkState state = LinkState.IDLE;

  /** Its thread; none while it is not wanted. */
  private Thread mover;

  /** What opens the channel, while it does. */
  private ChannelFuture<SendChannel> dialing;

  private long dialingSinceNs;
  private boolean isRedial;

  /** Tells the directory on the open channel; none without one. */
  private DirectoryOut directory;

  /**
   * The open channel, and what is under way on it; none unless it is open or about to be closed.
   */
  private SendChannel channel;

  private InFlightSends underWay;
  private boolean wanted;
  private boolean doubted;
  private boolean driven;
  private boolean stalled;
  private boolean used;

  /** It broke, and what waits in it is about to be dropped: nothing more is taken. */
  private boolean isDropping;

  private long triedInVainNs = System.nanoTime() - LATELY_NS;
  private long opens;
  private long failures;
  private long arrivals;
  private long restUntilNs;
  private TransportException trouble;
  private volatile String description = "not opened yet";

  /**
   * @param id of the peer
   * @param handle of the peer at first
   */
  OutboundLink(String id, byte[] handle, Terms terms, Log log) {
    this.id = id;
    this.handle = handle.clone();
    this.terms = terms;
    this.log = log;
    backOff = new BackOff(terms.restMs(), terms.longestRestMs());
  }

  String id() {
    return id;
  }

  byte[] handle() {
    return handle.clone();
  }

  /** The peer has other addresses now. A channel that is open stays; dials go there. */
  void become(byte[] another) {
    if (!Arrays.equals(handle, another)) {
      handle = another.clone();
      again();
    }
  }

  /**
   * Something is to be sent there.
   *
   * @return whether that is possible: not on a link that is closed
   */
  boolean use() {
    lock.lock();
    try {
      used |= state != LinkState.CLOSED;
      return state != LinkState.CLOSED;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes a link that served to try a node, and to nothing else so far.
   *
   * @return whether it is closed
   */
  boolean closeIfUnused() {
    lock.lock();
    try {
      if (!used) {
        close();
      }
      return state == LinkState.CLOSED;
    } finally {
      lock.unlock();
    }
  }

  /** Whether anything was to be sent there so far, beside the directory. */
  boolean isUsed() {
    lock.lock();
    try {
      return used;
    } finally {
      lock.unlock();
    }
  }

  /** Opens the link if it is not, so that the peer gets to know this node. Never blocks. */
  void want() {
    lock.lock();
    try {
      wanted = true;
      wake();
    } catch (OutOfMemoryError e) {
      log.warn("No thread for the link to node %s: %s", terms.links().nameOf(id), e.toString());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets its thread look, and makes one if there is none.
   *
   * @throws OutOfMemoryError if there cannot be one more; the next who wants the link tries again
   */
  private void wake() {
    if (mover == null && state != LinkState.CLOSED) {
      Thread made = new Thread(this::run, "mesh-jgroups-out");
      made.setDaemon(true);
      made.start();
      mover = made;
    }
    work.signalAll();
  }

  /**
   * Cables or addresses have changed, here or there: whoever pauses dials at once, and a dial that
   * is under way begins anew once it has taken long. Never blocks.
   */
  void again() {
    ChannelFuture<SendChannel> outdated;
    long leftMs = 0;
    lock.lock();
    try {
      long nowNs = System.nanoTime();
      outdated = dialing;
      if (outdated != null) {
        leftMs = STALE_DIAL_MS - TimeUnit.NANOSECONDS.toMillis(nowNs - dialingSinceNs);
      }
      backOff.worked();
      if (state == LinkState.RESTING) {
        restUntilNs = nowNs;
        if (wanted || nowNs - triedInVainNs < LATELY_NS) {
          want();
        }
      }
    } finally {
      lock.unlock();
    }
    if (outdated != null) {
      terms.links().after(Math.max(0, leftMs), () -> redial(outdated));
    }
  }

  /** Ends a dial that is still under way, for another to begin. */
  private void redial(ChannelFuture<SendChannel> outdated) {
    lock.lock();
    try {
      if (dialing != outdated) {
        return;
      }
      isRedial = true;
    } finally {
      lock.unlock();
    }
    outdated.close();
  }

  /** Asks for a sign of life, opening the link if it is not. Never blocks. */
  Question ask() {
    lock.lock();
    try {
      boolean isOpen = state == LinkState.OPEN;
      Question question =
          new Question(opens, failures, arrivals() + (isOpen && directory.isUnderWay() ? 2 : 1));
      if (isOpen) {
        directory.tell();
      }
      want();
      return question;
    } finally {
      lock.unlock();
    }
  }

  /** What has come of a question so far. */
  Sign sign(Question question) {
    lock.lock();
    try {
      if (state == LinkState.OPEN && directory.isUnderWay()) {
        sendDirectory();
      }
      if (opens > question.opens() || arrivals() >= question.arrivals()) {
        return Sign.LIVES;
      }
      return failures > question.failures() ? Sign.UNREACHABLE : Sign.NONE;
    } finally {
      lock.unlock();
    }
  }

  private long arrivals() {
    return arrivals + (directory == null ? 0 : directory.arrived());
  }

  /** The peer may be gone: looks at once instead of when something is sent. Never blocks. */
  void doubt() {
    lock.lock();
    try {
      doubted = true;
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  /** The directory has changed: the peer is told. Never blocks. */
  void tellDirectory() {
    lock.lock();
    try {
      if (directory != null) {
        directory.tell();
        work.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  LinkState state() {
    lock.lock();
    try {
      return state;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return state() + ", " + description;
  }

  /**
   * Sends a slot if that is possible at once; one of its holds is then the link's.
   *
   * @return whether it was; if not, the hold stays the caller's
   * @throws SocketException if the peer cannot be reached right now, or has stood still for long
   */
  boolean trySend(int slot, int lengthBytes) throws SocketException {
    lock.lock();
    try {
      return post(slot, lengthBytes);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sends a slot, waiting for earlier ones to leave.
   *
   * @param deadlineNs on the clock of System.nanoTime
   * @throws SocketException as above, and if the time passed; the hold stays the caller's
   */
  void send(int slot, int lengthBytes, long deadlineNs)
      throws SocketException, InterruptedException {
    while (true) {
      SendChannel driving = null;
      long seen = 0;
      lock.lock();
      try {
        if (post(slot, lengthBytes)) {
          return;
        }
        long leftNs = deadlineNs - System.nanoTime();
        if (leftNs <= 0) {
          stalled = true;
          terms.links().countStall();
          throw Refusals.stalled(terms.links().nameOf(id), terms.sendTimeoutNs());
        }
        if (state == LinkState.OPEN && !driven) {
          driving = channel;
          seen = driving.progressCount();
          reap();
          driven = true;
        } else {
          moved.awaitNanos(Math.min(leftNs, TICK.toNanos()));
        }
      } finally {
        lock.unlock();
      }
      if (driving != null) {
        drive(driving, seen, Math.min(deadlineNs - System.nanoTime(), TICK.toNanos()));
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }
  }

  /** Held while the parts of one bundle go out, for the peer puts together one at a time. */
  ReentrantLock parts() {
    return parts;
  }

  /** Frees the slots of what has arrived. Never blocks. */
  void look() {
    if (lock.tryLock()) {
      try {
        reap();
      } finally {
        lock.unlock();
      }
    }
  }

  private void drive(SendChannel driving, long seen, long atMostNs) {
    try {
      driving.awaitProgress(seen, Duration.ofNanos(Math.max(1, atMostNs)));
    } finally {
      lock.lock();
      try {
        driven = false;
        reap();
        moved.signalAll();
        work.signal();
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean post(int slot, int lengthBytes) throws SocketException {
    if (state == LinkState.CLOSED) {
      throw new SocketException("the link is closed");
    }
    if (state == LinkState.RESTING) {
      triedInVainNs = System.nanoTime();
      if (isDropping || triedInVainNs - restUntilNs < 0) {
        throw Refusals.of(trouble);
      }
    }
    if (state != LinkState.OPEN || !queue.isEmpty()) {
      if (queue.size() >= terms.links().share()) {
        return full();
      }
      wanted = true;
      try {
        wake();
      } catch (OutOfMemoryError e) {
        throw Refusals.withoutThread(terms.links().nameOf(id), e);
      }
      queue.add(slot, lengthBytes);
      return true;
    }
    int share = terms.links().share();
    // Looking costs a system call in software, and a question where nobody speaks for a send: so
    // only when slots are wanted back, and before they are all gone.
    if (underWay.count() * 2 >= share) {
      reap();
    }
    if (state != LinkState.OPEN) {
      throw Refusals.of(trouble);
    }
    if (underWay.count() >= share || !isend(slot, lengthBytes)) {
      return full();
    }
    stalled = false;
    if (channel.sendsNeedingProgress() > 0 && !driven) {
      work.signal();
    }
    return true;
  }

  private boolean full() throws SocketException {
    if (stalled) {
      throw Refusals.stillStalled(terms.links().nameOf(id));
    }
    return false;
  }

  /** Whether it began; if not, the channel is full. */
  private boolean isend(int slot, int lengthBytes) throws SocketException {
    if (underWay.begin(slot, lengthBytes)) {
      return true;
    }
    if (underWay.failure().isPresent()) {
      broken(underWay.failure().get());
      throw Refusals.of(trouble);
    }
    return false;
  }

  /** Gives back the slots of what is over. */
  private void reap() {
    if (underWay == null) {
      return;
    }
    if (underWay.reap() > 0) {
      stalled = false;
    }
    judge();
  }

  /** Whether it still is of use; a channel may have failed though nothing was under way on it. */
  private void judge() {
    if (state == LinkState.OPEN && underWay.failure().isPresent()) {
      broken(underWay.failure().get());
    } else if (state == LinkState.OPEN && channel.state() == ChannelState.FAILED) {
      broken(channel.failure());
    }
  }

  /**
   * The only door to the state, under the lock. Whoever waits for something looks again.
   *
   * @return whether it is so now; if not, the link was closed, which is for good
   */
  private boolean become(LinkState next) {
    if (state == LinkState.CLOSED) {
      return false;
    }
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a link cannot go from " + state + " to " + next);
    }
    state = next;
    work.signalAll();
    moved.signalAll();
    return true;
  }

  private void broken(TransportException why) {
    // A link that broke is dialled once more by itself: what the dial meets says what has happened.
    wanted |= state == LinkState.OPEN && why.reason() != TransportException.Reason.PEER_CLOSED;
    if (become(LinkState.RESTING)) {
      trouble = why;
      failures++;
      isDropping = true;
      restUntilNs = System.nanoTime() + backOff.failed();
    }
  }

  private void run() {
    boolean goesOn = true;
    while (goesOn) {
      try {
        goesOn = liveOnce();
      } catch (InterruptedException e) {
        // The only one who interrupts it is close(); whoever else does ends it too.
        close();
      } catch (Throwable e) {
        recover(e);
      }
    }
  }

  /**
   * From being wanted to the end of a channel.
   *
   * @return whether the thread is to go on: not if the link is closed, or is not wanted
   */
  private boolean liveOnce() throws InterruptedException {
    if (!awaitWanted()) {
      leave();
      return false;
    }
    if (open()) {
      serve();
    }
    rest();
    return true;
  }

  /** Anything unforeseen is a channel that broke. */
  private void recover(Throwable failure) {
    try {
      log.error(
          "The link to node %s met %s and begins anew",
          terms.links().nameOf(id), failure.toString());
      lock.lock();
      try {
        if (state == LinkState.OPENING || state == LinkState.OPEN) {
          broken(
              new TransportException(
                  TransportException.Reason.DEVICE,
                  "the thread of the link met " + failure,
                  failure));
        }
      } finally {
        lock.unlock();
      }
      if (state() == LinkState.RESTING) {
        rest();
      } else {
        // Closed: what fails there has no back-off of its own.
        LockSupport.parkNanos(PAUSE_NS);
      }
    } catch (Throwable again) {
      // Memory is out, for example; the next turn begins with what this one could not end.
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  private boolean awaitWanted() throws InterruptedException {
    lock.lock();
    try {
      if (isDropping && state == LinkState.RESTING) {
        // Only if the thread met an Error on the way.
        return true;
      }
      if (!wanted && state != LinkState.CLOSED) {
        mover = null;
        return false;
      }
      while (state == LinkState.RESTING && restUntilNs - System.nanoTime() > 0) {
        work.awaitNanos(restUntilNs - System.nanoTime());
      }
      wanted = false;
      return become(LinkState.OPENING);
    } finally {
      lock.unlock();
    }
  }

  private boolean open() throws InterruptedException {
    if (state() != LinkState.OPENING) {
      return false;
    }
    SendChannel opened = null;
    RegisteredMemory memory = null;
    boolean isKept = false;
    try {
      memory = terms.links().directoryMemory();
      DirectoryOut telling = new DirectoryOut(memory, terms.links()::directoryMessages);
      opened = dial();
      keep(opened, telling);
      isKept = true;
    } catch (TransportException e) {
      if (e.reason() == TransportException.Reason.INTERRUPTED) {
        throw new InterruptedException();
      }
      lock.lock();
      try {
        broken(e);
      } finally {
        lock.unlock();
      }
      return false;
    } finally {
      if (!isKept) {
        close(opened, memory);
      }
    }
    lock.lock();
    try {
      description = opened.route() + ", " + opened.route().why();
      // The introduction goes before whatever waits in the queue.
      directory.tell();
      sendDirectory();
      if (state != LinkState.OPENING || !become(LinkState.OPEN)) {
        return false;
      }
      opens++;
      backOff.worked();
    } finally {
      lock.unlock();
    }
    terms.links().opened(this, opened.route());
    return true;
  }

  /** From now on {@link #drop} closes both. */
  private void keep(SendChannel opened, DirectoryOut telling) {
    InFlightSends none = new InFlightSends(opened, terms.pool());
    lock.lock();
    try {
      underWay = none;
      channel = opened;
      directory = telling;
    } finally {
      lock.unlock();
    }
  }

  /** What was opened and not kept. */
  private static void close(SendChannel opened, RegisteredMemory memory) {
    try {
      if (opened != null) {
        opened.close();
      }
    } finally {
      if (memory != null) {
        memory.close();
      }
    }
  }

  private SendChannel dial() throws TransportException {
    while (true) {
      try (ChannelFuture<SendChannel> opening = terms.links().dial(id, handle)) {
        lock.lock();
        try {
          dialing = opening;
          dialingSinceNs = System.nanoTime();
          isRedial = false;
        } finally {
          lock.unlock();
        }
        return Links.await(opening);
      } catch (TransportException | IllegalStateException e) {
        // The latter is what an opening says that was given up.
        if (!endsInVain()) {
          throw e;
        }
      } finally {
        lock.lock();
        try {
          dialing = null;
        } finally {
          lock.unlock();
        }
      }
    }
  }

  /** Whether a dial was ended for another to begin. */
  private boolean endsInVain() {
    lock.lock();
    try {
      return isRedial && state == LinkState.OPENING;
    } finally {
      lock.unlock();
    }
  }

  private void serve() throws InterruptedException {
    while (true) {
      SendChannel driving = null;
      long seen = 0;
      lock.lock();
      try {
        if (state != LinkState.OPEN) {
          return;
        }
        seen = channel.progressCount();
        reap();
        if (state == LinkState.OPEN) {
          sendDirectory();
        }
        if (state == LinkState.OPEN) {
          queue.moveTo(underWay, terms.links().share());
          judge();
        }
        moved.signalAll();
        boolean push =
            channel.sendsNeedingProgress() > 0 || !queue.isEmpty() || directory.isLeft() || doubted;
        if (state == LinkState.OPEN && push && !driven) {
          driving = channel;
          driven = true;
          doubted = false;
        } else if (state == LinkState.OPEN) {
          work.awaitNanos(TICK.toNanos());
        }
      } finally {
        lock.unlock();
      }
      if (driving != null) {
        drive(driving, seen, TICK.toNanos());
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }
  }

  private void sendDirectory() {
    try {
      directory.push(channel);
    } catch (TransportException e) {
      broken(e);
    }
  }

  /**
   * After a failure: gives everything back, says so once, and leaves the peer alone for a while.
   */
  private void rest() {
    SendChannel broken;
    TransportException why;
    lock.lock();
    try {
      if (state == LinkState.CLOSED) {
        return;
      }
      broken = channel;
      why = trouble;
    } finally {
      lock.unlock();
    }
    closeAndDrop(broken);
    if (why != null) {
      terms.links().lost(this, why, broken != null);
    }
  }

  /** Closes first: then no request is pending any more, and no device touches their memory. */
  private void closeAndDrop(SendChannel open) {
    try {
      if (open != null) {
        open.close();
      }
    } finally {
      lock.lock();
      try {
        drop();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Should one step fail, the next turn goes on behind it. */
  private void drop() {
    if (underWay != null) {
      underWay.drop();
    }
    underWay = null;
    channel = null;
    DirectoryOut told = directory;
    directory = null;
    if (told != null) {
      arrivals += told.arrived();
      told.drop();
      told.close();
    }
    terms.links().countDrops(queue.size());
    queue.drop(terms.pool());
    isDropping = false;
    moved.signalAll();
  }

  private void leave() {
    SendChannel open;
    lock.lock();
    try {
      // What a later thread has opened is its own to close.
      if (state != LinkState.CLOSED || mover != Thread.currentThread()) {
        return;
      }
      open = channel;
    } finally {
      lock.unlock();
    }
    // Closing was asked for by an interrupt, and saying goodbye takes a moment of waiting.
    Thread.interrupted();
    closeAndDrop(open);
  }

  /** Ends it: says goodbye to the peer. Waits for that a bounded time. Safe to call twice. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (become(LinkState.CLOSED) && mover != null) {
        // Under the lock: the thread that reads CLOSED has been interrupted, and knows it.
        mover.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the end of its thread. */
  void join(long atMostMs) throws InterruptedException {
    Thread ending;
    lock.lock();
    try {
      ending = mover;
    } finally {
      lock.unlock();
    }
    if (ending != null) {
      ending.join(Math.max(1, atMostMs));
    }
  }
}
