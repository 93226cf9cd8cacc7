// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.spi.TransportException;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What scripts read of a ping: one unit, and no figure that seems measured and is not. */
class PingReportTest {
  /** Three digits of the largest. */
  private static final double PRECISION_US = 0.01;

  private static Histogram nanos(long... values) {
    Histogram histogram = new Histogram(3);
    for (long value : values) {
      histogram.recordValue(value);
    }
    return histogram;
  }

  private static JsonNode json(Object report) {
    return new ObjectMapper().valueToTree(report);
  }

  @Test
  void shouldWriteSendsInMicrosecondsAsRoundTripsAre() {
    JsonNode sends = json(PingSends.of(nanos(1_000, 2_000, 6_000)));

    assertEquals(3, sends.path("timed").asInt());
    assertEquals(1, sends.path("latencyMicrosMin").asDouble(), PRECISION_US);
    assertEquals(3, sends.path("latencyMicrosMean").asDouble(), PRECISION_US);
    assertEquals(2, sends.path("latencyMicrosP50").asDouble(), PRECISION_US);
    assertEquals(6, sends.path("latencyMicrosP90").asDouble(), PRECISION_US);
    assertEquals(6, sends.path("latencyMicrosP99").asDouble(), PRECISION_US);
    assertEquals(6, sends.path("latencyMicrosP999").asDouble(), PRECISION_US);
    assertEquals(6, sends.path("latencyMicrosMax").asDouble(), PRECISION_US);
  }

  @Test
  void shouldWriteNullForWhatWasNotMeasured() {
    assertEquals(
        """
        {"timed":0,"latencyMicrosMin":null,"latencyMicrosMean":null,"latencyMicrosP50":null,\
        "latencyMicrosP90":null,"latencyMicrosP99":null,"latencyMicrosP999":null,"latencyMicrosMax":null}""",
        json(PingSends.of(nanos())).toString());
    TransportException why =
        new TransportException(TransportException.Reason.PEER_UNREACHABLE, "Nobody is there.");
    assertEquals(
        """
        {"route":null,"handshakeMicros":null,"sizeBytes":64,"sent":0,"lost":0,"latencyMicrosMin":null,"latencyMicrosP50":null,\
        "latencyMicrosP99":null,"latencyMicrosMax":null,"megabytesPerSecond":null,"sends":null,\
        "result":"FAIL: PEER_UNREACHABLE: Nobody is there."}""",
        json(PingReport.unreachable(64, "FAIL: " + why.summary())).toString());
  }
}
