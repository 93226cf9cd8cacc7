// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.transport.endpoint.VerbsEndpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The threads that wait on one channel (the pattern Leader/Followers): the leader alone polls in a
 * loop and parks on the device, whose event wakes one thread. The others, its followers, sleep
 * until what they wait for has come, whoever polled it, or until they may lead. A thread that waits
 * alone leads, and acquires no lock for that.
 *
 * <p>Guarded by the channel's lock, except {@link #lead}, {@link #stopLeading}, {@link #parks} and
 * {@link #parked}.
 */
final class WaitingThreads {
  /**
   * A thread that sleeps.
   *
   * @param slot of the request whose end it waits for, or {@link #ANY_PROGRESS}
   */
  private record Follower(int slot, Condition isWoken) {}

  /** Not a slot: any step of the channel is waited for. */
  static final int ANY_PROGRESS = -1;

  private static final int NO_SLOT = -2;

  private final ReentrantLock lock;
  private final AtomicBoolean isLed = new AtomicBoolean();

  /** The longest asleep first. */
  private final List<Follower> followers = new ArrayList<>(0);

  /** Their number, which a leader that stops reads without the lock. */
  private volatile int followerCount;

  /** Where the leader is parked, or is about to be; null while it polls. */
  private volatile VerbsEndpoint parkedOn;

  /** What the leader waits for. */
  private int leaderSlot = NO_SLOT;

  WaitingThreads(ReentrantLock lock) {
    this.lock = lock;
  }

  /**
   * The calling thread leads from now on if no thread does.
   *
   * @return whether it leads; then {@link #stopLeading} must follow
   */
  boolean lead() {
    return isLed.compareAndSet(false, true);
  }

  /** The leader waits no more: the follower that has slept longest may lead. */
  void stopLeading() {
    isLed.set(false);
    // One that begins to follow is counted before it tries to lead: it succeeds, or is seen here.
    if (followerCount > 0) {
      lock.lock();
      try {
        if (!followers.isEmpty()) {
          followers.get(0).isWoken().signal();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Sleeps, with the lock, which it gives up meanwhile, until what it waits for has come or it may
   * lead; or for no reason.
   *
   * @param slot of a request that is pending, or {@link #ANY_PROGRESS}
   * @return whether the calling thread leads now; then {@link #stopLeading} must follow
   */
  boolean follow(int slot, long atMostNs) {
    Follower follower = new Follower(slot, lock.newCondition());
    add(follower);
    try {
      if (!lead()) {
        follower.isWoken().await(atMostNs, TimeUnit.NANOSECONDS);
        return lead();
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return lead();
    } finally {
      remove(follower);
    }
  }

  /** How many threads sleep. Any thread. */
  int followers() {
    return followerCount;
  }

  private void add(Follower follower) {
    followers.add(follower);
    followerCount = followers.size();
  }

  private void remove(Follower follower) {
    followers.remove(follower);
    followerCount = followers.size();
  }

  /** With the lock: the leader is about to park. */
  void parks(int slot, VerbsEndpoint on) {
    leaderSlot = slot;
    parkedOn = on;
  }

  /** The leader is awake, and looks for itself. Needs no lock. */
  void parked() {
    parkedOn = null;
  }

  /** Whether a thread is parked on the device. Any thread. */
  boolean isParked() {
    return parkedOn != null;
  }

  /** The channel has made a step, with an event of the device or without. */
  void progressed() {
    if (followerCount > 0 || parkedOn != null) {
      wake(ANY_PROGRESS);
    }
  }

  /**
   * Wakes those that wait for one thing.
   *
   * @param slot of a request that has ended, or {@link #ANY_PROGRESS}
   */
  void wake(int slot) {
    VerbsEndpoint on = parkedOn;
    if (on != null && leaderSlot == slot) {
      on.events().wakeUp();
    }
    for (int i = 0; i < followers.size(); i++) {
      if (followers.get(i).slot() == slot) {
        followers.get(i).isWoken().signal();
      }
    }
  }
}
