// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.OverlayFlow;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whether an overlay is at a transport. What goes over one is tested with {@code OverlayBridge}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttachedOverlayTest {
  private final Unconnected overlay = new Unconnected();
  private Transport transport;

  @BeforeEach
  void open() throws Exception {
    transport = MeshTransportContractTest.open("a", "127.77.41.1/24");
  }

  @AfterEach
  void close() {
    transport.close();
  }

  private boolean hasNic() {
    return transport.nics().stream().anyMatch(nic -> nic.toString().contains(Overlay.NIC));
  }

  private static void assertUnavailable(Transport to, String why) {
    TransportException failure =
        assertThrows(TransportException.class, () -> to.attach(new Unconnected()));
    assertEquals(Reason.UNAVAILABLE, failure.reason());
    assertEquals(why, failure.getMessage());
  }

  @Test
  void shouldHaveOneMoreNicForAsLongAsItIsAttached() throws Exception {
    assertFalse(hasNic());
    Overlay.Attachment attachment = transport.attach(overlay);
    assertTrue(hasNic());
    assertTrue(overlay.isAccepting);

    attachment.close();
    attachment.close();
    assertFalse(hasNic());
    assertFalse(overlay.isAccepting);
  }

  @Test
  void shouldRefuseASecondUntilTheFirstIsDetached() throws Exception {
    Overlay.Attachment first = transport.attach(overlay);
    assertUnavailable(transport, "an overlay is attached to this transport already");

    first.close();
    transport.attach(overlay);
    first.close();
    assertTrue(hasNic(), "an attachment that has ended does not detach another");
  }

  @Test
  void shouldDetachItWhenTheTransportCloses() throws Exception {
    transport.attach(overlay);
    transport.close();
    assertFalse(overlay.isAccepting);
  }

  @Test
  void shouldRefuseWhereNicsNeverChange() throws Exception {
    try (SimulatedLine line =
        new SimulatedLine(1, new SimulatedCable(5_000, 0, 1_000_000_000L), 4_096)) {
      assertUnavailable(line.from, "this transport reaches nodes over cables only (MESH_COMPAT)");
    }
  }

  /** Leads nowhere. */
  private static final class Unconnected implements Overlay {
    private volatile boolean isAccepting;

    @Override
    public void listen(Acceptor acceptor) {
      isAccepting = acceptor != null;
    }

    @Override
    public OverlayFlow open(String nodeId, int port, OverlayFlow.Listener listener) {
      throw new AssertionError();
    }

    @Override
    public boolean reaches(String nodeId) {
      return false;
    }

    @Override
    public String path(String nodeId) {
      return "";
    }
  }
}
