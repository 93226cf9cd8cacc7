// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.NicDescription;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnSubnetsTest {
  private final OwnSubnets own =
      OwnSubnets.of(
          List.of(nic("eth1", "10.0.1.1/24"), nic("eth2", "10.0.2.1/24", "fd00:2::1/64")));

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
    String all = "This host has 10.0.1.0/24 (eth1), 10.0.2.0/24 (eth2), fd00:2::/64 (eth2)";

    assertEquals(all + ".", own.remark(InetAddress.getByName("10.0.2.7")));
    assertEquals(
        all
            + ", and 10.0.9.9 is in none of them: give the peer's address at the cable between you.",
        own.remark(InetAddress.getByName("10.0.9.9")));
  }
}
