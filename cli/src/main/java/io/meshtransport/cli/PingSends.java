package io.meshtransport.cli;

import io.meshtransport.spi.Latencies;

/**
 * How long a ping's sends took, as {@code --json} writes it: a channel's {@link Latencies} in the
 * unit and under the names of the round trips beside them.
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
  static PingSends of(Latencies sends) {
    return sends.timed() == 0
        ? new PingSends(0, null, null, null, null, null, null, null)
        : new PingSends(
            sends.timed(),
            PingReport.micros(sends.leastNs()),
            PingReport.micros(sends.meanNs()),
            PingReport.micros(sends.halfNs()),
            PingReport.micros(sends.ninetyNs()),
            PingReport.micros(sends.ninetyNineNs()),
            PingReport.micros(sends.ninetyNinePointNineNs()),
            PingReport.micros(sends.mostNs()));
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
