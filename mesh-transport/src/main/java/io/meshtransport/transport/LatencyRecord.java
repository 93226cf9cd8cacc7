package io.meshtransport.transport;

import io.meshtransport.spi.Latencies;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/**
 * How long sends to one peer took. Channels record side by side without a lock or garbage; any
 * thread reads meanwhile. Some 24 KB, so there is one for a peer and not for a channel, and only
 * once there is something to record.
 */
final class LatencyRecord {
  /** Finer than a reading of the clock. */
  private static final long LEAST_NS = 64;

  private static final long MOST_NS = TimeUnit.MINUTES.toNanos(1);

  /** Decimal digits: within 1 %. */
  private static final int DIGITS = 2;

  private volatile AtomicHistogram histogram;

  void record(long ns) {
    AtomicHistogram made = histogram;
    if (made == null) {
      made = make();
    }
    made.recordValue(Math.max(0, Math.min(ns, MOST_NS)));
  }

  private synchronized AtomicHistogram make() {
    if (histogram == null) {
      histogram = new AtomicHistogram(LEAST_NS, MOST_NS, DIGITS);
    }
    return histogram;
  }

  /** An empty sum of records, to be read with {@link #read}. */
  static Histogram newSum() {
    return new Histogram(LEAST_NS, MOST_NS, DIGITS);
  }

  void addTo(Histogram sum) {
    AtomicHistogram made = histogram;
    if (made != null) {
      sum.add(made);
    }
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
