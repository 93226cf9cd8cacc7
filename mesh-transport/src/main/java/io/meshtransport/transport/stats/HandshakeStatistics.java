// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.stats;

import io.meshtransport.handshake.HandshakeCounters;
import io.meshtransport.handshake.HandshakeException.Reason;
import io.meshtransport.spi.HandshakeCount;
import java.util.ArrayList;
import java.util.List;

/** What a handshaker has counted, as callers of the transport see it. Holds nothing. */
public final class HandshakeStatistics {
  private HandshakeStatistics() {}

  /** Every counter, then the reasons for which some failed. */
  public static List<HandshakeCount> of(HandshakeCounters counters) {
    List<HandshakeCount> tally = new ArrayList<>();
    counters
        .snapshot()
        .forEach(
            (counter, value) ->
                tally.add(
                    new HandshakeCount(
                        counter.name(), counter.description(), value, counter.isCurrent())));
    for (Reason reason : Reason.values()) {
      addFailures(tally, "INBOUND_FAILED_", reason, counters.inboundFailures(reason));
      addFailures(tally, "OUTBOUND_FAILED_", reason, counters.outboundFailures(reason));
    }
    return tally;
  }

  private static void addFailures(
      List<HandshakeCount> tally, String prefix, Reason reason, long count) {
    if (count != 0) {
      tally.add(
          new HandshakeCount(
              prefix + reason.name(), reason.description(), count, /* isCurrent= */ false));
    }
  }
}
