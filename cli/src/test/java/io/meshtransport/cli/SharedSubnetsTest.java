// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SharedSubnetsTest {
  private static NicsReport.Port nic(String netdev, String... addresses) {
    return new NicsReport.Port(
        "soft",
        netdev,
        1,
        netdev,
        2,
        List.of(addresses),
        0,
        "RoCE v2",
        "::",
        0,
        1024,
        "ACTIVE",
        false);
  }

  private static List<String> warnings(NicsReport.Port... nics) {
    return new SharedSubnets(List.of(nics)).warnings();
  }

  @Test
  void shouldWarnOfTwoCablesInOneSubnet() {
    NicsReport.Port one = nic("eth1", "10.0.1.1/24", "fe80::1/64");
    NicsReport.Port other = nic("eth2", "10.0.1.3/24", "fe80::2/64");

    String warning =
        "eth1 10.0.1.1/24 and eth2 10.0.1.3/24 share a subnet: the kernel may send over either;"
            + " give each cable a subnet of its own";
    assertEquals(List.of(warning), warnings(one, other));
    String text = new NicsReport(List.of(one, other), List.of(), List.of()).text();
    assertEquals(warning, text.lines().reduce("", (before, line) -> line));
  }

  @Test
  void shouldMarkTheInterfaceOfTheDefaultRoute() {
    NicsReport.Port management =
        new NicsReport.Port(
            "soft",
            "eno1",
            1,
            "eno1",
            2,
            List.of("192.168.0.5/24"),
            0,
            "soft",
            "::",
            0,
            1024,
            "ACTIVE",
            true);
    String text =
        new NicsReport(List.of(nic("eth1", "10.0.1.1/24"), management), List.of(), List.of())
            .text();

    assertEquals(
        List.of("eno1"),
        text.lines()
            .filter(line -> line.contains("default route: used last"))
            .map(line -> line.strip().split(" +")[3])
            .toList());
  }

  @Test
  void shouldWarnWhereOneSubnetLiesInTheOther() {
    assertEquals(1, warnings(nic("eth1", "10.0.0.1/8"), nic("eth2", "10.0.1.3/24")).size());
  }

  @Test
  void shouldSayNothingOfSubnetsOfTheirOwnAndOfOneInterfaceSeenTwice() {
    assertEquals(List.of(), warnings(nic("eth1", "10.0.1.1/24"), nic("eth2", "10.0.2.1/24")));
    assertEquals(List.of(), warnings(nic("eth1", "10.0.1.1/24"), nic("eth1", "10.0.1.1/24")));
    assertEquals(List.of(), warnings(nic("eth1", "fe80::1/64"), nic("eth2", "fe80::2/64")));
    assertEquals(
        List.of(), warnings(nic("eth1", "fe80::1%eth1/64"), nic("eth2", "fe80::2%eth2/64")));
  }
}
