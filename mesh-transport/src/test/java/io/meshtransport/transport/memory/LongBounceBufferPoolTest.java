// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.testing.AllocationCounter;
import io.meshtransport.transport.device.NicFixture;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.Registrations;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Copies of long messages: how many at once, and what is kept of them. */
class LongBounceBufferPoolTest {
  private static final int UNIT = 1 << 16;
  private static final long MAX_BYTES = 8 * UNIT;
  private static final long KEPT_BYTES = 4 * UNIT;

  private OpenNic nic;
  private MemoryRegistry table;
  private LongBounceBufferPool bounces;

  @BeforeEach
  void open() throws Exception {
    SimulatedFabric fabric = new SimulatedFabric(1, SimulatedCable.usual());
    nic = NicFixture.over(0, "soft", "eth0", fabric.open("eth0"));
    table =
        new MemoryRegistry(
            new NodeId(1, 2),
            new Registrations(List.of(nic)),
            new MemorySettings(KEPT_BYTES, 0, 0, 16, 4, MAX_BYTES));
    bounces = table.unregistered().longBounces();
  }

  @AfterEach
  void close() throws Exception {
    IllegalStateException leak = new IllegalStateException();
    table.closeAll(leak);
    assertEquals(0, leak.getSuppressed().length);
    assertEquals(0, table.statistics().memories());
    nic.close();
  }

  private List<BounceBuffer> acquireAll(boolean areForReceiving) throws Exception {
    List<BounceBuffer> acquired = new ArrayList<>();
    BounceBuffer next;
    while ((next = bounces.acquire(UNIT, areForReceiving)) != null) {
      acquired.add(next);
    }
    return acquired;
  }

  @Test
  void shouldBeBusyAboveItsBytesAndLeaveAQuarterToSends() throws Exception {
    List<BounceBuffer> receives = acquireAll(true);
    assertEquals(6, receives.size());
    List<BounceBuffer> sends = acquireAll(false);
    assertEquals(2, sends.size());
    assertEquals(MAX_BYTES, bounces.bytesInUse());
    sends.get(0).release();
    assertNull(bounces.acquire(UNIT, true));
    assertNotNull(bounces.acquire(UNIT, false));
    receives.get(0).release();
    assertNotNull(bounces.acquire(UNIT, false));
    assertNull(bounces.acquire(UNIT, true));
  }

  @Test
  void shouldGiveOneMessageOfAnyLengthInEachDirection() throws Exception {
    BounceBuffer send = bounces.acquire(3 * MAX_BYTES, false);
    BounceBuffer receive = bounces.acquire(2 * MAX_BYTES, true);
    assertTrue(send.lengthBytes() >= 3 * MAX_BYTES);
    assertNull(bounces.acquire(UNIT, false));
    assertNull(bounces.acquire(UNIT, true));
    send.release();
    // What the other direction has counts, too, but not against the first.
    BounceBuffer next = bounces.acquire(UNIT, false);
    assertNotNull(next);
    assertNull(bounces.acquire(UNIT, false));
    receive.release();
    next.release();
    assertEquals(0, bounces.bytesInUse());
    assertTrue(bounces.bytes() <= KEPT_BYTES);
  }

  @Test
  void shouldKeepTheLatestUsedUpToABoundAndUseThemAgain() throws Exception {
    List<BounceBuffer> all = acquireAll(false);
    assertEquals(8, all.size());
    all.forEach(BounceBuffer::release);
    assertEquals(KEPT_BYTES, bounces.bytes());
    assertEquals(4, table.statistics().memories());
    List<BounceBuffer> again = acquireAll(false);
    assertEquals(all.subList(4, 8), again.subList(0, 4));
    again.forEach(BounceBuffer::release);
  }

  @Test
  void shouldUseWhatIsLittleLongerButNotWhatIsMuchLonger() throws Exception {
    BounceBuffer first = bounces.acquire(2 * UNIT, false);
    first.release();
    BounceBuffer shorter = bounces.acquire(UNIT + 1, true);
    assertSame(first, shorter);
    shorter.release();
    BounceBuffer half = bounces.acquire(UNIT - 1, true);
    assertEquals(UNIT, half.lengthBytes());
    BounceBuffer longer = bounces.acquire(2 * UNIT + 1, true);
    assertTrue(longer.lengthBytes() > 2 * UNIT);
    half.release();
    longer.release();
  }

  @Test
  void shouldAllocateNothingOnceWarm() throws Exception {
    byte[] bytes = new byte[3 * UNIT];
    ByteBuffer heap = ByteBuffer.wrap(bytes);
    UnregisteredBuffers buffers = table.unregistered();
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            1_000,
            20,
            () -> {
              for (int i = 0; i < 1_000; i++) {
                heap.limit(UNIT + 1 + i);
                Retained send = buffers.forSending(heap);
                Retained receive = buffers.forReceiving(heap);
                receive.arrived(100);
                send.release();
                receive.release();
              }
            });
  }

  @Test
  void shouldCopyThroughSeveralSegments() throws Exception {
    ByteBuffer whole = ByteBuffer.allocateDirect(100);
    List<ByteBuffer> segments =
        List.of(whole.slice(0, 33), whole.slice(33, 1), whole.slice(34, 66));
    try (MeshMemory memory = table.register(segments, Set.of())) {
      BounceBuffer bounce = new BounceBuffer(released -> {}, memory);
      ByteBuffer from = ByteBuffer.allocate(100);
      for (int i = 0; i < 100; i++) {
        from.put(i, (byte) (i + 1));
      }
      bounce.copyFrom(from.position(10).limit(90));
      assertEquals(from.slice(), whole.slice(0, 80));
      ByteBuffer to = ByteBuffer.allocate(100).position(5);
      bounce.deliverTo(to);
      bounce.arrived(80);
      assertEquals(from.slice(), to.slice(5, 80));
      assertEquals(0, to.get(4));
      assertEquals(0, to.get(85));
    }
  }
}
