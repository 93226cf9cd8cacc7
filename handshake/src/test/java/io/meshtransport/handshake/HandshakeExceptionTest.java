// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Texts of {@link HandshakeException} and of {@link HandshakeCounters}. */
class HandshakeExceptionTest {
  @Test
  void shouldExplainEveryReasonAndEveryCounter() {
    Set<Integer> codes = new HashSet<>();
    for (Reason reason : Reason.values()) {
      assertTrue(reason.description().matches(".*[.?]"), reason.name());
      assertTrue(!reason.isSent() || codes.add(reason.code()), "two reasons of one code");
    }
    for (Counter counter : Counter.values()) {
      assertFalse(counter.description().isBlank(), counter.name());
    }
    assertTrue(Reason.BUSY.retryHelps());
    assertFalse(Reason.SECRET_MISMATCH.retryHelps());
  }
}
