// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.Refusals.expectErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.NativeLibrary;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.verbs.DeviceAttributes;
import io.meshtransport.verbs.DeviceIdentity;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.ForkSafety;
import io.meshtransport.verbs.ObjectLimits;
import io.meshtransport.verbs.PortAttributes;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Real devices, their ports and tables, compared with what sysfs says of them.
 *
 * <p>Also tests {@link Libc}.
 */
@NeedsRdmaDevice
class DeviceIbverbsTest {
  private static final Path SYSFS = Path.of("/sys/class/infiniband");
  private static final int MAX_PORTS = 255;

  private VerbsDevice device;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
  }

  @AfterEach
  void close() throws VerbsException {
    device.close();
  }

  private String sysfs(String file) throws Exception {
    return Files.readString(SYSFS.resolve(device.name()).resolve(file)).strip();
  }

  @Test
  void shouldListAndOpenEveryDeviceOfTheHost() throws Exception {
    VerbsProvider provider = new IbverbsProvider();
    Set<String> found = new HashSet<>();
    for (String name : provider.deviceNames()) {
      try (VerbsDevice opened = provider.open(name)) {
        found.add(opened.name());
      }
    }
    try (Stream<Path> listed = Files.list(SYSFS)) {
      assertEquals(Set.copyOf(listed.map(path -> path.getFileName() + "").toList()), found);
    }
  }

  @Test
  void shouldRefuseADeviceThatIsNotThere() {
    VerbsException refusal =
        expectErrno(Errno.ENODEV, () -> new IbverbsProvider().open("mlx5_nowhere"));
    assertTrue(refusal.getMessage().contains("mlx5_nowhere"), refusal.getMessage());
  }

  @Test
  void shouldReportLimitsAndIdentity() throws Exception {
    DeviceAttributes attributes = device.query();
    DeviceIdentity identity = attributes.identity();
    ObjectLimits objects = attributes.objects();
    assertEquals(
        Long.parseUnsignedLong(sysfs("node_guid").replace(":", ""), 16),
        identity.nodeGuid(),
        "node GUID");
    assertEquals(
        Long.parseUnsignedLong(sysfs("sys_image_guid").replace(":", ""), 16),
        identity.systemImageGuid(),
        "system image GUID");
    assertNotEquals(0, identity.vendorId());
    assertTrue(attributes.maxQueuePairs() > 0, attributes + "");
    assertTrue(attributes.maxQueuePairDepth() > 0, attributes + "");
    assertTrue(attributes.maxSges() > 0, attributes + "");
    assertTrue(attributes.maxCompletionQueueDepth() > 0, attributes + "");
    assertTrue(attributes.maxMemoryRegions() > 0, attributes + "");
    assertTrue(Long.compareUnsigned(attributes.maxMemoryRegionBytes(), 4096) > 0, attributes + "");
    assertTrue(attributes.maxReadAtomic() > 0, attributes + "");
    assertTrue(attributes.maxInitiatedReadAtomic() > 0, attributes + "");
    assertTrue(objects.completionQueues() > 0, objects + "");
    assertTrue(objects.protectionDomains() > 0, objects + "");
    assertTrue(objects.readSges() > 0, objects + "");
    assertTrue(objects.partitions() > 0, objects + "");
    assertTrue((objects.pageSizes() & 4096) != 0, objects + "");
  }

  @Test
  void shouldCountThePortsThatSysfsShows() throws Exception {
    try (Stream<Path> ports = Files.list(SYSFS.resolve(device.name()).resolve("ports"))) {
      assertEquals(ports.count(), device.query().identity().ports());
    }
  }

  @Test
  void shouldReportStateAndLinkLayerOfEachPort() throws Exception {
    for (int port = 1; port <= device.query().identity().ports(); port++) {
      PortAttributes attributes = device.queryPort(port);
      String folder = "ports/" + port + "/";
      assertTrue(sysfs(folder + "state").endsWith(attributes.state().name()), attributes + "");
      assertEquals(1, Integer.bitCount(attributes.activeMtuBytes()), attributes + "");
      assertTrue(attributes.activeMtuBytes() <= attributes.maxMtuBytes(), attributes + "");
      assertTrue(attributes.maxMessageBytes() > 0x1000, attributes + "");
      assertTrue(attributes.gidTableLength() > 0, attributes + "");
      assertTrue(
          attributes.link().layer().name().equalsIgnoreCase(sysfs(folder + "link_layer")),
          attributes + "");
      assertEquals(
          sysfs(folder + "phys_state").endsWith("LinkUp"), attributes.link().isUp(), "link is up");
      assertTrue(attributes.link().lanes() >= 1, attributes + "");
      // "2.5 Gb/sec (1X SDR)": sysfs multiplies lanes and speed itself.
      double gigabits = Double.parseDouble(sysfs(folder + "rate").split(" ")[0]);
      assertEquals(Math.round(gigabits * 1000), attributes.link().speedMbps(), attributes + "");
      assertTrue(attributes.link().partitionTableLength() >= 1, attributes + "");
    }
  }

  @Test
  void shouldRefusePortsThatAreNotThere() throws Exception {
    int ports = device.query().identity().ports();
    for (int port : new int[] {0, ports + 1, MAX_PORTS, MAX_PORTS + 2, -1}) {
      VerbsException refusal = expectErrno(Errno.EINVAL, () -> device.queryPort(port));
      assertTrue(refusal.getMessage().contains("" + port), refusal.getMessage());
    }
  }

  @Test
  void shouldReadEachGidRowAsTheTableHasIt() throws Exception {
    List<GidEntry> table = device.gidTable(1);
    assertTrue(!table.isEmpty());
    for (GidEntry entry : table) {
      assertEquals(entry, device.gid(1, entry.index()));
      assertEquals(sysfs("ports/1/gids/" + entry.index()), entry.gid().toString());
      assertEquals(sysfs("ports/1/gid_attrs/ndevs/" + entry.index()), entry.netdev());
      assertTrue(entry.ifindex() > 0, entry + "");
    }
  }

  @Test
  void shouldSayThatAGidRowIsEmpty() throws Exception {
    int last = device.queryPort(1).gidTableLength() - 1;
    VerbsException refusal = expectErrno(Errno.ENODATA, () -> device.gid(1, last));
    assertTrue(refusal.getMessage().contains("" + last), refusal.getMessage());
  }

  @Test
  void shouldRefuseGidRowsBeyondTheTable() throws Exception {
    int rows = device.queryPort(1).gidTableLength();
    for (int row : new int[] {-1, rows, Integer.MAX_VALUE}) {
      expectErrno(Errno.EINVAL, () -> device.gid(1, row));
    }
  }

  @Test
  void shouldFailWhenTheBufferForTheGidTableIsTooSmall() throws Exception {
    assumeTrue(device.gidTable(1).size() > 1, "one row fits in any room");
    GidTableVerb verb =
        DirectBinding.bind(
            GidTableVerb.class,
            GidTableVerb.Bound.class,
            NativeLibrary.getInstance(Libibverbs.NAME));
    NativeGidTable withRoomForOne =
        new NativeGidTable(
            (context, rows, most, flags, bytesOfARow) ->
                verb._ibv_query_gid_table(context, rows, 1, flags, bytesOfARow));
    VerbsException refusal =
        expectErrno(Errno.EINVAL, () -> withRoomForOne.of((NativeDevice) device, 1));
    assertTrue(refusal.getMessage().contains("ibv_query_gid_table"), refusal.getMessage());
  }

  @Test
  void shouldReportThePartitionKeyOfRoce() throws Exception {
    assertEquals(
        Integer.decode(sysfs("ports/1/pkeys/0")).intValue(), device.partitionKey(1, 0), "row 0");
    int rows = device.queryPort(1).link().partitionTableLength();
    expectErrno(Errno.EINVAL, () -> device.partitionKey(1, rows));
    expectErrno(Errno.EINVAL, () -> device.partitionKey(1, -1));
    expectErrno(Errno.EINVAL, () -> device.partitionKey(9, 0));
  }

  @Test
  void shouldSayWhetherForkIsSafe() {
    // The kernel copies pinned pages on fork since 5.12, and says so since 5.17.
    assertEquals(ForkSafety.UNNEEDED, new IbverbsProvider().forkSafety());
  }

  @Test
  void shouldBeActive() throws Exception {
    assertEquals(PortState.ACTIVE, device.queryPort(1).state());
  }
}
