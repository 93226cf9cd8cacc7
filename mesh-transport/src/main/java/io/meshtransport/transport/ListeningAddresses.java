// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.nic.ScopedAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Where to listen: at the addresses of now, and for a while at those that have gone. One that is
 * away for a moment, as while a bond fails over, must not have its peers refused when it is back,
 * for a refusal means that the process is gone. Confined to one thread.
 */
final class ListeningAddresses {
  /**
   * Longer than any fail-over; a socket at an address that the host does not have hears nothing.
   */
  static final long LINGER_NS = TimeUnit.SECONDS.toNanos(60);

  private final Map<ScopedAddress, Long> lastThereNs = new HashMap<>();

  /**
   * @param now the host's addresses
   * @param nowNs clock of System.nanoTime
   */
  Set<ScopedAddress> with(Collection<ScopedAddress> now, long nowNs) {
    now.forEach(address -> lastThereNs.put(address, nowNs));
    lastThereNs.values().removeIf(lastNs -> nowNs - lastNs > LINGER_NS);
    return Set.copyOf(lastThereNs.keySet());
  }
}
