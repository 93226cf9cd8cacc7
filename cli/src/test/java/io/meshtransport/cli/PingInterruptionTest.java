// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PingInterruptionTest {
  @Test
  void shouldCloseATransportThatIsOpenedTooLateAndWaitForTheSummary() throws Exception {
    PingInterruption interruption = new PingInterruption();
    Thread signal = new Thread(interruption::end);
    signal.start();
    Awaitility.await().atMost(Duration.ofSeconds(20)).until(interruption::hasBegun);
    try (Transport transport = Transport.open(Map.of("MESH_LOOPBACK", "127.78.1.5/24"))) {
      interruption.uses(transport);
      TransportException closed =
          assertThrows(
              TransportException.class, () -> transport.register(ByteBuffer.allocateDirect(1)));
      assertEquals(TransportException.Reason.CLOSED, closed.reason());
    }
    interruption.close();
    signal.join();
  }

  @Test
  @Tag("slow")
  void shouldLeaveATransportOpenThatNothingInterrupts() throws Exception {
    try (PingInterruption interruption = new PingInterruption();
        Transport transport = Transport.open(Map.of("MESH_LOOPBACK", "127.78.1.6/24"))) {
      interruption.uses(transport);
      assertFalse(interruption.hasBegun());
      transport.register(ByteBuffer.allocateDirect(1)).close();
    }
  }
}
