// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.spi.TransportException;
import java.util.ArrayList;
import java.util.List;

/**
 * Advances several {@link CableConnect}s side by side. A value, for one thread, with the member's
 * lock.
 *
 * @param deadline whose clock it reads; each connect has its own limits
 */
record CableConnector(LocalRank member, Deadline deadline) {
  private static final long PAUSE_NS = 2_000_000;

  /** What counts of one turn: a process that was held up meanwhile has not waited. */
  private static final long MAX_TURN_NS = 50_000_000;

  /** Waits until all are over. Where it throws, it has given them up. */
  void connect(List<? extends CableConnect> all) throws CollectiveException, TransportException {
    List<CableConnect> left = new ArrayList<>(all);
    long passedNs = 0;
    long seenNs = deadline.clock().getAsLong();
    try {
      while (true) {
        for (CableConnect each : all) {
          if (left.contains(each) && each.advance(passedNs)) {
            left.remove(each);
          }
        }
        if (left.isEmpty()) {
          return;
        }
        member.check();
        member.waitFor(PAUSE_NS);
        long nowNs = deadline.clock().getAsLong();
        passedNs = Math.min(nowNs - seenNs, MAX_TURN_NS);
        seenNs = nowNs;
      }
    } catch (CollectiveException | TransportException | RuntimeException e) {
      left.forEach(CableConnect::giveUp);
      throw e;
    }
  }
}
