// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Statistics are readable when printed or logged: lines, and nothing that is zero.
 *
 * <p>Also tests {@link io.meshtransport.transport.stats.ChannelCounters}, {@link
 * io.meshtransport.transport.stats.HandshakeStatistics}, {@link
 * io.meshtransport.transport.PeerTraffic} and {@link
 * io.meshtransport.transport.stats.TrafficTable}.
 */
class StatisticsTest {
  private static Map<Counter, Long> counts(long messages, long bytes) {
    Map<Counter, Long> counts = new EnumMap<>(Counter.class);
    for (Counter counter : Counter.values()) {
      counts.put(counter, 0L);
    }
    counts.put(Counter.MESSAGES, messages);
    counts.put(Counter.BYTES, bytes);
    return counts;
  }

  @Test
  void shouldPrintALineForEachNicAndPeerWithoutZeros() {
    Latencies latencies = new Latencies(1, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000);
    Statistics statistics =
        new Statistics(
            List.of(new Traffic("eth1", "", "", 1, 0, counts(2, 30), counts(0, 0), latencies)),
            List.of(
                new Traffic("eth1", "a1b2c3d4", "b", 1, 0, counts(2, 30), counts(0, 0), latencies)),
            List.of(
                new HandshakeCount("CONNECTS", "connects asked for", 1, false),
                new HandshakeCount("EVICTED", "connections dropped", 0, false)));

    String sends = "1 timed: min 1.0, p50 1.0, p99 1.0, max 1.0 us";
    assertEquals(
        List.of(
            "eth1 and all peers (channels open: 1): sent MESSAGES 2, BYTES 30; received nothing; sends "
                + sends,
            "eth1 and b (a1b2c3d4) (channels open: 1): sent MESSAGES 2, BYTES 30; received nothing; sends "
                + sends,
            "handshakes: CONNECTS 1"),
        statistics.toString().lines().toList());
  }
}
