// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.PortState;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.Availability;
import io.meshtransport.verbs.DeviceAttributes;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.PortAttributes;
import io.meshtransport.verbs.VerbsException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What devices of the fake library say, and the ways to open them.
 *
 * <p>Also tests {@link DeviceQueries}, {@link ExportedVerbs}, {@link NativeAsyncEvents} and {@link
 * NativeCompletions}.
 */
class NativeDeviceTest {
  private FakeLibrary fake;

  @BeforeEach
  void compileFake() {
    fake = FakeLibrary.get();
  }

  @Test
  void shouldReportLimitsPortsAndRows() throws VerbsException {
    try (NativeDevice device = fake.open("fake0")) {
      assertEquals("fake0", device.name());
      assertEquals(0, device.wirePort());
      DeviceAttributes limits = device.query();
      assertEquals("1.2.3", limits.firmwareVersion());
      assertEquals(1000, limits.maxQueuePairs());
      assertEquals(64, limits.maxQueuePairDepth());
      assertEquals(8, limits.maxSges());
      assertEquals(1000, limits.maxCompletionQueueDepth());
      assertEquals(500, limits.maxMemoryRegions());
      assertEquals(1L << 40, limits.maxMemoryRegionBytes());
      assertEquals(16, limits.maxReadAtomic());
      assertEquals(17, limits.maxInitiatedReadAtomic());
      PortAttributes port = device.queryPort(1);
      assertEquals(PortState.ACTIVE, port.state());
      assertEquals(4096, port.maxMtuBytes());
      assertEquals(1024, port.activeMtuBytes());
      assertEquals(16, port.gidTableLength());
      assertEquals(1L << 31, port.maxMessageBytes());
      assertEquals(PortState.DOWN, device.queryPort(2).state());
    }
  }

  @Test
  void shouldListTheRowsOfOnePortByIndex() throws VerbsException {
    try (NativeDevice device = fake.open("fake0")) {
      List<GidEntry> rows = device.gidTable(1);
      assertEquals(List.of(6, 7), rows.stream().map(GidEntry::index).toList());
      assertEquals(new Gid(0, 0xFFFF_0A00_0102L), rows.get(0).gid());
      assertEquals(GidType.ROCE_V2, rows.get(0).type());
      assertEquals("", rows.get(0).netdev());
      assertEquals("lo", rows.get(1).netdev());
      assertEquals(1, rows.get(1).ifindex());
      assertEquals(1, device.gidTable(2).size());
    }
  }

  @Test
  void shouldRefusePortsThatAreNotThere() throws VerbsException {
    try (NativeDevice device = fake.open("fake0")) {
      for (int port : new int[] {-1, 0, 3, 257}) {
        VerbsException refusal =
            assertThrows(VerbsException.class, () -> device.queryPort(port), "port " + port);
        assertEquals(Errno.EINVAL, refusal.errno());
        assertTrue(refusal.getMessage().contains("1 to 2"), refusal.getMessage());
      }
    }
  }

  @Test
  void shouldNameTheDevicesThereAreWhenOneIsNot() {
    VerbsException refusal = assertThrows(VerbsException.class, () -> fake.open("mlx5_0"));
    assertEquals(Errno.ENODEV, refusal.errno());
    assertTrue(refusal.getMessage().contains("[fake0, fake1]"), refusal.getMessage());
  }

  @Test
  void shouldBeAvailableWhereADeviceOpens() throws VerbsException {
    IbverbsProvider provider = new IbverbsProvider(LibibverbsProbe.of(fake.file().toString()));
    assertEquals(Availability.yes("RDMA devices fake0, fake1"), provider.availability());
    assertEquals(List.of("fake0", "fake1"), provider.deviceNames());
    provider.open("fake1").close();
    assertEquals(0, fake.control.fake_living());
    fake.control.fake_fail("ibv_get_device_list", Errno.ENOSYS, 1);
    assertEquals(List.of(), provider.deviceNames());
  }

  @Test
  void shouldBeUnavailableWithoutDevices() {
    fake.control.fake_devices(0);
    IbverbsProvider provider = new IbverbsProvider(LibibverbsProbe.of(fake.file().toString()));
    assertFalse(provider.availability().available());
    assertTrue(provider.availability().reason().contains("has no device"));
    assertEquals(List.of(), provider.deviceNames());
    assertEquals(
        Errno.ENODEV, assertThrows(VerbsException.class, () -> provider.open("fake0")).errno());
  }

  @Test
  void shouldBeUnavailableWhereNoDeviceOpens() {
    fake.control.fake_fail("ibv_open_device", 13, 2);
    IbverbsProvider provider = new IbverbsProvider(LibibverbsProbe.of(fake.file().toString()));
    assertFalse(provider.availability().available());
    String reason = provider.availability().reason();
    assertTrue(reason.contains("fake0") && reason.contains("fake1"), reason);
    assertTrue(reason.contains("ls -l /dev/infiniband"), reason);
    assertTrue(reason.contains("MESH_PROVIDER=soft"), reason);
  }

  @Test
  void shouldReportAsynchronousEventsOnce() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      assertEquals(Optional.empty(), pair.device.pollAsyncEvent());
      int number = pair.queuePair.number();
      raise(pair, pair.queuePair.pointer(), 3);
      raise(pair, 2, 10);
      raise(pair, 1, 18);
      raise(pair, 0, 8);
      raise(pair, pair.sends.pointer(), 0);
      assertEquals(new AsyncEvent(AsyncEvent.Type.QP_ACCESS_ERR, number), next(pair));
      assertEquals(new AsyncEvent(AsyncEvent.Type.PORT_ERR, 2), next(pair));
      assertEquals(new AsyncEvent(AsyncEvent.Type.GID_CHANGE, 1), next(pair));
      assertEquals(new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, 0), next(pair));
      assertEquals(new AsyncEvent(AsyncEvent.Type.CQ_ERR, 0), next(pair));
      assertEquals(Optional.empty(), pair.device.pollAsyncEvent());
    }
  }

  private void raise(FakePair pair, long element, int type) {
    assertEquals(0, fake.control.fake_raise(pair.device.pointer(), element, type));
  }

  private static AsyncEvent next(FakePair pair) throws VerbsException {
    return pair.device.pollAsyncEvent().orElseThrow();
  }

  @Test
  void shouldUseEachDriversOwnFunctionsInTurn() throws VerbsException {
    try (FakePair first = new FakePair(fake.open("fake0")).toReadyToSend();
        FakePair second = new FakePair(fake.open("fake1")).toReadyToSend()) {
      for (int i = 0; i < 5; i++) {
        assertEquals(0, first.send(i));
        assertEquals(0, second.send(i));
        assertEquals(0, second.send(i));
      }
      assertEquals(5, fake.control.fake_posts(0));
      assertEquals(10, fake.control.fake_posts(1));
    }
  }

  @Test
  void shouldBindOneDriverOnce() throws VerbsException {
    try (NativeDevice first = fake.open("fake0");
        NativeDevice second = fake.open("fake0")) {
      assertSame(first.inline(), second.inline());
    }
  }
}
