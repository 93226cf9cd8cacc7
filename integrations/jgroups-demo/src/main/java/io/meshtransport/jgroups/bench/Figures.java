// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.bench.ProcessorTime;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one member has measured under one load, or several members together.
 *
 * @param operations calls that were answered (UPerf), messages that arrived from other members
 *     (MPerf)
 * @param nanos how long that took
 * @param processors what the process used of them meanwhile
 * @param latencies by kind: {@code read} and {@code write}, or {@code delivery}
 */
record Figures(
    long operations,
    long nanos,
    ProcessorTime processors,
    Map<String, DeliveryLatencies> latencies) {
  private static final double NANOS_PER_MICRO = 1e3;

  Figures {
    latencies = Map.copyOf(latencies);
    if (operations < 0 || nanos <= 0) {
      throw new IllegalArgumentException(operations + " operations in " + nanos + " ns");
    }
  }

  /** Per second. */
  double rate() {
    return operations * 1e9 / nanos;
  }

  /**
   * Microseconds of processors for each operation, at senders and receivers together, less what the
   * JVMs' compilers used.
   */
  double processorMicros() {
    return processors.workNanos() / NANOS_PER_MICRO / operations;
  }

  /** Those of two members, which ran at the same time. */
  Figures plus(Figures other) {
    Map<String, DeliveryLatencies> sum = new TreeMap<>(latencies);
    other.latencies.forEach((kind, more) -> sum.merge(kind, more, DeliveryLatencies::plus));
    return new Figures(
        operations + other.operations, nanos + other.nanos, processors.plus(other.processors), sum);
  }
}
