// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.micrometer;

import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Latencies;
import io.meshtransport.spi.Traffic;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What went over one NIC to and from all nodes of one name: the lives of a peer one after the
 * other, or nodes that share a name.
 *
 * @param lives the newest last
 */
record PeerTotals(List<Traffic> lives) {
  /** Of a pair that the statistics do not have. */
  static final PeerTotals NONE = new PeerTotals(List.of());

  PeerTotals {
    lives = List.copyOf(lives);
  }

  long channels() {
    return lives.stream().mapToLong(Traffic::channels).sum();
  }

  long outstanding() {
    return lives.stream().mapToLong(Traffic::outstanding).sum();
  }

  long sent(Counter counter) {
    return lives.stream().mapToLong(life -> life.sent().getOrDefault(counter, 0L)).sum();
  }

  long received(Counter counter) {
    return lives.stream().mapToLong(life -> life.received().getOrDefault(counter, 0L)).sum();
  }

  /** The worst of the nodes that have channels, or else that of the newest. */
  long latencyNs(ToLongFunction<Latencies> percentile) {
    return lives.stream()
        .filter(life -> life.channels() > 0)
        .mapToLong(life -> percentile.applyAsLong(life.latencies()))
        .max()
        .orElseGet(
            () ->
                lives.isEmpty()
                    ? 0
                    : percentile.applyAsLong(lives.get(lives.size() - 1).latencies()));
  }
}
