// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static io.meshtransport.nic.Host.brief;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.MeshConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests also {@link Netdev} and {@link SoftNics}. */
class SoftDiscoveryTest {
  private SysfsTree sysfs;
  private Host host;

  @BeforeEach
  void startWithAnEmptyHost(@TempDir Path root) {
    sysfs = new SysfsTree(root);
    host = new Host(sysfs);
  }

  @Test
  void shouldOfferEachInterfaceThatHasAnAddress() {
    sysfs.netdev("eth0", 2, 1000);
    host.up("lo", 1, "127.0.0.1/8", "::1/128")
        .up("eth0", 2, "fe80::1/64", "fd00::1/64", "10.0.1.1/24", "10.0.2.1/31")
        .with("eth1", 3, true, 9000, "fd00:2::1/64");
    Inventory found = host.scan();
    assertEquals(
        List.of(
            "eth0/1 eth0: 10.0.1.1/24@1 10.0.2.1/31@2 fd00::1/64@0", "eth1/1 eth1: fd00:2::1/64@0"),
        brief(found));
    assertFalse(host.discovery(Map.of()).hasRdmaDevices());

    Nic nic = found.nics().get(0);
    assertEquals("soft", nic.provider());
    assertEquals(2, nic.ifindex());
    assertEquals(1000, nic.speedMbps());
    assertEquals(1024, nic.activeMtu());
    assertEquals("", nic.pciPath());
    assertEquals(
        new GidEntry(Gid.of(AddressText.parse("10.0.1.1")), 1, GidType.SOFT, "eth0", 2), nic.gid());
    assertEquals(4096, found.nics().get(1).activeMtu());
    assertEquals(0, found.nics().get(1).speedMbps());
  }

  @Test
  void shouldLeaveOutWhatCannotCarryAMessageAndSayWhy() {
    sysfs.write("class/net/eth2/operstate", "down");
    host.up("lo", 1, "127.0.0.1/8")
        .down("eth0", 2, "10.0.0.1/24")
        .up("eth1", 3, "169.254.3.4/16")
        .up("eth2", 4, "10.0.2.1/24");
    Inventory found = host.scan();
    assertEquals(List.of(), found.nics());
    assertEquals(
        List.of("eth0 DOWN", "eth2 DOWN"),
        found.inactive().stream().map(nic -> nic.netdev() + " " + nic.state()).toList(),
        "what needs no more than a carrier");
    assertEquals(
        List.of(
            new Rejection(
                "lo",
                1,
                "lo",
                "it reaches only this host",
                "To try things out on one host, set for example MESH_LOOPBACK=127.77.1.1/24"),
            new Rejection("eth0", 1, "eth0", "it is set down", "Set it up: `ip link set eth0 up`"),
            new Rejection(
                "eth1",
                1,
                "eth1",
                "it has no address besides those of 169.254.0.0/16",
                "Assign one, in a subnet of this cable's own: `ip addr add 192.168.100.1/30 dev eth1`"),
            new Rejection(
                "eth2",
                1,
                "eth2",
                "it has no carrier (operstate down)",
                "Check the cable, and that the interface at its other end is up")),
        found.rejections());
    assertTrue(found.explain().contains("\neth0: it is set down. Set it up:"), found.explain());
  }

  @Test
  void shouldOfferTheLinkLocalAddressOfAnInterfaceThatHasNoOther() {
    host.up("eth0", 2, "fe80::1/64", "10.0.1.1/24").up("eth1", 3, "169.254.3.4/16", "fe80::1/64");
    Inventory found = host.scan();
    assertEquals(List.of("eth0/1 eth0: 10.0.1.1/24@0", "eth1/1 eth1: fe80::1/64@0"), brief(found));
    NicAddress address = found.nics().get(1).addresses().get(0);
    assertEquals("fe80::1%eth1/64", address.toString());
    assertEquals("fe80::%eth1/64", address.subnet());
    assertEquals("fe80::2%eth1", address.peerText(AddressText.parse("fe80::2")));
  }

  @Test
  void shouldOfferNoLinkLocalAddressWhereThereIsNoCable() throws Exception {
    sysfs.netdev("home", 2, 0).folder("class/net/home/bridge");
    sysfs.netdev("tap0", 3, 0).folder("class/net/tap0/brport");
    InterfaceRoutes toContainer =
        new InterfaceRoutes(false, Set.of(AddressText.parse("10.42.0.7")));
    List<HostInterface> interfaces =
        List.of(
            netdev("home", 2, InterfaceRoutes.NONE),
            netdev("tap0", 3, InterfaceRoutes.NONE),
            netdev("eth0", 4, new InterfaceRoutes(true, Set.of())),
            netdev("cali0", 5, toContainer));
    Inventory found = new Discovery(sysfs.root(), interfaces, MeshConfig.of(Map.of())).soft();
    assertEquals(List.of(), found.candidates());
    String only = "it has no address besides link-local ones, and ";
    assertEquals(
        List.of(
            "eth0 " + only + "a default route, so it is no cable",
            "cali0 " + only + "routes to single hosts, as a container's has",
            "home " + only + "is a bridge or a port of one, no cable",
            "tap0 " + only + "is a bridge or a port of one, no cable"),
        found.rejections().stream().map(each -> each.netdev() + " " + each.reason()).toList());
  }

  private static HostInterface netdev(String name, int ifindex, InterfaceRoutes routes) {
    List<LinkAddress> addresses = List.of(LinkAddress.parse("fe80::ecee:eeff:feee:eeee/64"));
    return new HostInterface(name, ifindex, true, false, 1500, addresses, routes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"docker0", "br-0a1b2c", "virbr0", "cni0", "podman0", "lxdbr0"})
  void shouldRankBridgesByNameLast(String bridge) {
    host.up(bridge, 2, "172.17.0.1/16").up("eth0", 3, "10.0.1.1/24");
    assertEquals(
        List.of("eth0/1 eth0: 10.0.1.1/24@0", bridge + "/1 " + bridge + ": 172.17.0.1/16@0"),
        brief(host.scan()));
  }

  @Test
  void shouldRankBridgesAndTheirPortsByKindLast() {
    sysfs.netdev("home", 2, 0).folder("class/net/home/bridge");
    sysfs.netdev("tap0", 3, 0).folder("class/net/tap0/brport");
    host.up("home", 2, "192.168.1.1/24")
        .up("tap0", 3, "192.168.2.1/24")
        .up("veth0", 4, "10.0.1.1/24");
    assertEquals(
        List.of("veth0", "home", "tap0"), host.scan().nics().stream().map(Nic::netdev).toList());
  }

  @Test
  void shouldLeaveOutWhatASettingLeavesOut() {
    host.up("eth0", 2, "10.0.1.1/24").up("eth1", 3, "10.0.2.1/24");
    Inventory found = host.soft("MESH_IFNAME", "^eth0");
    assertEquals(List.of("eth1/1 eth1: 10.0.2.1/24@0"), brief(found));
    assertEquals("MESH_IFNAME=^eth0 leaves it out", found.rejections().get(0).reason());
  }

  @Test
  void shouldSayThatNoInterfaceHasTheNameThatIsWanted() {
    host.up("eth0", 2, "10.0.1.1/24");
    for (String filter : List.of("foo0", "=foo0", "^foo0")) {
      Inventory found = host.soft("MESH_IFNAME", filter);

      assertTrue(
          found.explain().contains("MESH_IFNAME=" + filter + ": no network interface"),
          found.explain());
      assertTrue(found.explain().contains("eth0"), found.explain());
    }
    assertFalse(host.soft("MESH_IFNAME", "eth").explain().contains("no network interface"));
  }

  @Test
  void shouldNotApplyFiltersOfRdmaDevicesToSoftOnes() {
    host.up("eth0", 2, "10.0.1.1/24");
    assertEquals(1, host.soft("MESH_HCA", "mlx5").nics().size());
    assertEquals(1, host.soft("MESH_HCA", "mlx5:2").nics().size());
  }

  @Test
  void shouldOfferLoopbackAddressesAloneWhenConfiguredTo() {
    sysfs.device("mlx5_0").port(1).v2(0, "10.0.1.1", "eth0");
    host.with("lo", 1, true, 65536, "127.0.0.1/8").up("eth0", 2, "10.0.1.1/24");
    Inventory found = host.discovery(Map.of("MESH_LOOPBACK", "127.77.1.1/24,127.77.2.1/31")).scan();
    assertEquals(
        List.of("lo-127.77.1.1/1 lo: 127.77.1.1/24@0", "lo-127.77.2.1/1 lo: 127.77.2.1/31@1"),
        brief(found));
    assertEquals(1, found.nics().get(0).ifindex());
    assertEquals(4096, found.nics().get(0).activeMtu());
    assertEquals(List.of("eth0"), found.rejections().stream().map(Rejection::netdev).toList());
  }

  @Test
  void shouldPreferANamedProviderToLoopback() {
    sysfs.device("mlx5_0").port(1).v2(0, "10.0.1.1", "eth0");
    host.up("eth0", 2, "10.0.1.1/24");
    assertEquals(
        List.of("mlx5_0/1 eth0: 10.0.1.1/24@0"),
        brief(
            host.discovery(Map.of("MESH_PROVIDER", "ibverbs", "MESH_LOOPBACK", "127.77.1.1/24"))
                .scan()));
  }

  @Test
  void shouldSetLoopbackUpInANewNamespace() {
    Inventory found = host.down("lo", 1).soft("MESH_LOOPBACK", "127.77.1.1/24");
    assertEquals(List.of(), found.nics());
    assertEquals("Set it up: `ip link set lo up`", found.rejections().get(0).remedy());
  }

  @Test
  void shouldFindThePciFunctionBelowAVirtioDevice() throws IOException {
    Path virtio = sysfs.root().resolve("devices/pci0000:00/0000:00:03.0/virtio0");
    Files.createDirectories(virtio);
    sysfs.netdev("eth0", 2, 0);
    Files.createSymbolicLink(sysfs.root().resolve("class/net/eth0/device"), virtio);
    assertEquals("0000:00:03.0", host.up("eth0", 2, "10.0.1.1/24").scan().nics().get(0).pciPath());
  }
}
