// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@link QueueDepths}. */
class QueueDepthsTest {
  private static final int PLENTY = 1 << 22;

  @Test
  void shouldBeWhatTheDocumentsSayOfTheDefault() {
    assertEquals(128, QueueDepths.DUPLEX.dataDepth());
    assertEquals(516, QueueDepths.RECEIVER.receives());
    assertEquals(65, QueueDepths.SENDER.receives());
    assertEquals(8, QueueDepths.SENDER.firstReceives());
    assertEquals(3, QueueDepths.receivesMessages(Transport.MAX_REQUESTS));
    assertEquals(9, QueueDepths.receivesMessages(ConnectOptions.MAX_REQUESTS));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 8, 9, 10, 63, 64, 65, 100, 512, 513, 1000, 4095, 4096})
  void shouldHaveAReceiveForEachAnnouncementInSteps(int requests) {
    QueueDepths depths = QueueDepths.duplex(requests);
    int messages = 0;
    int before = QueueDepths.SENDER.firstReceives();
    for (int slot = 0; slot < requests; slot++) {
      int receives = QueueDepths.senderReceives(slot, requests);
      assertTrue(QueueDepths.announcements(receives) >= Math.min(requests, slot + 1));
      assertTrue(receives >= before, "at slot " + slot);
      messages += receives > before ? 1 : 0;
      before = receives;
    }
    assertTrue(messages <= QueueDepths.receivesMessages(requests), messages + " messages");
    assertTrue(
        before + QueueDepths.maxReceives(requests) + QueueDepths.spareReceives(requests)
            <= depths.receives());
    assertTrue(depths.firstReceives() <= depths.receives());
    assertTrue(depths.dataDepth() >= Math.min(16, 2 * requests));
    assertTrue(QueueDepths.maxReceives(requests) >= requests);
    assertTrue(QueueDepths.maxReceives(requests) <= ConnectOptions.MAX_REQUESTS);
  }

  @ParameterizedTest
  @CsvSource({
    "4096, 32768, 4194304",
    "4096, 16384, 32767",
    "4096, 8192, 4194304",
    "4096, 4194304, 2048",
    "4096, 64, 64",
    "65, 1, 1"
  })
  void shouldFitTheQueuesOfTheDevice(int wanted, int depth, int completions) {
    int requests = QueueDepths.requestsFor(wanted, depth, completions);
    assertTrue(requests >= Transport.MAX_REQUESTS);
    assertTrue(requests == Transport.MAX_REQUESTS || fit(requests, depth, completions));
    assertTrue(requests == wanted || !fit(requests + 1, depth, completions));
    assertEquals(wanted, QueueDepths.requestsFor(wanted, PLENTY, PLENTY));
    assertEquals(5, QueueDepths.requestsFor(5, depth, completions));
  }

  private static boolean fit(int requests, int depth, int completions) {
    QueueDepths depths = QueueDepths.duplexRail(requests, 1, 1);
    return depths.sendDepth() <= depth
        && depths.receives() <= depth
        && depths.sendDepth() + depths.receives() <= completions;
  }

  @Test
  void shouldLeaveTheMostRequestsToCommonAdaptersAndSoftRoce() {
    assertEquals(4096, QueueDepths.requestsFor(4096, 16_384, 32_767));
  }
}
