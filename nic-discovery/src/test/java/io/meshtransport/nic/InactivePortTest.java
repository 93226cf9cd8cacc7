// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RDMA ports that lack a carrier and nothing else. */
class InactivePortTest {
  private SysfsTree sysfs;
  private Host host;

  @BeforeEach
  void startWithAnEmptyHost(@TempDir Path root) {
    sysfs = new SysfsTree(root);
    host = new Host(sysfs);
  }

  /** As Soft-RoCE shows it: the GID rows stay. */
  private SysfsTree.Port port(String device) {
    return sysfs.device(device).port(1).file("state", "1: DOWN").file("phys_state", "2: Polling");
  }

  private static List<String> inactive(Inventory found) {
    return found.inactive().stream()
        .map(nic -> nic.device() + " " + nic.netdev() + " " + nic.addresses() + " " + nic.state())
        .toList();
  }

  private static void assertOnlyRejected(Inventory found, String why) {
    assertEquals(List.of(), found.candidates());
    assertTrue(found.explain().contains(why), found.explain());
  }

  @Test
  void shouldOfferAPortWithoutACarrierAsInactiveWithItsReason() {
    port("rxe0").v2(0, "fe80::1", "eth0").v2(1, "10.0.1.1", "eth0");
    Inventory found = host.up("eth0", 2, "10.0.1.1/24", "fe80::1/64").rdma();

    assertEquals(List.of(), found.nics());
    assertEquals(1, found.candidates().size());
    Nic nic = found.inactive().get(0);
    assertEquals("ibverbs", nic.provider());
    assertEquals(PortState.DOWN, nic.state());
    assertEquals(1, nic.gid().index());
    assertEquals(2, nic.ifindex());
    assertEquals(1024, nic.activeMtu());
    assertEquals(1, found.rejections().size(), found.explain());
    assertTrue(found.explain().contains("the port is DOWN, not ACTIVE"), found.explain());
  }

  @Test
  void shouldOfferAPortWhoseInterfaceIsSetDown() {
    port("rxe0").v2(1, "10.0.1.1", "eth0");
    assertEquals(
        List.of("rxe0 eth0 [10.0.1.1/24] DOWN"),
        inactive(host.down("eth0", 2, "10.0.1.1/24").rdma()));
  }

  @Test
  void shouldOfferActivePortsBeforeInactiveOnes() {
    port("rxe0").v2(1, "10.0.1.1", "eth0");
    sysfs.device("rxe1").port(1).v2(1, "10.0.2.1", "eth1");
    Inventory found = host.up("eth0", 2, "10.0.1.1/24").up("eth1", 3, "10.0.2.1/24").scan();
    assertEquals(List.of("rxe1", "rxe0"), found.candidates().stream().map(Nic::device).toList());
  }

  @Test
  void shouldOfferAVlanOfAnInactivePort() {
    port("mlx5_0").v2(1, "10.0.1.1", "eth0").v2(3, "10.0.2.1", "eth0.5");
    assertEquals(
        List.of("mlx5_0 eth0 [10.0.1.1/24] DOWN", "mlx5_0 eth0.5 [10.0.2.1/24] DOWN"),
        inactive(host.up("eth0", 2, "10.0.1.1/24").up("eth0.5", 3, "10.0.2.1/24").rdma()));
  }

  @Test
  void shouldNotFallBackToSoftwareForALackOfACarrier() {
    port("rxe0").v2(1, "10.0.1.1", "eth0");
    Inventory found = host.up("eth0", 2, "10.0.1.1/24").scan();
    assertEquals(List.of("ibverbs"), found.candidates().stream().map(Nic::provider).toList());
  }

  @Test
  void shouldFallBackToSoftwareForAnInactivePortThatNobodyConfigured() {
    port("rxe0").v2(0, "fe80::1", "eth0");
    Inventory found = host.up("eth0", 2, "fe80::1/64").up("eth1", 3, "10.0.1.1/24").scan();
    assertEquals(
        List.of("soft eth0", "soft eth1"),
        found.candidates().stream().map(nic -> nic.provider() + " " + nic.netdev()).toList());
  }

  @Test
  void shouldOfferNoInactivePortThatLacksMore() {
    port("rxe0").v2(0, "169.254.3.4", "eth0");
    assertOnlyRejected(host.up("eth0", 2, "169.254.3.4/16").rdma(), "the port is DOWN");
    // An address without a row is of no use yet, nor is a port of another network namespace.
    port("rxe1").v2(0, "fe80::2", "eth1");
    assertOnlyRejected(host.up("eth1", 3, "10.0.2.1/24").rdma(), "rxe1 port 1 (eth1): the port is");
    port("rxe2").v2(0, "10.0.3.1", "elsewhere");
    assertOnlyRejected(host.rdma(), "rxe2 port 1 (elsewhere): the port is");
  }

  @ParameterizedTest
  @CsvSource({"MESH_HCA, ^rxe0", "MESH_HCA, rxe0:2", "MESH_IFNAME, ^eth0"})
  void shouldLeaveOutAnInactivePortThatSettingsDoNotWant(String setting, String value) {
    port("rxe0").v2(1, "10.0.1.1", "eth0");
    assertEquals(List.of(), host.up("eth0", 2, "10.0.1.1/24").rdma(setting, value).candidates());
  }

  @Test
  void shouldOfferAnInactivePortByItsPinnedRowOnly() {
    port("rxe0").v2(1, "10.0.1.1", "eth0").v2(2, "10.0.9.1", "eth0");
    host.up("eth0", 2, "10.0.1.1/24", "10.0.9.1/24");
    assertEquals(
        List.of("rxe0 eth0 [10.0.9.1/24] DOWN"), inactive(host.rdma("MESH_GID_INDEX", "2")));
    assertEquals(List.of(), inactive(host.rdma("MESH_GID_INDEX", "7")));
  }

  @Test
  void shouldLeaveOutADeviceThatIsBeingRemoved() {
    sysfs.device("rxe0").port(1).v2(1, "10.0.1.1", "eth0");
    sysfs.device("rxe1").port(1).v2(1, "10.0.2.1", "eth1");
    sysfs.verbsDevice(1, "rxe1").write("class/infiniband_verbs/abi_version", "6");
    host.up("eth0", 2, "10.0.1.1/24").up("eth1", 3, "10.0.2.1/24");

    Inventory found = host.rdma();
    assertEquals(List.of("rxe1"), found.candidates().stream().map(Nic::device).toList());
    assertTrue(found.explain().contains("rxe0: no verbs device belongs to it"), found.explain());
    assertEquals(List.of("rxe1"), List.copyOf(fingerprint().rdmaDevices()));
  }

  @Test
  void shouldAssumeDevicesWhereNoVerbsDevicesAreShown() {
    sysfs.device("rxe0").port(1);
    assertEquals(List.of("rxe0"), List.copyOf(fingerprint().rdmaDevices()));
  }

  @Test
  void shouldDetectADeviceThatComesGoesOrChangesItsStateByTheFingerprint() {
    SysfsTree.Port port = port("rxe0").file("link_layer", "InfiniBand");
    HostFingerprint down = fingerprint();
    assertEquals(down, fingerprint());
    port.file("state", "4: ACTIVE");
    HostFingerprint active = fingerprint();
    assertTrue(!down.equals(active), active.toString());
    sysfs.device("rxe1").port(1);
    assertTrue(!active.equals(fingerprint()), active.toString());
    sysfs.verbsDevice(0, "rxe0");
    assertEquals(active, fingerprint(), "rxe1 is not there completely yet");
  }

  @Test
  void shouldDetectThatARocePortWentDownByItsInterface() {
    SysfsTree.Port port = sysfs.device("rxe0").port(1).v2(1, "10.0.1.1", "eth0");
    host.up("eth0", 2, "10.0.1.1/24");
    HostFingerprint up = fingerprint();
    port.file("state", "1: DOWN");
    assertEquals(up, fingerprint(), "the driver was asked");
    sysfs.write("class/net/eth0/operstate", "down");
    assertTrue(!up.equals(fingerprint()), up.toString());
  }

  private HostFingerprint fingerprint() {
    Discovery seen = host.discovery(Map.of());
    return HostFingerprint.of(seen.sysfs(), seen.interfaces());
  }
}
