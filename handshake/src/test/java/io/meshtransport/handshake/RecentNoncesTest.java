// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The memory against replays: long enough, and bounded. */
class RecentNoncesTest {
  private static final long LIFETIME_NS = TimeUnit.SECONDS.toNanos(RecentNonces.LIFETIME_S);

  private final RecentNonces nonces = new RecentNonces();

  private boolean add(long number, long nowNs) {
    return nonces.add(new ConnectionNonce(0, number), nowNs);
  }

  @Test
  void shouldRememberANonceForItsLifetimeEvenAcrossAnOverflowOfTheClock() {
    long startNs = Long.MAX_VALUE - 10;
    assertTrue(add(1, startNs));
    assertFalse(add(1, startNs + LIFETIME_NS));
    assertTrue(add(1, startNs + LIFETIME_NS + 1));
  }

  @Test
  void shouldDropTheOldestWhenFull() {
    for (int i = 0; i < RecentNonces.MAX_NONCES; i++) {
      assertTrue(add(i, 0));
    }
    assertFalse(add(RecentNonces.MAX_NONCES - 1, 0));
    assertTrue(add(RecentNonces.MAX_NONCES, 0));
    assertTrue(add(0, 0), "the oldest had to go");
  }
}
