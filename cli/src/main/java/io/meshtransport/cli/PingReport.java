package io.meshtransport.cli;

import io.meshtransport.spi.Latencies;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How a peer answered, as {@code --json} writes it.
 *
 * @param route which way the messages went; null if there was none
 * @param sizeBytes of each message
 * @param sent messages begun
 * @param lost messages that did not come back
 * @param latencyMicrosMin of a round trip; the others likewise
 * @param megabytesPerSecond bytes there and back over the time of all round trips: at each moment
 *     only one direction is in use
 * @param sends what the channel has timed: the way there alone, until this end knew that the peer
 *     has all of it, without the peer's program
 * @param result {@code PASS}, or {@code FAIL: } and the typed reason
 */
record PingReport(
    Route route,
    int sizeBytes,
    long sent,
    long lost,
    double latencyMicrosMin,
    double latencyMicrosP50,
    double latencyMicrosP99,
    double latencyMicrosMax,
    double megabytesPerSecond,
    Latencies sends,
    String result) {
  static final String PASS = "PASS";
  static final String INTERRUPTED = "FAIL: interrupted";

  static PingReport of(
      SendChannel out, int sizeBytes, long sent, Histogram nanos, long totalNs, String result) {
    double micros = totalNs / (double) TimeUnit.MICROSECONDS.toNanos(1);
    return new PingReport(
        out.route(),
        sizeBytes,
        sent,
        sent - nanos.getTotalCount(),
        micros(nanos.getTotalCount() == 0 ? 0 : nanos.getMinValue()),
        micros(nanos.getValueAtPercentile(50)),
        micros(nanos.getValueAtPercentile(99)),
        micros(nanos.getMaxValue()),
        micros == 0 ? 0 : 2.0 * sizeBytes * nanos.getTotalCount() / micros,
        out.latencies(),
        result);
  }

  /** There is not even a channel. */
  static PingReport unreachable(int sizeBytes, String result) {
    return new PingReport(null, sizeBytes, 0, 0, 0, 0, 0, 0, 0, Latencies.NONE, result);
  }

  private static double micros(long nanos) {
    return nanos / (double) TimeUnit.MICROSECONDS.toNanos(1);
  }

  String text() {
    return "%d %s of %d %s, %d lost, every byte of the others verified%n"
            .formatted(
                sent,
                sent == 1 ? "message" : "messages",
                sizeBytes,
                sizeBytes == 1 ? "byte" : "bytes",
                lost)
        + "round trip us: min %.1f  p50 %.1f  p99 %.1f  max %.1f%n"
            .formatted(latencyMicrosMin, latencyMicrosP50, latencyMicrosP99, latencyMicrosMax)
        + "sends: %s%n".formatted(sends)
        + "MB/s: %.1f%n".formatted(megabytesPerSecond);
  }
}
