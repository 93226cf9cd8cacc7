// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import org.HdrHistogram.Histogram;

/**
 * How long a ping's sends took, as {@code --json} writes it: in the unit and under the names of the
 * round trips beside them.
 *
 * @param timed sends timed; if 0, all others are null
 * @param latencyMicrosMin of a send; the others likewise
 */
record PingSends(
    long timed,
    Double latencyMicrosMin,
    Double latencyMicrosMean,
    Double latencyMicrosP50,
    Double latencyMicrosP90,
    Double latencyMicrosP99,
    Double latencyMicrosP999,
    Double latencyMicrosMax) {
  /**
   * @param nanos of each send
   */
  static PingSends of(Histogram nanos) {
    return nanos.getTotalCount() == 0
        ? new PingSends(0, null, null, null, null, null, null, null)
        : new PingSends(
            nanos.getTotalCount(),
            PingReport.micros(nanos.getMinValue()),
            PingReport.micros(Math.round(nanos.getMean())),
            PingReport.micros(nanos.getValueAtPercentile(50)),
            PingReport.micros(nanos.getValueAtPercentile(90)),
            PingReport.micros(nanos.getValueAtPercentile(99)),
            PingReport.micros(nanos.getValueAtPercentile(99.9)),
            PingReport.micros(nanos.getMaxValue()));
  }

  @Override
  public String toString() {
    return timed == 0
        ? "none timed"
        : "%d timed, us: min %.1f  p50 %.1f  p99 %.1f  max %.1f"
            .formatted(
                timed, latencyMicrosMin, latencyMicrosP50, latencyMicrosP99, latencyMicrosMax);
  }
}
