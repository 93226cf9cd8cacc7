// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.meshtransport.spi.Route;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How a peer answered, as {@code --json} writes it. What nothing was measured for is null there.
 *
 * @param route which way the messages went; null if there was none
 * @param handshakeMicros how long that took to set up, in the unit of all the others; null likewise
 * @param sizeBytes of each message
 * @param sent messages begun
 * @param lost messages that did not come back
 * @param latencyMicrosMin of a round trip; the others likewise; null if no message came back
 * @param megabytesPerSecond bytes there and back over the time of all round trips: at each moment
 *     only one direction is in use; null if no message came back
 * @param sends the way there alone, until this end knew that the peer has all of it, without the
 *     peer's program; null if there was no channel
 * @param result {@code PASS}, or {@code FAIL: } and the typed reason
 */
record PingReport(
    @JsonIgnoreProperties("handshakeNs") Route route,
    Double handshakeMicros,
    int sizeBytes,
    long sent,
    long lost,
    Double latencyMicrosMin,
    Double latencyMicrosP50,
    Double latencyMicrosP99,
    Double latencyMicrosMax,
    Double megabytesPerSecond,
    PingSends sends,
    String result) {
  static final String PASS = "PASS";
  static final String INTERRUPTED = "FAIL: interrupted";

  static PingReport of(
      Route route,
      int sizeBytes,
      long sent,
      Histogram nanos,
      long totalNs,
      Histogram sendNanos,
      String result) {
    long echoed = nanos.getTotalCount();
    boolean measured = echoed > 0;
    return new PingReport(
        route,
        micros(route.handshakeNs()),
        sizeBytes,
        sent,
        sent - echoed,
        measured ? micros(nanos.getMinValue()) : null,
        measured ? micros(nanos.getValueAtPercentile(50)) : null,
        measured ? micros(nanos.getValueAtPercentile(99)) : null,
        measured ? micros(nanos.getMaxValue()) : null,
        measured ? 2.0 * sizeBytes * echoed / micros(totalNs) : null,
        PingSends.of(sendNanos),
        result);
  }

  /** There is not even a channel. */
  static PingReport unreachable(int sizeBytes, String result) {
    return new PingReport(null, null, sizeBytes, 0, 0, null, null, null, null, null, null, result);
  }

  /** Boxed, because the component can be null. */
  static Double micros(long nanos) {
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
        + (latencyMicrosMin == null ? "" : roundTrips())
        + "sends, from post to acknowledgement: %s%n".formatted(sends)
        + (megabytesPerSecond == null ? "" : "MB/s: %.1f%n".formatted(megabytesPerSecond));
  }

  private String roundTrips() {
    return "round trip us: min %.1f  p50 %.1f  p99 %.1f  max %.1f%n"
        .formatted(latencyMicrosMin, latencyMicrosP50, latencyMicrosP99, latencyMicrosMax);
  }
}
