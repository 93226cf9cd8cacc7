// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static io.meshtransport.nic.Host.brief;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Ports that are left out: each with a reason, and a remedy to type.
 *
 * <p>Also tests {@link NetdevFilter}, {@link PortFilter}, {@link Remedy}, {@link RoceNetdev} and
 * {@link UnmatchedNames}.
 */
class RdmaRejectionTest {
  private SysfsTree sysfs;
  private Host host;

  @BeforeEach
  void startWithAnEmptyHost(@TempDir Path root) {
    sysfs = new SysfsTree(root);
    host = new Host(sysfs);
  }

  @Test
  void shouldSayThatThereIsNoDeviceAtAll() {
    Inventory found = host.up("eth0", 2, "10.0.1.1/24").rdma("MESH_PROVIDER", "ibverbs");
    assertEquals(List.of(), found.nics());
    assertRejected(found, "", 0, "", "no RDMA device", "modprobe");
    assertTrue(found.explain().startsWith("This host has no RDMA device"), found.explain());
  }

  @Test
  void shouldSetAPortsInterfaceUpThatIsSetDown() {
    sysfs
        .write("class/net/eth0/operstate", "down")
        .device("mlx5_0")
        .pci("0000:01:00.0", 0, "eth0")
        .port(1)
        .file("state", "1: DOWN")
        .file("phys_state", "3: Disabled");
    Inventory found = host.down("eth0", 2, "10.0.1.1/24").rdma();
    assertRejected(found, "mlx5_0", 1, "eth0", "DOWN, not ACTIVE", "`ip link set eth0 up`");
    assertTrue(found.explain().contains("physical state Disabled"), found.explain());
    assertTrue(found.explain().contains("operstate of eth0 down"), found.explain());
  }

  @Test
  void shouldSuggestTheCableOfAPortThatIsDownThoughItsInterfaceIsUp() {
    sysfs
        .device("mlx5_0")
        .pci("0000:01:00.0", 0, "eth0")
        .port(1)
        .file("state", "1: DOWN")
        .file("phys_state", "2: Polling");
    assertRejected(
        host.up("eth0", 2, "10.0.1.1/24").rdma(), "mlx5_0", 1, "eth0", "Polling", "the cable");
  }

  @ParameterizedTest
  @CsvSource({"2: INIT, INIT", "3: ARMED, ARMED", "5: ACTIVE_DEFER, ARMED", "'', UNKNOWN"})
  void shouldAcceptNoStateButActive(String text, PortState state) {
    sysfs.device("mlx5_0").port(1).file("state", text).v2(0, "10.0.1.1", "eth0");
    assertRejected(
        host.up("eth0", 2, "10.0.1.1/24").rdma(), "mlx5_0", 1, "eth0", "port is " + state, "cable");
  }

  @Test
  void shouldSuggestAnAddressWhereThereIsNone() {
    sysfs.device("mlx5_0").port(1).v1AndV2(0, "fe80::1", "eth0");
    Inventory found = host.up("eth0", 2, "169.254.3.4/16").rdma();
    assertRejected(
        found, "mlx5_0", 1, "eth0", "no RoCE v2 GID", "`ip addr add 192.168.100.1/30 dev eth0`");
  }

  @Test
  void shouldSuggestAnAddressWhereTheTableIsEmptyToo() {
    sysfs.device("rxe0").file("parent", "eth0").port(1).emptyRows(0, 3);
    assertRejected(host.up("eth0", 2).rdma(), "rxe0", 1, "eth0", "no RoCE v2 GID", "ip addr add");
  }

  @Test
  void shouldRefuseRoceV1() {
    sysfs.device("mlx4_0").port(1).row(0, "10.0.1.1", "IB/RoCE v1", "eth0");
    Inventory found = host.up("eth0", 2, "10.0.1.1/24").rdma();
    assertRejected(found, "mlx4_0", 1, "eth0", "10.0.1.1/24 has a RoCE v1 row", "firmware");
    assertEquals(List.of(), found.nics());
  }

  @Test
  void shouldKeepAPortWhoseSecondAddressHasNoRow() {
    sysfs.device("rxe0").port(1).v2(0, "10.0.1.1", "eth0");
    Inventory found = host.up("eth0", 2, "10.0.1.1/24", "10.0.2.1/24").rdma();
    assertEquals(List.of("rxe0/1 eth0: 10.0.1.1/24@0"), brief(found));
    assertRejected(
        found,
        "rxe0",
        1,
        "eth0",
        "10.0.2.1/24 has no RoCE v2 row",
        "ip addr del 10.0.2.1/24 dev eth0");
  }

  @Test
  void shouldRefuseInfiniBand() {
    sysfs
        .device("mlx5_0")
        .pci("0000:01:00.0", 0, "ib0")
        .port(1)
        .file("link_layer", "InfiniBand")
        .row(0, "fe80::1", "IB/RoCE v1", "");
    Inventory found = host.up("ib0", 2, "10.0.1.1/24").rdma();
    assertEquals(List.of(), found.nics());
    assertRejected(
        found,
        "mlx5_0",
        1,
        "ib0",
        "link layer is InfiniBand",
        "mlxconfig -d 0000:01:00.0 set LINK_TYPE_P1=2");
  }

  @Test
  void shouldRefuseIwarp() {
    sysfs.device("siw0").file("node_type", "4: RNIC").file("parent", "eth0").port(1);
    assertRejected(
        host.up("eth0", 2, "10.0.1.1/24").rdma(),
        "siw0",
        1,
        "eth0",
        "type '4: RNIC'",
        "MESH_PROVIDER=soft");
  }

  @Test
  void shouldSayThatTheInterfaceIsInAnotherNamespace() {
    sysfs.device("mlx5_0").port(1).v2(0, "10.0.1.1", "eth7");
    assertRejected(
        host.up("eth0", 2).rdma(),
        "mlx5_0",
        1,
        "eth7",
        "not in this network namespace",
        "ip link set eth7 netns");
  }

  @Test
  void shouldSayThatNoInterfaceBelongsToThePort() {
    sysfs.device("mlx5_0").port(1);
    assertRejected(host.rdma(), "mlx5_0", 1, "", "no network interface", "modprobe mlx5_core");
  }

  @Test
  void shouldSetTheInterfaceUpThatAnActivePortHas() {
    sysfs.device("rxe0").port(1).v2(0, "10.0.1.1", "eth0");
    assertRejected(
        host.down("eth0", 2, "10.0.1.1/24").rdma(),
        "rxe0",
        1,
        "eth0",
        "eth0 is set down",
        "`ip link set eth0 up`");
  }

  @Test
  void shouldRefuseAnMtuThatFitsNoPacket() {
    sysfs.device("rxe0").port(1).v2(0, "10.0.1.1", "eth0");
    assertRejected(
        host.with("eth0", 2, true, 300, "10.0.1.1/24").rdma(),
        "rxe0",
        1,
        "eth0",
        "300 bytes",
        "mtu 9000");
  }

  @Test
  void shouldSayWhichSettingLeavesADeviceOut() {
    SysfsTree.Device device = sysfs.device("mlx5_0");
    device.port(1).v2(0, "10.0.1.1", "eth0");
    device.port(2).v2(0, "10.0.2.1", "eth1");
    sysfs.device("rxe0").port(1).v2(0, "10.0.3.1", "eth2");
    host.up("eth0", 2, "10.0.1.1/24").up("eth1", 3, "10.0.2.1/24").up("eth2", 4, "10.0.3.1/24");

    Inventory byDevice = host.rdma("MESH_HCA", "^rxe");
    assertEquals(
        List.of("mlx5_0/1 eth0: 10.0.1.1/24@0", "mlx5_0/2 eth1: 10.0.2.1/24@0"), brief(byDevice));
    assertRejected(byDevice, "rxe0", 1, "eth2", "MESH_HCA=^rxe leaves it out", "MESH_HCA");

    Inventory byPort = host.rdma("MESH_HCA", "=mlx5_0:2,rxe0");
    assertEquals(
        List.of("mlx5_0/2 eth1: 10.0.2.1/24@0", "rxe0/1 eth2: 10.0.3.1/24@0"), brief(byPort));
    assertRejected(byPort, "mlx5_0", 1, "eth0", "MESH_HCA==mlx5_0:2,rxe0", "MESH_HCA");

    Inventory byNumber = host.rdma("MESH_HCA", "mlx5:2");
    assertEquals(List.of("mlx5_0/2 eth1: 10.0.2.1/24@0"), brief(byNumber));
    assertEquals(2, byNumber.rejections().size());

    Inventory byInterface = host.rdma("MESH_IFNAME", "=eth2");
    assertEquals(List.of("rxe0/1 eth2: 10.0.3.1/24@0"), brief(byInterface));
    assertTrue(byInterface.explain().contains("MESH_IFNAME==eth2 leaves out eth0"));
  }

  @Test
  void shouldSayThatATableCannotBeRead() {
    sysfs.device("mlx5_0").pci("0000:01:00.0", 0, "eth0").port(1);
    Discovery recorded = host.up("eth0", 2, "10.0.1.1/24").discovery(Map.of());
    GidTableSource broken =
        (device, port) -> {
          throw new IOException("ibv_query_gid_table: errno 13");
        };
    assertRejected(
        new Discovery(recorded.sysfs(), recorded.interfaces(), recorded.config(), broken).rdma(),
        "mlx5_0",
        1,
        "eth0",
        "ibv_query_gid_table: errno 13",
        "may read");
  }

  @Test
  void shouldFallBackToSoftNicsAndStillSayWhy() {
    sysfs.device("mlx5_0").pci("0000:01:00.0", 0, "eth0").port(1).file("state", "1: DOWN");
    Inventory found = host.up("eth0", 2, "10.0.1.1/24").scan();
    assertEquals(List.of("eth0/1 eth0: 10.0.1.1/24@0"), brief(found));
    assertEquals("soft", found.nics().get(0).provider());
    assertRejected(found, "mlx5_0", 1, "eth0", "DOWN", "cable");
    assertEquals(List.of(), host.discovery(Map.of("MESH_PROVIDER", "ibverbs")).scan().nics());
    assertEquals(List.of(), host.discovery(Map.of("MESH_GID_INDEX", "3")).scan().nics());
    assertEquals(List.of(), host.discovery(Map.of("MESH_PROVIDER", "soft")).scan().rejections());
  }

  private static void assertRejected(
      Inventory found, String device, int port, String netdev, String reason, String remedy) {
    assertTrue(
        found.rejections().stream()
            .anyMatch(
                rejection ->
                    rejection.device().equals(device)
                        && rejection.port() == port
                        && rejection.netdev().equals(netdev)
                        && rejection.reason().contains(reason)
                        && rejection.remedy().contains(remedy)),
        () -> "rejections are:\n" + found.explain());
  }
}
