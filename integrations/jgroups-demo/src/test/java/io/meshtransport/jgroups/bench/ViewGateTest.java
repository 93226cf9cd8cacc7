// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class ViewGateTest {
  private final ViewGate gate = new ViewGate();

  @Test
  void shouldOpenWhenTheViewHasItsSize() throws Exception {
    gate.accept(1);
    CompletableFuture<Void> passed =
        CompletableFuture.runAsync(
            () -> {
              try {
                gate.await(3, Duration.ofSeconds(30));
              } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError(e);
              }
            });

    gate.accept(2);
    gate.accept(3);

    passed.get(30, TimeUnit.SECONDS);
  }

  @Test
  void shouldSayHowManyAreThereWhenTheTimeIsUp() {
    gate.accept(2);

    TimeoutException late =
        assertThrows(TimeoutException.class, () -> gate.await(3, Duration.ofMillis(1)));

    assertTrue(late.getMessage().contains("2 members, not 3"), late.getMessage());
  }
}
