// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CallsTest {
  private static final int MAX = 2;

  private final Calls calls = new Calls("b", MAX);

  @Test
  void shouldTellACallAmongOthersFromOneThatIsAlone() throws Exception {
    Call first = calls.begin(Duration.ZERO);
    Call second = calls.begin(Duration.ZERO);
    assertFalse(first.isOneOfMany);
    assertTrue(second.isOneOfMany);
    calls.end(first);
    calls.end(second);
    assertFalse(calls.begin(Duration.ZERO).isOneOfMany);
  }

  @Test
  void shouldNotCountACallWithoutATimeout() throws Exception {
    assertThrows(NullPointerException.class, () -> calls.begin(null));
    assertFalse(calls.begin(Duration.ZERO).isOneOfMany);
  }

  @Test
  void shouldRefuseMoreCallsThanMayWait() throws Exception {
    Call first = calls.begin(Duration.ZERO);
    calls.begin(Duration.ZERO);
    TransportException refused =
        assertThrows(TransportException.class, () -> calls.begin(Duration.ZERO));
    assertEquals(TransportException.Reason.BUSY, refused.reason());
    assertTrue(refused.getMessage().contains("SessionOptions.maxCalls"), refused.getMessage());
    calls.end(first);
    assertTrue(calls.begin(Duration.ZERO).isOneOfMany);
  }
}
