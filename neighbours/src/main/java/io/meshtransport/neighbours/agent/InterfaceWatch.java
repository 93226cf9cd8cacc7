// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import io.meshtransport.config.NameFilter;
import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.nic.LinkedInterface;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Which interfaces may be ends of cables: scans all once a second, and at once when one of them
 * loses its carrier, which is polled ten times a second.
 */
final class InterfaceWatch {
  static final long SCAN_NS = TimeUnit.SECONDS.toNanos(1);
  static final long CARRIER_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Supplier<List<LinkedInterface>> scan;
  private List<LinkedInterface> found = List.of();
  private List<CableInterface> cables = List.of();
  private long nextScanNs;
  private long nextPollNs;

  InterfaceWatch(NameFilter ifname) {
    this(() -> LinkedInterface.live(ifname));
  }

  InterfaceWatch(Supplier<List<LinkedInterface>> scan) {
    this.scan = scan;
  }

  /** The interfaces of now, if it is time to say and they have changed. */
  Optional<List<CableInterface>> poll(long nowNs) {
    if (nowNs < nextPollNs) {
      return Optional.empty();
    }
    nextPollNs = nowNs + CARRIER_NS;
    if (nowNs < nextScanNs && found.stream().allMatch(LinkedInterface::hasCarrier)) {
      return Optional.empty();
    }
    nextScanNs = nowNs + SCAN_NS;
    found = scan.get();
    List<CableInterface> now = found.stream().map(InterfaceWatch::cable).toList();
    if (now.equals(cables)) {
      return Optional.empty();
    }
    cables = now;
    return Optional.of(now);
  }

  private static CableInterface cable(LinkedInterface each) {
    return new CableInterface(
        each.netdev().ifindex(),
        each.netdev().name(),
        each.netdev().mtu(),
        each.speedMbps(),
        each.netdev().addresses());
  }

  long nextDueNs() {
    return nextPollNs;
  }
}
