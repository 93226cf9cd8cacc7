// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's routing tables as proc(5) shows them; the lines are those of Linux 6.1. */
class RoutingTableTest {
  private static final String HEADING =
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT    \n";

  @TempDir private Path proc;

  @BeforeEach
  void shouldBeReadOnALittleEndianHost() {
    Assumptions.assumeTrue(
        ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "the lines are of such a host");
  }

  private InterfaceRoutes of(String netdev, String ipv4, String ipv6) throws IOException {
    Files.createDirectories(proc.resolve("net"));
    Files.writeString(proc.resolve("net/route"), HEADING + ipv4);
    Files.writeString(proc.resolve("net/ipv6_route"), ipv6);
    return RoutingTable.read(proc).of(netdev);
  }

  @Test
  void shouldFindTheInterfaceOfTheDefaultRoute() throws Exception {
    String table =
        """
        eno1\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
        eno1\t0000A8C0\t00000000\t0001\t0\t0\t100\tC0FFFFFF\t0\t0\t0
        eth1\t0001000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
        """;
    assertEquals(new InterfaceRoutes(true, Set.of()), of("eno1", table, ""));
    assertEquals(InterfaceRoutes.NONE, of("eth1", table, ""));
  }

  @Test
  void shouldFindThePeerOfAPointToPointAddress() throws Exception {
    String table =
        """
        eth1\t0200090A\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0
        eth2\t0300090A\t0100000A\t0007\t0\t0\t0\tFFFFFFFF\t0\t0\t0
        """;
    assertEquals(
        new InterfaceRoutes(false, Set.of(InetAddress.getByName("10.9.0.2"))),
        of("eth1", table, ""));
    assertEquals(InterfaceRoutes.NONE, of("eth2", table, ""), "that one is behind a gateway");
  }

  @Test
  void shouldReadBothOfIpv6AndNoneOfItsOwnAddresses() throws Exception {
    String none = "0".repeat(32);
    String peer = "fd000001000000000000000000000002";
    String own = "fd000001000000000000000000000001";
    String line = "%s %s " + none + " 00 %s 00000400 00000001 00000000 %s %8s\n";
    String table =
        line.formatted(none, "00", "fe80000000000000025056fffe000001", "00000003", "eno1")
            + line.formatted(peer, "80", none, "00000001", "eth1")
            + line.formatted(own, "80", none, "80200001", "eth1")
            + line.formatted(own, "80", none, "00000001", "lo")
            + line.formatted(none, "00", none, "00200200", "lo");
    assertEquals(new InterfaceRoutes(true, Set.of()), of("eno1", "", table));
    assertEquals(
        new InterfaceRoutes(false, Set.of(InetAddress.getByName("fd00:1::2"))),
        of("eth1", "", table));
    assertEquals(InterfaceRoutes.NONE, of("lo", "", table));
  }

  @Test
  void shouldFindNothingWhereThereIsNoTable() {
    assertEquals(InterfaceRoutes.NONE, RoutingTable.read(proc.resolve("absent")).of("eth1"));
  }
}
