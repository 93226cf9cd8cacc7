// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A transport that has no use for an {@link Overlay} and its {@link OverlayFlow}s says so. */
class OverlayTest {
  /** Fails the test if the transport calls it. */
  private static final Overlay UNTOUCHED =
      new Overlay() {
        @Override
        public void listen(Acceptor acceptor) {
          throw new AssertionError("listened to");
        }

        @Override
        public OverlayFlow open(String nodeId, int port, OverlayFlow.Listener listener) {
          throw new AssertionError("opened");
        }

        @Override
        public boolean reaches(String nodeId) {
          throw new AssertionError("asked");
        }

        @Override
        public String path(String nodeId) {
          throw new AssertionError("asked");
        }
      };

  @Test
  void shouldBeRefusedByATransportThatHasNoUseForIt() {
    try (InMemoryTransport transport = new InMemoryTransport("a")) {
      TransportException refusal =
          assertThrows(TransportException.class, () -> transport.attach(UNTOUCHED));
      assertEquals(TransportException.Reason.UNAVAILABLE, refusal.reason());
      assertTrue(refusal.getMessage().contains("InMemoryTransport"), refusal.getMessage());
    }
  }
}
