// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Counter;
import io.meshtransport.time.WaitTimes;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.verbs.VerbsException;
import java.time.Duration;

/**
 * Waiting on a channel: the thread that waits progresses it, spins for a while, and then parks
 * until something completes. One thread at a time; no lock is held while it is parked.
 */
final class ChannelWait {
  private static final long NO_REQUEST = -1;
  private static final long NO_COUNT = -1;

  private final ChannelCore core;
  private final ProgramPolls polls;
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
    spin.begin(startNs);
    try {
      while (true) {
        long outcome = polls.test(request, null);
        long nowNs = System.nanoTime();
        long leftNs = timeoutNs - (nowNs - startNs);
        boolean isOver = outcome != Channel.PENDING;
        if (isOver || leftNs <= 0 || Thread.currentThread().isInterrupted()) {
          spin.end(nowNs, isOver);
          return outcome;
        }
        spinOrPark(request, NO_COUNT, nowNs, leftNs);
      }
    } finally {
      spin.finish();
    }
  }

  /** As {@link Channel#awaitProgress}. */
  long awaitProgress(long seen, Duration timeout) {
    long startNs = System.nanoTime();
    long timeoutNs = WaitTimes.nanos(timeout);
    spin.begin(startNs);
    try {
      while (true) {
        boolean isLive = progress();
        long nowNs = System.nanoTime();
        long leftNs = timeoutNs - (nowNs - startNs);
        boolean hasProgressed = core.status.progressCount() != seen;
        if (!isLive || hasProgressed || leftNs <= 0 || Thread.currentThread().isInterrupted()) {
          spin.end(nowNs, hasProgressed);
          return core.status.progressCount();
        }
        spinOrPark(NO_REQUEST, seen, nowNs, leftNs);
      }
    } finally {
      spin.finish();
    }
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
    } finally {
      core.lock.unlock();
    }
    core.status.awaited(true);
    try {
      parkedOn.events().await(parkNs);
    } catch (VerbsException e) {
      cannotPark(parkedOn, e);
    } finally {
      core.status.awaited(false);
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
