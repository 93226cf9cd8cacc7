package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.spi.Latencies;
import io.meshtransport.spi.TransportException;
import org.junit.jupiter.api.Test;

/** What scripts read of a ping: one unit, and nothing that looks measured and is not. */
class PingReportTest {
  private static JsonNode json(Object report) {
    return new ObjectMapper().valueToTree(report);
  }

  @Test
  void shouldWriteSendsInMicrosecondsAsRoundTripsAre() {
    JsonNode sends =
        json(PingSends.of(new Latencies(9, 1_000, 2_000, 3_500, 4_000, 5_000, 6_000, 7_000)));

    assertEquals(9, sends.path("timed").asInt());
    assertEquals(1, sends.path("latencyMicrosMin").asDouble());
    assertEquals(2, sends.path("latencyMicrosMean").asDouble());
    assertEquals(3.5, sends.path("latencyMicrosP50").asDouble());
    assertEquals(4, sends.path("latencyMicrosP90").asDouble());
    assertEquals(5, sends.path("latencyMicrosP99").asDouble());
    assertEquals(6, sends.path("latencyMicrosP999").asDouble());
    assertEquals(7, sends.path("latencyMicrosMax").asDouble());
  }

  @Test
  void shouldWriteNullForWhatWasNotMeasured() {
    assertEquals(
        """
        {"timed":0,"latencyMicrosMin":null,"latencyMicrosMean":null,"latencyMicrosP50":null,\
        "latencyMicrosP90":null,"latencyMicrosP99":null,"latencyMicrosP999":null,"latencyMicrosMax":null}""",
        json(PingSends.of(Latencies.NONE)).toString());
    TransportException why =
        new TransportException(TransportException.Reason.PEER_UNREACHABLE, "Nobody is there.");
    assertEquals(
        """
        {"route":null,"handshakeMicros":null,"sizeBytes":64,"sent":0,"lost":0,"latencyMicrosMin":null,"latencyMicrosP50":null,\
        "latencyMicrosP99":null,"latencyMicrosMax":null,"megabytesPerSecond":null,"sends":null,\
        "result":"FAIL: PEER_UNREACHABLE: Nobody is there."}""",
        json(PingReport.unreachable(64, "FAIL: " + why)).toString());
  }
}
