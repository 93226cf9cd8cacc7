// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.device.NicFixture;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.Registrations;
import io.meshtransport.transport.device.WatchedDevice;
import io.meshtransport.verbs.DirectMemory;
import io.meshtransport.verbs.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * How allocated memory is shared out, kept and given up.
 *
 * <p>Also tests {@link Slab}.
 */
class MemoryPoolTest {
  private static final int KEPT_BYTES = 2 * MemoryPool.SLAB_BYTES;

  private WatchedDevice device;
  private OpenNic nic;
  private MemoryRegistry table;

  @BeforeEach
  void open() throws Exception {
    SimulatedFabric fabric = new SimulatedFabric(1, SimulatedCable.usual());
    device = new WatchedDevice(fabric.open("eth0"));
    nic = NicFixture.over(0, "soft", "eth0", device.device());
    table =
        new MemoryRegistry(
            new NodeId(1, 2),
            new Registrations(List.of(nic)),
            new MemorySettings(KEPT_BYTES, 0, 0, 16, 4, 0));
  }

  @AfterEach
  void close() throws Exception {
    IllegalStateException leak = new IllegalStateException();
    table.closeAll(leak);
    assertEquals(0, leak.getSuppressed().length);
    assertEquals(0, table.statistics().idlePoolBytes());
    nic.close();
  }

  private MeshMemory allocate(long bytes) throws TransportException {
    return table.allocate(bytes, Set.of());
  }

  private static long addressOf(MeshMemory memory) {
    return DirectMemory.addressOf(memory.segments().get(0));
  }

  private int deregistered() {
    return (int)
        device.calls(MemoryRegion.class).stream()
            .filter(call -> call.method().equals("close"))
            .count();
  }

  @Test
  void shouldShareOneRegistrationAmongSmallAllocations() throws TransportException {
    List<MeshMemory> some = new ArrayList<>();
    for (int i = 0; i < MemoryPool.SLAB_BYTES / 4_096; i++) {
      some.add(allocate(1 + i));
    }
    List<MeshMemory> shared =
        some.stream().filter(each -> each.lengthBytes() <= 4_096).limit(512).toList();
    long registeredAt = shared.get(0).keys(0).address();
    assertEquals(1, shared.stream().map(each -> each.keys(0)).distinct().count());
    for (MeshMemory each : shared) {
      // Where it is for the NIC, and where it is for the host.
      assertEquals(
          addressOf(each) - addressOf(shared.get(0)), each.address(0) - shared.get(0).address(0));
      assertTrue(each.address(0) - registeredAt < MemoryPool.SLAB_BYTES);
    }
  }

  @Test
  void shouldLendAgainWhatCameBack() throws TransportException {
    for (int bytes : new int[] {100, 70_000, 3_000_000}) {
      MeshMemory first = allocate(bytes);
      long address = addressOf(first);
      first.close();
      MeshMemory second = allocate(bytes - bytes / 20);
      assertEquals(address, addressOf(second), bytes + " bytes");
      second.close();
    }
  }

  @Test
  void shouldNotSpendALargeSlabOnMuchLess() throws TransportException {
    MeshMemory large = allocate(3_500_000);
    long address = addressOf(large);
    large.close();
    assertTrue(address != addressOf(allocate(1_200_000)));
    assertEquals(address, addressOf(allocate(3_400_000)));
  }

  @Test
  void shouldGiveUpTheEldestIdleSlabsAboveItsBound() throws TransportException {
    List<MeshMemory> large = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      large.add(allocate(MemoryPool.SLAB_BYTES));
    }
    for (int i = 0; i < 5; i++) {
      large.get(i).close();
      assertEquals(
          Math.min(KEPT_BYTES, (i + 1L) * MemoryPool.SLAB_BYTES),
          table.statistics().idlePoolBytes());
    }
    assertEquals(3, deregistered());
    long youngest = addressOf(large.get(4));
    MeshMemory again = allocate(MemoryPool.SLAB_BYTES);
    assertTrue(addressOf(again) == youngest || addressOf(again) == addressOf(large.get(3)));
  }

  @Test
  void shouldSayWhenThereIsNoMemory() {
    TransportException failure = assertThrows(TransportException.class, () -> allocate(1L << 40));
    assertEquals(Reason.NO_RESOURCES, failure.reason());
  }
}
