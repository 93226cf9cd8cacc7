// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static io.meshtransport.nic.Host.brief;
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

/** MESH_GID_INDEX: used if it would do, else refused with what the row holds and which would do. */
class PinnedGidIndexTest {
  private Host host;

  @BeforeEach
  void startWithAVlanHost(@TempDir Path root) {
    SysfsTree sysfs = new SysfsTree(root);
    sysfs
        .device("mlx5_0")
        .port(1)
        .v1AndV2(0, "fe80::1", "eth0")
        .v1AndV2(2, "10.0.1.1", "eth0")
        .v1AndV2(4, "fd00::1", "eth0")
        .v1AndV2(6, "10.5.0.1", "eth0.5")
        .v2(8, "10.9.9.9", "eth0")
        .emptyRows(9, 12);
    host =
        new Host(sysfs)
            .up("eth0", 2, "10.0.1.1/24", "fd00::1/64", "fe80::1/64")
            .up("eth0.5", 7, "10.5.0.1/24");
  }

  @ParameterizedTest
  @CsvSource({
    "3, mlx5_0/1 eth0: 10.0.1.1/24@3",
    "5, mlx5_0/1 eth0: fd00::1/64@5",
    "7, mlx5_0/1 eth0.5: 10.5.0.1/24@7"
  })
  void shouldUseTheRowAndItsAddressAlone(String index, String nic) {
    Inventory found = host.rdma("MESH_GID_INDEX", index);
    assertEquals(List.of(nic), brief(found));
    assertEquals(List.of(), found.rejections());
  }

  @ParameterizedTest
  @CsvSource({
    "0, a link-local GID",
    "1, a link-local GID",
    "2, only RoCE v2 is used",
    "8, no usable interface has that address",
    "9, that row is empty",
    "200, that row is empty",
  })
  void shouldRefuseARowThatWouldNotDo(String index, String reason) {
    Inventory found = host.rdma("MESH_GID_INDEX", index);
    assertEquals(List.of(), found.nics());
    assertEquals(1, found.rejections().size());
    Rejection rejection = found.rejections().get(0);
    assertTrue(rejection.reason().startsWith("MESH_GID_INDEX=" + index), rejection.reason());
    assertTrue(rejection.reason().contains(reason), rejection.reason());
    assertTrue(
        rejection.remedy().endsWith("set it to 3 (10.0.1.1/24), 5 (fd00::1/64), 7 (10.5.0.1/24)"),
        rejection.remedy());
  }

  @Test
  void shouldShowTheGidOfTheRefusedRow() {
    Rejection rejection = host.rdma("MESH_GID_INDEX", "2").rejections().get(0);
    assertTrue(
        rejection
            .reason()
            .contains("that row is 0000:0000:0000:0000:0000:ffff:0a00:0101 (RoCE v1, eth0)"),
        rejection.reason());
  }

  @Test
  void shouldNotProposeRowsWhereNoneWouldDo() {
    Rejection rejection =
        host.discovery(Map.of("MESH_GID_INDEX", "3", "MESH_IFNAME", "eth9"))
            .rdma()
            .rejections()
            .get(2);
    assertTrue(rejection.remedy().startsWith("Unset MESH_GID_INDEX, and"), rejection.remedy());
  }
}
