// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RateLimitTest {
  private static int admitted(RateLimit limit, int offered, long nowNs) {
    int admitted = 0;
    for (int i = 0; i < offered; i++) {
      admitted += limit.admits(nowNs) ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void shouldAdmitABurstAndThenARate() {
    RateLimit limit = new RateLimit(5);
    assertEquals(RateLimit.BURST, admitted(limit, 10_000, 5));
    assertEquals(RateLimit.PER_S / 10, admitted(limit, 10_000, 100_000_005));
    assertEquals(RateLimit.BURST, admitted(limit, 10_000, 100_000_000_000L));
  }
}
