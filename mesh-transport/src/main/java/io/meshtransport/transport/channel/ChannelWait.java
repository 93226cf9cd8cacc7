// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Counter;
import io.meshtransport.time.WaitTimes;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.verbs.VerbsException;
import java.time.Duration;

/**
 * Waiting on a channel, by any number of threads. The first, or the only one, is the leader of the
 * {@link WaitingThreads}: it progresses the channel, spins for a while, and then parks until
 * something completes. Others sleep until the leader, or whoever polls, has what they wait for, and
 * lead when it waits no more. No lock is held while a thread is parked.
 */
final class ChannelWait {
  private static final long NO_REQUEST = -1;
  private static final long NO_COUNT = -1;

  private final ChannelCore core;
  private final ProgramPolls polls;

  /** The leader's. */
  private final AdaptiveSpin spin;

  ChannelWait(ChannelCore core, ProgramPolls polls) {
    this.core = core;
    this.polls = polls;
    this.spin = new AdaptiveSpin(core.timing.spinNs(), SpinnerCount.OF_THIS_PROCESS);
  }

  /** As {@link Channel#await}. */
  long await(long request, Duration timeout) {
    long startNs = System.nanoTime();
    long timeoutNs = WaitTimes.nanos(timeout);
    boolean isLeader = lead(startNs);
    try {
      while (true) {
        long outcome = polls.test(request, null);
        long nowNs = System.nanoTime();
        long leftNs = timeoutNs - (nowNs - startNs);
        boolean isOver = outcome != Channel.PENDING;
        if (isOver || leftNs <= 0 || Thread.currentThread().isInterrupted()) {
          noteEnd(isLeader, nowNs, isOver);
          return outcome;
        }
        isLeader = sleep(isLeader, request, NO_COUNT, nowNs, leftNs);
      }
    } finally {
      finish(isLeader);
    }
  }

  /** As {@link Channel#awaitProgress}. */
  long awaitProgress(long seen, Duration timeout) {
    long startNs = System.nanoTime();
    long timeoutNs = WaitTimes.nanos(timeout);
    boolean isLeader = lead(startNs);
    try {
      while (true) {
        boolean isLive = progress();
        long nowNs = System.nanoTime();
        long leftNs = timeoutNs - (nowNs - startNs);
        boolean hasProgressed = core.status.progressCount() != seen;
        if (!isLive || hasProgressed || leftNs <= 0 || Thread.currentThread().isInterrupted()) {
          noteEnd(isLeader, nowNs, hasProgressed);
          return core.status.progressCount();
        }
        isLeader = sleep(isLeader, NO_REQUEST, seen, nowNs, leftNs);
      }
    } finally {
      finish(isLeader);
    }
  }

  private boolean lead(long nowNs) {
    boolean isLeader = core.waiting.lead();
    if (isLeader) {
      spin.begin(nowNs);
    }
    return isLeader;
  }

  private void noteEnd(boolean isLeader, long nowNs, boolean hasCome) {
    if (isLeader) {
      spin.end(nowNs, hasCome);
    }
  }

  private void finish(boolean isLeader) {
    if (isLeader) {
      spin.finish();
      core.waiting.stopLeading();
    }
  }

  /** Returns whether the calling thread leads now. */
  private boolean sleep(boolean isLeader, long request, long seen, long nowNs, long leftNs) {
    if (isLeader) {
      spinOrPark(request, seen, nowNs, leftNs);
      return true;
    }
    return follow(request, seen, nowNs, leftNs);
  }

  /**
   * Sleeps while another thread leads. Its own deadline a follower notices by itself: the leader
   * may be parked for longer.
   *
   * @return whether the calling thread leads now
   */
  private boolean follow(long request, long seen, long nowNs, long leftNs) {
    core.lock.lock();
    try {
      if (!core.status.isLive() || isOver(request, seen)) {
        return false;
      }
      int slot = awaited(request);
      boolean isLeader = core.waiting.follow(slot, core.clock.untilDeadlineNs(nowNs, leftNs));
      if (isLeader) {
        spin.begin(System.nanoTime());
      }
      return isLeader;
    } finally {
      core.lock.unlock();
    }
  }

  /** The slot of a request that the calling thread waits for. */
  private int awaited(long request) {
    if (request == NO_REQUEST) {
      return WaitingThreads.ANY_PROGRESS;
    }
    int slot = core.requests.slot(request);
    core.requests.awaited(slot);
    return slot;
  }

  private boolean progress() {
    core.lock.lock();
    try {
      core.progress();
      return core.status.isLive();
    } finally {
      core.lock.unlock();
    }
  }

  private void spinOrPark(long request, long seen, long nowNs, long leftNs) {
    if (spin.mayGoOn(nowNs)) {
      Thread.yield();
    } else {
      spin.parks();
      park(request, seen, leftNs);
    }
  }

  /**
   * Parks until something completes, a deadline or the silence is over, or another thread closes
   * the channel.
   *
   * @param request whose end is awaited, or {@link #NO_REQUEST}
   * @param seen without a request: any other progress count is awaited
   */
  private void park(long request, long seen, long atMostNs) {
    VerbsEndpoint parkedOn;
    long parkNs;
    core.lock.lock();
    try {
      parkedOn = core.endpoints().endpointToParkOn();
      core.polling.arm(parkedOn);
      // What completed before the arming raises no event, and one batch may not be all of it: park
      // only when there was nothing.
      if (core.progress() > 0 || !core.status.isLive() || isOver(request, seen)) {
        return;
      }
      core.requests.counts().add(Counter.PARKED_WAITS, 1);
      long longestNs = core.endpoints().longestParkNs(core.timing.silenceNs());
      parkNs = core.clock.untilDeadlineNs(System.nanoTime(), Math.min(atMostNs, longestNs));
      core.waiting.parks(awaited(request), parkedOn);
    } finally {
      core.lock.unlock();
    }
    try {
      parkedOn.events().await(parkNs);
    } catch (VerbsException e) {
      cannotPark(parkedOn, e);
    } finally {
      core.waiting.parked();
    }
  }

  private boolean isOver(long request, long seen) {
    return request == NO_REQUEST
        ? core.status.progressCount() != seen
        : core.requests.outcome(core.requests.slot(request)) != Channel.PENDING;
  }

  /** A thread that cannot be woken must not go on as if nothing had completed. */
  private void cannotPark(VerbsEndpoint on, VerbsException why) {
    core.lock.lock();
    try {
      // If it was closed meanwhile, the next test says so.
      if (core.status.isReady()) {
        core.endpointFailed(on, ChannelFailures.waiting(core.route, why));
      }
    } finally {
      core.lock.unlock();
    }
  }
}
