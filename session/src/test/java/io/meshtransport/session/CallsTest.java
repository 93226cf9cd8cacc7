// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import org.junit.jupiter.api.Test;

class CallsTest {
  private static final int MAX = 2;

  private final Calls calls = new Calls("b", MAX);

  @Test
  void shouldTellACallAmongOthersFromOneThatIsAlone() throws Exception {
    Call first = calls.begin(0);
    Call second = calls.begin(0);
    assertFalse(first.isOneOfMany);
    assertTrue(second.isOneOfMany);
    calls.end(first);
    calls.end(second);
    assertFalse(calls.begin(0).isOneOfMany);
  }

  @Test
  void shouldRefuseMoreCallsThanMayWait() throws Exception {
    Call first = calls.begin(0);
    calls.begin(0);
    TransportException refused = assertThrows(TransportException.class, () -> calls.begin(0));
    assertEquals(TransportException.Reason.BUSY, refused.reason());
    assertTrue(refused.getMessage().contains("SessionOptions.maxCalls"), refused.getMessage());
    calls.end(first);
    assertTrue(calls.begin(0).isOneOfMany);
  }
}
