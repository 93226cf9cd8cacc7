// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.micrometer;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Reads a transport at most twice a second, however many meters are read: a registry reads each
 * meter by itself, and all of one publication are to be of one moment. Any thread.
 */
final class Readings {
  /** Shorter than the interval of any registry. */
  static final long MAX_AGE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Supplier<Readout> source;
  private final LongSupplier clockNs;
  private Readout last;
  private long readNs;

  Readings(Supplier<Readout> source, LongSupplier clockNs) {
    this.source = source;
    this.clockNs = clockNs;
  }

  /** Not older than {@link #MAX_AGE_NS}. */
  synchronized Readout now() {
    return last == null || clockNs.getAsLong() - readNs > MAX_AGE_NS ? fresh() : last;
  }

  /** Of this moment. */
  synchronized Readout fresh() {
    last = source.get();
    readNs = clockNs.getAsLong();
    return last;
  }
}
