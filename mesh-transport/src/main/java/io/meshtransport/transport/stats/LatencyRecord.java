// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.stats;

import io.meshtransport.spi.Latencies;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/**
 * How long sends took, of one channel or of all to one peer. Channels record side by side without a
 * lock or garbage; any thread reads meanwhile. It takes its memory with the first time recorded,
 * all of it at once: a channel that sends nothing has none, and nothing grows later.
 */
public final class LatencyRecord {
  /** Finer than a reading of the clock. */
  private static final long LEAST_NS = 64;

  private static final long MOST_NS = TimeUnit.MINUTES.toNanos(1);

  /** Decimal digits, and what they come to: within 1 %, 24 KB. */
  private static final int DIGITS_OF_A_PEER = 2;

  /** Within 7 %, 4 KB: with it, an idle channel that has sent stays below 16 KiB. */
  private static final int DIGITS_OF_A_CHANNEL = 1;

  private final int digits;
  private volatile AtomicHistogram histogram;

  private LatencyRecord(int digits) {
    this.digits = digits;
  }

  public static LatencyRecord ofPeer() {
    return new LatencyRecord(DIGITS_OF_A_PEER);
  }

  public static LatencyRecord ofChannel() {
    return new LatencyRecord(DIGITS_OF_A_CHANNEL);
  }

  public void record(long ns) {
    AtomicHistogram made = histogram;
    if (made == null) {
      made = make();
    }
    made.recordValue(Math.max(0, Math.min(ns, MOST_NS)));
  }

  private synchronized AtomicHistogram make() {
    if (histogram == null) {
      histogram = new AtomicHistogram(LEAST_NS, MOST_NS, digits);
    }
    return histogram;
  }

  /** An empty sum of records of peers, to be read with {@link #read(Histogram)}. */
  static Histogram newSum() {
    return new Histogram(LEAST_NS, MOST_NS, DIGITS_OF_A_PEER);
  }

  void addTo(Histogram sum) {
    // The total is counted last: from then on there is a least and a most.
    AtomicHistogram made = histogram;
    if (made != null && made.getTotalCount() > 0) {
      sum.add(made);
    }
  }

  /** Reads this one by itself. */
  public Latencies read() {
    // From a copy: percentiles of what is written to meanwhile would be of no moment at all.
    Histogram copy = new Histogram(LEAST_NS, MOST_NS, digits);
    addTo(copy);
    return read(copy);
  }

  /** Heap that it takes, in bytes; none as long as nothing is recorded. */
  public int footprintBytes() {
    AtomicHistogram made = histogram;
    return made == null ? 0 : made.getEstimatedFootprintInBytes();
  }

  static Latencies read(Histogram sum) {
    long timed = sum.getTotalCount();
    return timed == 0
        ? Latencies.NONE
        : new Latencies(
            timed,
            sum.getMinValue(),
            Math.round(sum.getMean()),
            sum.getValueAtPercentile(50),
            sum.getValueAtPercentile(90),
            sum.getValueAtPercentile(99),
            sum.getValueAtPercentile(99.9),
            sum.getMaxValue());
  }
}
