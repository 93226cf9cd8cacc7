// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static io.meshtransport.nic.Host.brief;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.MeshConfig;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hosts whose RDMA ports are as they should be.
 *
 * <p>Also tests {@link InventoryBuilder}, {@link RdmaDevices}, {@link RdmaNics}, {@link RdmaPort}
 * and {@link SysfsGidTable}.
 */
class RdmaDiscoveryTest {
  private SysfsTree sysfs;
  private Host host;

  @BeforeEach
  void startWithAnEmptyHost(@TempDir Path root) {
    sysfs = new SysfsTree(root);
    host = new Host(sysfs);
  }

  @Test
  void shouldFindTheDevicesOfARecordedRxeHost() throws IOException, URISyntaxException {
    RecordedHost rxe = RecordedHost.named("rxe");
    Inventory found = new Discovery(rxe.sysfs(), rxe.interfaces(), MeshConfig.of(Map.of())).scan();
    assertEquals(
        List.of(
            "rxe_eth0/1 eth0: 10.0.1.1/24@1 192.168.9.1/24@2 fd00:1::1/64@3",
            "rxe_eth1/1 eth1: 10.0.3.1/30@1"),
        brief(found));
    assertEquals(List.of(), found.rejections());

    Nic nic = found.nics().get(0);
    assertEquals("ibverbs", nic.provider());
    assertEquals(2, nic.ifindex());
    assertEquals(4096, nic.activeMtu());
    assertEquals(0, nic.speedMbps(), "the rate of rxe is an invention");
    assertEquals("", nic.pciPath());
    assertEquals(-1, nic.numaNode());
    assertEquals(PortState.ACTIVE, nic.state());
    assertEquals(
        new GidEntry(
            Gid.parse("0000:0000:0000:0000:0000:ffff:0a00:0101"), 1, GidType.ROCE_V2, "eth0", 2),
        nic.gid());
  }

  @Test
  void shouldChooseTheV2RowOfMlx5() {
    sysfs
        .netdev("enp1s0f0np0", 5, 200_000)
        .device("mlx5_0")
        .pci("0000:01:00.0", 1, "enp1s0f0np0")
        .port(1)
        .v1AndV2(0, "fe80::1", "enp1s0f0np0")
        .v1AndV2(2, "10.0.1.1", "enp1s0f0np0")
        .emptyRows(4, 7);
    Inventory found = host.with("enp1s0f0np0", 5, true, 9000, "10.0.1.1/24", "fe80::1/64").scan();
    assertEquals(List.of("mlx5_0/1 enp1s0f0np0: 10.0.1.1/24@3"), brief(found));
    assertEquals(List.of(), found.rejections());
    Nic nic = found.nics().get(0);
    assertEquals(GidType.ROCE_V2, nic.gid().type());
    assertEquals("0000:01:00.0", nic.pciPath());
    assertEquals(1, nic.numaNode());
    assertEquals(200_000, nic.speedMbps());
    assertEquals(4096, nic.activeMtu());
  }

  @Test
  void shouldOfferBothPortsOfADualPortDevice() {
    SysfsTree.Device device = sysfs.device("mlx5_0").pci("0000:01:00.0", 0, "eth1", "eth2");
    device.port(1).v2(0, "10.0.1.1", "eth1");
    device.port(2).v2(0, "10.0.2.1", "eth2");
    host.up("eth1", 2, "10.0.1.1/30").up("eth2", 3, "10.0.2.1/30");
    assertEquals(
        List.of("mlx5_0/1 eth1: 10.0.1.1/30@0", "mlx5_0/2 eth2: 10.0.2.1/30@0"),
        brief(host.scan()));
  }

  @Test
  void shouldDistinguishThePortsOfADualPortDeviceWithoutRows() {
    SysfsTree.Device device = sysfs.device("mlx4_0").pci("0000:01:00.0", 0, "eth1", "eth2");
    device.port(1).file("state", "1: DOWN");
    device.port(2).file("state", "1: DOWN");
    sysfs.write("class/net/eth1/dev_port", "1").write("class/net/eth2/dev_port", "0");
    List<Rejection> rejections = host.up("eth1", 2).up("eth2", 3).rdma().rejections();
    assertEquals(List.of("eth2", "eth1"), rejections.stream().map(Rejection::netdev).toList());
  }

  @Test
  void shouldListSeveralAddressesIpv4First() {
    sysfs
        .device("mlx5_0")
        .port(1)
        .v2(0, "fe80::1", "eth0")
        .v2(1, "fd00::1", "eth0")
        .v2(2, "10.0.2.1", "eth0")
        .v2(3, "10.0.1.1", "eth0");
    host.up("eth0", 2, "10.0.1.1/24", "10.0.2.1/31", "fd00::1/127", "fe80::1/64");
    assertEquals(
        List.of("mlx5_0/1 eth0: 10.0.1.1/24@3 10.0.2.1/31@2 fd00::1/127@1"), brief(host.scan()));
  }

  @Test
  void shouldDoWithIpv6Alone() {
    sysfs.device("mlx5_0").port(1).v2(0, "fe80::1", "eth0").v2(1, "fd00::1", "eth0");
    host.up("eth0", 2, "fd00::1/64", "fe80::1/64");
    assertEquals(List.of("mlx5_0/1 eth0: fd00::1/64@1"), brief(host.scan()));
    assertEquals(List.of(), host.scan().rejections());
  }

  @Test
  void shouldMakeAVlanANicOfItsOwn() {
    sysfs
        .device("mlx5_0")
        .port(1)
        .v2(0, "fe80::1", "eth0")
        .v2(1, "10.0.1.1", "eth0")
        .v2(2, "fe80::1", "eth0.5")
        .v2(3, "10.5.0.1", "eth0.5");
    host.up("eth0", 2, "10.0.1.1/24", "fe80::1/64").up("eth0.5", 7, "10.5.0.1/24", "fe80::1/64");
    assertEquals(
        List.of("mlx5_0/1 eth0: 10.0.1.1/24@1", "mlx5_0/1 eth0.5: 10.5.0.1/24@3"),
        brief(host.scan()));
    assertEquals(7, host.scan().nics().get(1).gid().ifindex());
  }

  @Test
  void shouldNotChooseTheRowOfAVlanWithTheSameAddress() {
    sysfs.device("mlx5_0").port(1).v2(1, "10.0.1.1", "eth0.5").v2(2, "10.0.1.1", "eth0");
    host.up("eth0", 2, "10.0.1.1/24").up("eth0.5", 7, "10.0.1.1/24");
    assertEquals(
        List.of("mlx5_0/1 eth0.5: 10.0.1.1/24@1", "mlx5_0/1 eth0: 10.0.1.1/24@2"),
        brief(host.scan()));
  }

  @Test
  void shouldFindTheBondOfBondedPorts() {
    sysfs
        .netdev("bond0", 9, 50_000)
        .device("mlx5_bond_0")
        .pci("0000:01:00.0", 0, "eth0")
        .port(1)
        .v1AndV2(0, "10.0.1.1", "bond0");
    host.up("eth0", 2).up("eth1", 3).up("bond0", 9, "10.0.1.1/24");
    Inventory found = host.scan();
    assertEquals(List.of("mlx5_bond_0/1 bond0: 10.0.1.1/24@1"), brief(found));
    assertEquals(50_000, found.nics().get(0).speedMbps());
    assertEquals(List.of(), found.rejections());
  }

  @Test
  void shouldPassOverEmptyRowsThatAnswerEinval() {
    sysfs
        .device("rxe0")
        .file("parent", "eth0")
        .port(1)
        .emptyRows(0, 2)
        .v2(3, "10.0.1.1", "eth0")
        .emptyRows(4, 255);
    assertEquals(
        List.of("rxe0/1 eth0: 10.0.1.1/24@3"), brief(host.up("eth0", 2, "10.0.1.1/24").scan()));
  }

  @Test
  void shouldPassOverRowsThatNoQueuePairCanName() {
    sysfs.device("rxe0").port(1).v2(300, "10.0.1.1", "eth0");
    assertEquals(List.of(), host.up("eth0", 2, "10.0.1.1/24").rdma().nics());
  }

  @Test
  void shouldQueryTheDeviceForTheInterfaceThatARowDoesNotName() {
    sysfs.device("mlx5_0").pci("0000:01:00.0", 0, "eth0").port(1).unreadableNdev(0, "10.0.1.1");
    sysfs.device("rxe1").file("parent", "eth1").port(1).unreadableNdev(0, "10.0.2.1");
    host.up("eth0", 2, "10.0.1.1/24").up("eth1", 3, "10.0.2.1/24");
    assertEquals(
        List.of("mlx5_0/1 eth0: 10.0.1.1/24@0", "rxe1/1 eth1: 10.0.2.1/24@0"), brief(host.scan()));
  }

  @Test
  void shouldUseTheRateWhereTheInterfaceHasNoSpeed() {
    sysfs
        .netdev("eth0", 2, 0)
        .device("mlx5_0")
        .pci("0000:01:00.0", -1, "eth0")
        .port(1)
        .file("rate", "2.5 Gb/sec (1X SDR)")
        .v2(0, "10.0.1.1", "eth0");
    Nic nic = host.up("eth0", 2, "10.0.1.1/24").scan().nics().get(0);
    assertEquals(2_500, nic.speedMbps());
    assertEquals(1024, nic.activeMtu());
    assertEquals(-1, nic.numaNode());
  }

  @Test
  void shouldIgnoreASysfsOfAnotherNetworkNamespace() {
    sysfs.netdev("eth0", 99, 100_000).device("rxe0").port(1).v2(0, "10.0.1.1", "eth0");
    assertEquals(0, host.up("eth0", 2, "10.0.1.1/24").scan().nics().get(0).speedMbps());
  }

  @Test
  void shouldReadTheMtuFromSysfsWhereTheHostDoesNotSayIt() {
    sysfs.write("class/net/eth0/mtu", "4200").device("rxe0").port(1).v2(0, "10.0.1.1", "eth0");
    host.with("eth0", 2, true, 0, "10.0.1.1/24");
    assertEquals(4096, host.scan().nics().get(0).activeMtu());
  }

  @Test
  void shouldNameTheInterfaceOfARowThatHasOnlyItsIndex() {
    sysfs.device("mlx5_0").port(1);
    host.up("eth0", 2, "10.0.1.1/24").up("eth0.5", 7, "10.0.1.1/24");
    Gid gid = Gid.of(AddressText.parse("10.0.1.1"));
    GidTableSource table =
        (device, port) ->
            List.of(
                new GidEntry(gid, 4, GidType.ROCE_V2, "", 7),
                new GidEntry(gid, 6, GidType.ROCE_V2, "", 2));
    Discovery recorded = host.discovery(Map.of());
    Inventory found =
        new Discovery(recorded.sysfs(), recorded.interfaces(), recorded.config(), table).scan();
    assertEquals(
        List.of("mlx5_0/1 eth0.5: 10.0.1.1/24@4", "mlx5_0/1 eth0: 10.0.1.1/24@6"), brief(found));
  }

  @Test
  void shouldUseTheOtherTableWhereTheFirstCannotBeRead() throws IOException {
    GidEntry row =
        new GidEntry(Gid.of(AddressText.parse("10.0.1.1")), 4, GidType.ROCE_V2, "eth0", 2);
    GidTableSource good = (device, port) -> List.of(row);
    GidTableSource broken =
        (device, port) -> {
          throw new IOException("no permission on " + device);
        };
    assertEquals(List.of(row), broken.orElse(good).rows("mlx5_0", 1));
    assertEquals(List.of(row), good.orElse(broken).rows("mlx5_0", 1));
    IOException both =
        assertThrows(IOException.class, () -> broken.orElse(broken).rows("mlx5_0", 1));
    assertEquals(1, both.getSuppressed().length);
  }

  @Test
  void shouldReadThePciAddressOfARecordingWithoutLinks() {
    sysfs
        .write(
            "class/infiniband/mlx5_0/device/uevent",
            "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:c1:00.1\nMODALIAS=pci:v000015B3")
        .device("mlx5_0")
        .port(1)
        .v2(0, "10.0.1.1", "eth0");
    assertEquals("0000:c1:00.1", host.up("eth0", 2, "10.0.1.1/24").scan().nics().get(0).pciPath());
  }

  @Test
  void shouldOfferNoSoftNicsBesideUsablePorts() {
    sysfs.device("mlx5_0").port(1).v2(0, "10.0.1.1", "eth0");
    host.up("eth0", 2, "10.0.1.1/24").up("eth1", 3, "10.0.2.1/24");
    assertEquals(List.of("mlx5_0/1 eth0: 10.0.1.1/24@0"), brief(host.scan()));
    assertTrue(host.discovery(Map.of()).hasRdmaDevices());
  }
}
