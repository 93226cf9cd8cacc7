// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.TransportException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The state of one outbound link, which its senders ({@link LinkSender}) and its thread ({@link
 * LinkWorker}) share. Every method but {@link #lock}, {@link #tryLock} and {@link #drive} is called
 * with the lock, which no thread has while it waits for the peer.
 */
final class LinkCore {
  /** How often a thread polls a link on which nothing seems to happen. */
  static final long TICK_NS = TimeUnit.SECONDS.toNanos(1);

  private final SendBufferPool pool;
  private final Links links;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final DriverLock driver = new DriverLock(lock.newCondition());
  private final Backlog backlog = new Backlog();
  private final Set<LinkRequest> requests = EnumSet.noneOf(LinkRequest.class);
  private final PeerLiveness liveness = new PeerLiveness();
  private final RetryPause pause;

  private LinkState state = LinkState.IDLE;

  /** Null unless it is open, or about to be opened or closed. */
  private LinkChannel channel;

  /** Why the last channel failed; null before the first failure. */
  private TransportException failure;

  /** Directory messages delivered over earlier channels. */
  private long deliveredBefore;

  /** Whether the peer consumed nothing for the whole send timeout, and nothing since. */
  private boolean isStalled;

  LinkCore(Links links, SendBufferPool pool, RetryPause pause) {
    this.links = links;
    this.pool = pool;
    this.pause = pause;
  }

  void lock() {
    lock.lock();
  }

  boolean tryLock() {
    return lock.tryLock();
  }

  void unlock() {
    lock.unlock();
  }

  LinkState state() {
    return state;
  }

  LinkChannel channel() {
    return channel;
  }

  TransportException failure() {
    return failure;
  }

  Backlog backlog() {
    return backlog;
  }

  Set<LinkRequest> requests() {
    return requests;
  }

  PeerLiveness liveness() {
    return liveness;
  }

  RetryPause pause() {
    return pause;
  }

  DriverLock driver() {
    return driver;
  }

  /** What the link's thread waits on for work. */
  Condition work() {
    return work;
  }

  /**
   * The only place that changes the state; wakes all who wait for something of this link.
   *
   * @return whether the link has that state now; if not, it was closed, which is final
   * @throws IllegalStateException if there is no such transition: a mistake in our code
   */
  boolean become(LinkState next) {
    if (state == LinkState.CLOSED) {
      return false;
    }
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a link cannot go from " + state + " to " + next);
    }
    state = next;
    work.signalAll();
    driver.signalAll();
    return true;
  }

  /** A channel was opened; it is used for bundles once the link is {@link LinkState#OPEN}. */
  void install(LinkChannel opened) {
    channel = opened;
  }

  /** The channel broke, or could not be opened. */
  void fail(TransportException why) {
    // A broken link is dialled once more without a request: the outcome of that dial says what has
    // happened to the peer.
    if (state == LinkState.OPEN && why.reason() != TransportException.Reason.PEER_CLOSED) {
      requests.add(LinkRequest.CONNECT);
    }
    if (become(LinkState.FAILED)) {
      failure = why;
      liveness.failed();
      pause.begin(System.nanoTime());
    }
  }

  /** Releases the buffers of completed sends, and notices a channel that has failed. */
  void reap() {
    if (channel == null) {
      return;
    }
    if (channel.bundles().reap() > 0) {
      isStalled = false;
    }
    failIfBroken();
  }

  /** A channel may fail with nothing in flight on it. */
  void failIfBroken() {
    if (state == LinkState.OPEN) {
      Optional<TransportException> why = channel.failure();
      if (why.isPresent()) {
        fail(why.get());
      }
    }
  }

  /** Sends the next directory message, if one is due. */
  void sendDirectory() {
    try {
      channel.sendDirectory();
    } catch (TransportException e) {
      fail(e);
    }
  }

  /** Directory messages that the peer has received in all. */
  long delivered() {
    return deliveredBefore + (channel == null ? 0 : channel.directory().delivered());
  }

  boolean isStalled() {
    return isStalled;
  }

  void setStalled(boolean stalled) {
    isStalled = stalled;
  }

  /**
   * Waits for progress of a channel, without the lock, as the thread that acquired the {@link
   * #driver}; then releases it.
   *
   * @param seen progress known so far
   */
  void drive(LinkChannel driven, long seen, long maxNs) {
    try {
      driven.awaitProgress(seen, maxNs);
    } finally {
      lock.lock();
      try {
        driver.release();
        reap();
        work.signal();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Gives back what the channel and the backlog have, after the channel was closed. Should one step
   * fail, the next call goes on behind it.
   */
  void drop() {
    LinkChannel dropped = channel;
    if (dropped != null) {
      dropped.releaseBundles();
      deliveredBefore += dropped.directory().delivered();
      channel = null;
      dropped.releaseDirectory();
    }
    links.countDrops(backlog.size());
    backlog.drop(pool);
    if (state == LinkState.FAILED) {
      become(LinkState.BACKING_OFF);
    } else {
      driver.signalAll();
    }
  }
}
