// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Shows an end when its warm-up is over and when its run is, and keeps what the end has measured in
 * between. One thread.
 */
final class RunClock {
  /** Relative error below 0.1 %. */
  private static final int DIGITS = 3;

  private static final double HALF_NANOS_PER_MICRO = 2e3;

  private final Duration warmUp;
  private final Duration time;
  private final long messageLimit;
  private final Histogram roundTrips = new Histogram(DIGITS);
  private boolean runs;
  private long measureFrom;
  private long stopAt;
  private long from;
  private long messagesBefore;
  private boolean measures;
  private boolean hasEnded;
  private long endedAt;
  private long messagesAtEnd;

  private RunClock(Duration warmUp, Duration time, long messageLimit) {
    this.warmUp = warmUp;
    this.time = time;
    this.messageLimit = messageLimit;
  }

  /** A run that lasts for some time. */
  RunClock(Duration warmUp, Duration time) {
    this(warmUp, time, Long.MAX_VALUE);
  }

  /** A run of so many messages, all of them measured. */
  static RunClock ofMessages(long count) {
    return new RunClock(Duration.ZERO, Duration.ZERO, count);
  }

  /** Another for the same run, which has not started. */
  RunClock copy() {
    return new RunClock(warmUp, time, messageLimit);
  }

  /**
   * Whether to go on. The first call starts the clock.
   *
   * @param now {@link System#nanoTime}
   * @param messages so far
   */
  boolean isRunning(long now, long messages) {
    if (!runs) {
      runs = true;
      measureFrom = now + warmUp.toNanos();
    }
    if (!measures && !hasEnded && now - measureFrom >= 0) {
      measures = true;
      from = now;
      // The measured time is complete, even if the last message of the warm-up took long.
      stopAt = now + time.toNanos();
      messagesBefore = messages;
    }
    if (measures && isOver(now, messages)) {
      end(now, messages);
    }
    return !hasEnded;
  }

  private boolean isOver(long now, long messages) {
    return messageLimit == Long.MAX_VALUE ? now - stopAt >= 0 : messages >= messageLimit;
  }

  /**
   * Ends what is measured, if it has not ended: for an end that learns from the other one that the
   * run is over.
   *
   * @param messages so far
   */
  void end(long now, long messages) {
    if (!hasEnded) {
      hasEnded = true;
      endedAt = now;
      messagesAtEnd = messages;
    }
  }

  /** One there and back. */
  void record(long roundTripNanos) {
    if (measures) {
      roundTrips.recordValue(roundTripNanos);
    }
  }

  /**
   * The result of a run that is measured until its last message is over.
   *
   * @param now when the last message was over
   * @param messages up to then
   */
  Measurement measurement(long now, long messages, long verified) {
    return new Measurement(
        messages, messages - messagesBefore, now - from, verified, half(50), half(99));
  }

  /**
   * The result of a run that is measured until its {@link #end}.
   *
   * @param total messages of the whole run, also those behind the end
   */
  Measurement measurementToEnd(long total, long verified) {
    return new Measurement(
        total,
        measures ? messagesAtEnd - messagesBefore : 0,
        measures ? endedAt - from : 1,
        verified,
        half(50),
        half(99));
  }

  /**
   * The result of threads that ran side by side, each with a clock: messages are added up, and the
   * time is that of the longest.
   */
  static Measurement merge(List<RunClock> clocks, long verified) {
    Histogram all = new Histogram(DIGITS);
    long total = 0;
    long messages = 0;
    long nanos = 1;
    for (RunClock each : clocks) {
      Measurement one = each.measurementToEnd(each.messagesAtEnd, 0);
      total += one.total();
      messages += one.messages();
      nanos = Math.max(nanos, one.nanos());
      all.add(each.roundTrips);
    }
    return new Measurement(total, messages, nanos, verified, half(all, 50), half(all, 99));
  }

  private double half(double percentile) {
    return half(roundTrips, percentile);
  }

  private static double half(Histogram roundTrips, double percentile) {
    return roundTrips.getTotalCount() == 0
        ? 0
        : roundTrips.getValueAtPercentile(percentile) / HALF_NANOS_PER_MICRO;
  }
}
