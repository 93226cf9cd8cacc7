// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.device.NicFixture;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.Registrations;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who gets bounce buffers when they run short. */
class BounceBufferPoolTest {
  private static final int NUMBER = 8;
  private static final int FOR_RECEIVES = 6;

  private OpenNic nic;
  private MemoryRegistry table;
  private BounceBufferPool bounces;

  @BeforeEach
  void open() throws Exception {
    SimulatedFabric fabric = new SimulatedFabric(1, SimulatedCable.usual());
    nic = NicFixture.over(0, "soft", "eth0", fabric.open("eth0"));
    table =
        new MemoryRegistry(
            new NodeId(1, 2),
            new Registrations(List.of(nic)),
            new MemorySettings(0, 0, 0, 16, NUMBER, 0));
    bounces = table.unregistered().bounces();
  }

  @AfterEach
  void close() throws Exception {
    table.closeAll(new IllegalStateException());
    nic.close();
  }

  private Deque<BounceBuffer> takeAll(boolean areForReceiving) throws TransportException {
    Deque<BounceBuffer> taken = new ArrayDeque<>();
    for (BounceBuffer next = bounces.take(areForReceiving);
        next != null;
        next = bounces.take(areForReceiving)) {
      taken.add(next);
    }
    return taken;
  }

  @Test
  void shouldLeaveAQuarterToSendsHoweverManyReceivesWait() throws Exception {
    assertEquals(FOR_RECEIVES, takeAll(true).size());
    Deque<BounceBuffer> sends = takeAll(false);
    assertEquals(NUMBER - FOR_RECEIVES, sends.size());
    // What a send gives back is not a receive's either.
    sends.remove().release();
    assertNull(bounces.take(true));
    assertNotNull(bounces.take(false));
    assertEquals(NUMBER, bounces.inUse());
  }

  @Test
  void shouldGiveSendsAllThatNoReceiveHas() throws Exception {
    Deque<BounceBuffer> sends = takeAll(false);
    assertEquals(NUMBER, sends.size());
    assertNull(bounces.take(true));
    sends.remove().release();
    BounceBuffer receive = bounces.take(true);
    assertNotNull(receive);
    receive.release();
    assertEquals(NUMBER - 1, bounces.inUse());
    // One that was a receive's counts as a send's now.
    sends.add(bounces.take(false));
    sends.forEach(BounceBuffer::release);
    assertEquals(FOR_RECEIVES, takeAll(true).size());
  }
}
