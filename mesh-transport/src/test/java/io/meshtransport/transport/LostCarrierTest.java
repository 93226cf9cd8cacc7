// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.GidType;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.QueuePairSettings;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A device that never ends its work requests, as Soft-RoCE may without a carrier.
 *
 * <p>Also tests {@link io.meshtransport.transport.channel.ChannelClock}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LostCarrierTest {
  private static final int TAG = 1;

  private SimulatedLine line;
  private long request;

  @BeforeEach
  void waitForAMessage() throws Exception {
    // Nothing runs the fabric, so no work request of its devices ever ends.
    line = new SimulatedLine(1, new SimulatedCable(1_000, 0, 1_000), 1_000);
    request = line.in.irecv(line.to.register(ByteBuffer.allocateDirect(64)), 0, 64, TAG);
  }

  private void cutCarrier() {
    OpenNic nic = line.to.context().nics().now().get(0);
    Nic was = nic.nic();
    nic.update(
        new Nic(
            was.provider(),
            was.device(),
            was.port(),
            was.netdev(),
            was.ifindex(),
            was.addresses(),
            was.speedMbps(),
            was.activeMtu(),
            PortState.DOWN,
            was.pciPath(),
            was.numaNode()));
  }

  @Test
  @Tag("slow")
  void shouldEndAChannelWithoutCarrierAndWithoutAnAnswerThoughItsDeviceNeverDoes() {
    cutCarrier();
    while (line.in.test(request) == Channel.PENDING) {
      Thread.onSpinWait();
    }
    TransportException why = line.in.failure();
    assertEquals(TransportException.Reason.PEER_GONE, why.reason());
    assertTrue(why.getMessage().contains("to has had no carrier for"), why.getMessage());
  }

  @Test
  void shouldTryAsLongAsItsQueuePair() {
    QueuePairSettings settings = new QueuePairSettings(4096, 0, 0, 16, 6, 7);
    assertEquals(1_879, TimeUnit.NANOSECONDS.toMillis(settings.triesForNs(GidType.ROCE_V2)));
    QueuePairSettings endless = new QueuePairSettings(4096, 0, 0, 0, 6, 7);
    assertEquals(Long.MAX_VALUE, endless.triesForNs(GidType.ROCE_V2));
  }
}
