// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecentFailuresTest {
  private final RecentFailures failures = new RecentFailures(Transport.MAX_REQUESTS);

  @Test
  void shouldKnowNoneAtFirst() {
    assertThrows(IllegalArgumentException.class, () -> failures.of(0));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 63, 64, 65, 200})
  void shouldKnowTheLastOnly(int max) {
    RecentFailures failures = new RecentFailures(max);
    TransportException[] reasons = new TransportException[2 * max];
    for (int i = 0; i < reasons.length; i++) {
      reasons[i] = new TransportException(Reason.BUSY, "reason " + i);
      failures.add(1000 + i, reasons[i]);
      assertSame(reasons[i], failures.of(1000 + i));
      int oldest = Math.max(0, i - max + 1);
      assertSame(reasons[oldest], failures.of(1000 + oldest));
      if (oldest > 0) {
        assertThrows(IllegalArgumentException.class, () -> failures.of(1000 + oldest - 1));
      }
    }
  }

  @Test
  void shouldNotTakeAnEmptyPlaceForRequestZero() {
    failures.add(5, new TransportException(Reason.BUSY, "five"));
    assertThrows(IllegalArgumentException.class, () -> failures.of(0));
  }
}
