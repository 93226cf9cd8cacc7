// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.time;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PausingWaitTest {
  private final List<String> reported = new ArrayList<>();

  @Test
  void shouldAnswerWhatTheWaitDoes() {
    PausingWait wait = new PausingWait(timeoutNs -> (int) timeoutNs / 2, reported::add);
    assertEquals(5, wait.await(10));
    assertEquals(List.of(), reported);
  }

  @Test
  void shouldGoOnWhereItCannotWaitAndSayItOnce() {
    PausingWait wait =
        new PausingWait(
            timeoutNs -> {
              throw new IllegalStateException("the poller is closed");
            },
            reported::add);
    assertEquals(0, wait.await(1));
    assertEquals(0, wait.await(0));
    assertEquals(List.of("the poller is closed"), reported);
  }
}
