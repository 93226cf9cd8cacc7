// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.NicDescription;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnSubnetsTest {
  private final OwnSubnets own =
      OwnSubnets.of(
          List.of(nic("eth1", "10.0.1.1/24"), nic("eth2", "10.0.2.1/24", "fd00:2::1/64")));

  private final OwnSubnets unnumbered =
      OwnSubnets.of(List.of(nic("lo", "fe80::1%lo/64"), nic("to-b", "fe80::2%to-b/64")));

  private static NicDescription nic(String netdev, String... addresses) {
    return new NicDescription(netdev, netdev, "soft", List.of(addresses), 0, 1L << 30);
  }

  @Test
  void shouldListOneSubnetForEachAddress() {
    assertEquals(
        List.of("10.0.1.0/24", "10.0.2.0/24", "fd00:2::/64"),
        own.subnets().stream().map(OwnSubnets.Subnet::subnet).toList());
    assertEquals(
        List.of("10.0.1.1", "10.0.2.1", "fd00:2::1"),
        own.subnets().stream().map(OwnSubnets.Subnet::host).toList());
  }

  @Test
  void shouldSayWhetherAnAddressIsInNoneOfThem() throws UnknownHostException {
    String all =
        "No answer. This host has 10.0.1.0/24 (eth1), 10.0.2.0/24 (eth2), fd00:2::/64 (eth2)";

    assertEquals(all + ".", own.explain("No answer.", InetAddress.getByName("10.0.2.7")));
    assertEquals(
        all
            + ", and 10.0.9.9 is in none of them: give the peer's address at the cable between you.",
        own.explain("No answer.", InetAddress.getByName("10.0.9.9")));
  }

  @Test
  void shouldSayHowToPingThisHostInEachSubnet() {
    assertEquals(
        List.of(
            "from fe80::%lo/64 (lo here): ./mesh ping [fe80::1%INTERFACE]:4800, where INTERFACE is"
                + " the pinger's own at this cable",
            "from fe80::%to-b/64 (to-b here): ./mesh ping [fe80::2%INTERFACE]:4800, where INTERFACE"
                + " is the pinger's own at this cable"),
        unnumbered.howToPing(4800));
    assertEquals(
        "from 10.0.1.0/24 (eth1 here): ./mesh ping 10.0.1.1:4800", own.howToPing(4800).get(0));
  }

  @Test
  void shouldTakeTheLinkLocalSubnetsOfTwoCablesForTwo() throws UnknownHostException {
    String all = "No answer. This host has fe80::%lo/64 (lo), fe80::%to-b/64 (to-b)";
    InetAddress bare = InetAddress.getByName("fe80::7");

    assertEquals(
        all
            + ", and 10.9.9.9 is in none of them: give the peer's address at the cable between you.",
        unnumbered.explain("No answer.", InetAddress.getByName("10.9.9.9")));
    assertEquals(
        "fe80::7 is a link-local address, which needs its zone, this host's interface at the cable"
            + " to the peer: fe80::7%lo or fe80::7%to-b.",
        unnumbered.explain("Its own address is gone.", bare));
    int loopback = 1;
    assertEquals(
        all + ".",
        unnumbered.explain(
            "No answer.", Inet6Address.getByAddress(null, bare.getAddress(), loopback)));
    int none = Integer.MAX_VALUE;
    assertEquals(
        all
            + ", and fe80::7%2147483647 is in none of them: give the peer's address at the cable"
            + " between you.",
        unnumbered.explain("No answer.", Inet6Address.getByAddress(null, bare.getAddress(), none)));
  }

  @Test
  void shouldSayWhatWasMetWhereThereIsOneZone() throws UnknownHostException {
    OwnSubnets one =
        OwnSubnets.of(
            List.of(new NicDescription("a", "eth0", "soft", List.of("fe80::1%eth0/64"), 0, 1)));
    assertEquals(
        "fe80::7 is a link-local address, which needs its zone, this host's interface at the cable"
            + " to the peer: fe80::7%eth0. Without it: No answer.",
        one.explain("No answer.", InetAddress.getByName("fe80::7")));
  }
}
