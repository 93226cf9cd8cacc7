// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.micrometer;

import io.meshtransport.spi.HandshakeCount;
import io.meshtransport.spi.MemoryStatistics;
import io.meshtransport.spi.Statistics;
import io.meshtransport.spi.Traffic;
import io.meshtransport.spi.Transport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a transport had counted at one moment, by names.
 *
 * @param handshakes by the counters' names
 */
record Readout(
    Map<PeerKey, PeerTotals> peers,
    Map<String, HandshakeCount> handshakes,
    MemoryStatistics memory) {
  static Readout of(Transport transport) {
    Statistics statistics = transport.statistics();
    Map<PeerKey, List<Traffic>> lives = new LinkedHashMap<>();
    for (Traffic traffic : statistics.peers()) {
      lives.computeIfAbsent(PeerKey.of(traffic), key -> new ArrayList<>()).add(traffic);
    }
    Map<PeerKey, PeerTotals> peers = new LinkedHashMap<>();
    lives.forEach((key, of) -> peers.put(key, new PeerTotals(of)));
    Map<String, HandshakeCount> handshakes = new LinkedHashMap<>();
    for (HandshakeCount count : statistics.handshakes()) {
      handshakes.put(count.name(), count);
    }
    return new Readout(peers, handshakes, transport.memoryStatistics());
  }

  PeerTotals peer(PeerKey key) {
    return peers.getOrDefault(key, PeerTotals.NONE);
  }

  /** How often something happened; 0 if it never did, or how many there are now. */
  long handshakes(String name) {
    HandshakeCount count = handshakes.get(name);
    return count == null ? 0 : count.count();
  }
}
