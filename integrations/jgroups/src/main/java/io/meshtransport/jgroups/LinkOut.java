package io.meshtransport.jgroups;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way to one peer: the channel that this node opened to it, and a thread that opens it when it
 * is wanted and moves along what its senders have left behind. Made by {@link Links}, which closes
 * it; its life is in {@link LinkState}. Any thread may send.
 *
 * <p>The lock is never held while waiting for the peer: whoever waits in {@code awaitMove} has it
 * noted in {@code driven}, and everybody else waits for the {@code moved} condition.
 */
final class LinkOut implements AutoCloseable {
  /** How often a thread looks at a link on which nothing seems to happen. */
  private static final Duration TICK = Duration.ofSeconds(1);

  /** What the links of one node have in common. */
  record Terms(Links links, SlotPool pool, long sendTimeoutNs, long restMs, long longestRestMs) {}

  private final byte[] handle;
  private final Terms terms;
  private final DirectoryOut directory;
  private final Thread mover;
  private final BackOff backOff;
  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantLock parts = new ReentrantLock();
  private final Condition moved = lock.newCondition();
  private final Condition work = lock.newCondition();
  private final Backlog queue = new Backlog();

  private LinkState state = LinkState.IDLE;

  /**
   * The open channel, and what is under way on it; none unless it is open or about to be closed.
   */
  private SendChannel channel;

  private UnderWay underWay;
  private boolean wanted;
  private boolean doubted;
  private boolean driven;
  private boolean stalled;
  private long restUntilNs;
  private TransportException trouble;
  private volatile String description = "not opened yet";

  LinkOut(byte[] handle, Terms terms, RegisteredMemory directoryMemory) {
    this.handle = handle;
    this.terms = terms;
    directory = new DirectoryOut(directoryMemory, terms.links()::directoryMessages);
    backOff = new BackOff(terms.restMs(), terms.longestRestMs());
    mover = new Thread(this::run, "mesh-jgroups-out");
    mover.setDaemon(true);
  }

  void start() {
    mover.start();
  }

  byte[] handle() {
    return handle;
  }

  /** Opens the link if it is not, so that the peer gets to know this node. Never blocks. */
  void want() {
    lock.lock();
    try {
      wanted = true;
      work.signal();
    } finally {
      lock.unlock();
    }
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
      directory.tell();
      work.signal();
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
          throw Refusals.stalled(terms.links().nameOf(handle), terms.sendTimeoutNs());
        }
        if (state == LinkState.OPEN && !driven) {
          driving = channel;
          seen = driving.moves();
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
      driving.awaitMove(seen, Duration.ofNanos(Math.max(1, atMostNs)));
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
    if (state == LinkState.RESTING && System.nanoTime() - restUntilNs < 0) {
      throw Refusals.of(trouble);
    }
    if (state != LinkState.OPEN || !queue.isEmpty()) {
      if (queue.size() >= terms.links().share()) {
        return full();
      }
      queue.add(slot, lengthBytes);
      wanted = true;
      work.signal();
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
    if (channel.waiting() > 0 && !driven) {
      work.signal();
    }
    return true;
  }

  private boolean full() throws SocketException {
    if (stalled) {
      throw Refusals.stillStalled(terms.links().nameOf(handle));
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
    }
  }

  private void run() {
    try {
      while (awaitWanted()) {
        if (open()) {
          serve();
        }
        rest();
      }
    } catch (InterruptedException e) {
      // The only one who interrupts it is close(); whoever else does ends it too.
      close();
    } finally {
      leave();
    }
  }

  private boolean awaitWanted() throws InterruptedException {
    lock.lock();
    try {
      while (state != LinkState.CLOSED && !wanted) {
        work.await();
      }
      long restNs = restUntilNs - System.nanoTime();
      while (state == LinkState.RESTING && restNs > 0) {
        restNs = work.awaitNanos(restNs);
      }
      wanted = false;
      return become(LinkState.OPENING);
    } finally {
      lock.unlock();
    }
  }

  private boolean open() throws InterruptedException {
    SendChannel opened;
    try {
      opened = terms.links().connect(handle);
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
    }
    lock.lock();
    try {
      channel = opened;
      underWay = new UnderWay(opened, terms.pool());
      description = opened.route() + ", " + opened.route().why();
      // The introduction goes before whatever waits in the queue.
      directory.tell();
      sendDirectory();
      if (state != LinkState.OPENING || !become(LinkState.OPEN)) {
        return false;
      }
      backOff.worked();
    } finally {
      lock.unlock();
    }
    terms.links().opened(handle, opened.route());
    return true;
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
        seen = channel.moves();
        reap();
        if (state == LinkState.OPEN) {
          sendDirectory();
        }
        if (state == LinkState.OPEN) {
          queue.moveTo(underWay, terms.links().share());
          judge();
        }
        moved.signalAll();
        boolean push = channel.waiting() > 0 || !queue.isEmpty() || directory.isLeft() || doubted;
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
      restUntilNs = System.nanoTime() + backOff.failed();
    } finally {
      lock.unlock();
    }
    // First: then no request is pending any more, and no device touches their memory.
    if (broken != null) {
      broken.close();
    }
    lock.lock();
    try {
      drop();
    } finally {
      lock.unlock();
    }
    if (why != null) {
      terms.links().lost(handle, why, broken != null);
    }
  }

  /** Only after the channel is closed: then every request is over. */
  private void drop() {
    if (underWay != null) {
      underWay.drop();
    }
    underWay = null;
    channel = null;
    directory.drop();
    queue.drop(terms.pool());
    moved.signalAll();
  }

  private void leave() {
    // Closing was asked for by an interrupt, and saying goodbye takes a moment of waiting.
    Thread.interrupted();
    SendChannel open;
    lock.lock();
    try {
      open = channel;
    } finally {
      lock.unlock();
    }
    if (open != null) {
      open.close();
    }
    lock.lock();
    try {
      drop();
    } finally {
      lock.unlock();
    }
    directory.close();
  }

  /** Ends it: says goodbye to the peer. Waits for that a bounded time. Safe to call twice. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (become(LinkState.CLOSED)) {
        // Under the lock: the thread that reads CLOSED has been interrupted, and knows it.
        mover.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the end of its thread. */
  void join(long atMostMs) throws InterruptedException {
    mover.join(Math.max(1, atMostMs));
  }
}
