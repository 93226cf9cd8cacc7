// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet6Address;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GidTest {
  @Test
  void shouldMapAnIpv4AddressAsRoceV2Does() {
    Gid gid = Gid.of(AddressText.parse("10.0.1.255"));
    assertEquals("0000:0000:0000:0000:0000:ffff:0a00:01ff", gid.toString());
    assertTrue(gid.isIpv4Mapped());
    assertEquals(AddressText.parse("10.0.1.255"), gid.toAddress());
  }

  @Test
  void shouldKeepTheBitsOfAHighIpv4Address() {
    assertEquals(
        "0000:0000:0000:0000:0000:ffff:ffff:fffe",
        Gid.of(AddressText.parse("255.255.255.254")).toString());
  }

  @Test
  void shouldBeTheIpv6Address() {
    Gid gid = Gid.parse("fd00:0001:0000:0000:0000:0000:0000:0001");
    assertEquals(Gid.of(AddressText.parse("fd00:1::1")), gid);
    assertFalse(gid.isIpv4Mapped());
    assertFalse(gid.isLinkLocal());
    assertArrayEquals(AddressText.parse("fd00:1::1").getAddress(), gid.toBytes());
  }

  @Test
  void shouldKnowLinkLocalAndEmpty() {
    assertTrue(Gid.parse("fe80:0000:0000:0000:5054:00ff:fe00:6100").isLinkLocal());
    assertTrue(Gid.of(AddressText.parse("febf::1")).isLinkLocal());
    assertFalse(Gid.of(AddressText.parse("fec0::1")).isLinkLocal());
    assertTrue(Gid.parse("0000:0000:0000:0000:0000:0000:0000:0000").isZero());
    assertEquals(Gid.ZERO, Gid.ofBytes(new byte[16]));
  }

  @Test
  void shouldGiveALinkLocalAddressAloneTheScopeOfAnInterface() {
    Gid cable = Gid.of(AddressText.parse("fe80::1"));
    assertEquals(7, ((Inet6Address) cable.toAddress(7)).getScopeId());
    assertEquals(cable, Gid.of(cable.toAddress(7)));
    assertEquals("fe80:0:0:0:0:0:0:1", cable.toAddress(0).getHostAddress());
    assertEquals(
        "fd00:0:0:0:0:0:0:1", Gid.of(AddressText.parse("fd00::1")).toAddress(7).getHostAddress());
    assertEquals("10.0.1.1", Gid.of(AddressText.parse("10.0.1.1")).toAddress(7).getHostAddress());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "::1",
        "fe80:0000:0000:0000:5054:00ff:fe00",
        "fe80:0000:0000:0000:5054:00ff:fe00:6100:0000",
        "fe80:0000:0000:0000:5054:00ff:fe00:610",
        "fe80:0000:0000:0000:5054:00ff:fe00:-100",
        "fe80:0000:0000:0000:5054:00ff:fe00:610g"
      })
  void shouldRefuseWhatTheKernelDoesNotWrite(String text) {
    assertThrows(IllegalArgumentException.class, () -> Gid.parse(text));
  }

  @Test
  void shouldRefuseAnyOtherLength() {
    assertThrows(IllegalArgumentException.class, () -> Gid.ofBytes(new byte[15]));
    assertThrows(IllegalArgumentException.class, () -> Gid.ofBytes(new byte[17]));
  }
}
