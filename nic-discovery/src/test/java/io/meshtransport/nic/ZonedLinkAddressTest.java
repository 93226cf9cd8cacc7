// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ZonedLinkAddressTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.1.1/24, 10.0.1.1/24, '', 10.0.1.0/24",
    "169.254.3.4/16, 169.254.3.4/16, '', 169.254.0.0/16",
    "fd00:1::1/64, fd00:1::1/64, '', fd00:1::/64",
    "fe80::1/64, fe80::1/64, '', fe80::/64",
    "fe80::903b:45ff:fefc:980c%to-a/64, fe80::903b:45ff:fefc:980c/64, to-a, fe80::%to-a/64",
    "fe80::1%eth0.7/64, fe80::1/64, eth0.7, fe80::%eth0.7/64",
  })
  void shouldReadWhatItWrites(String text, String link, String zone, String subnet) {
    ZonedLinkAddress read = ZonedLinkAddress.parse(text);

    assertEquals(new ZonedLinkAddress(LinkAddress.parse(link), zone), read);
    assertEquals(subnet, read.subnet());
    assertEquals(!zone.isEmpty(), read.isZoned());
    assertEquals(text, read.toString());
  }

  @Test
  void shouldReadWhatANicAddressWrites() {
    LinkAddress link = LinkAddress.parse("fe80::1/64");
    Gid gid = Gid.of(link.address());
    NicAddress address = new NicAddress(link, new GidEntry(gid, 0, GidType.SOFT, "to-b", 2));

    ZonedLinkAddress read = ZonedLinkAddress.parse(address.toString());

    assertEquals(new ZonedLinkAddress(link, "to-b"), read);
    assertEquals(address.subnet(), read.subnet());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "fe80::1%/64",
        "fe80::1%to-b",
        "fe80::1/64%to-b",
        "%to-b/64",
        "10.0.1.1%to-b/24",
        "fd00::1%to-b/64",
        "169.254.3.4%to-b/16",
        "fe80::1%to-b/129",
      })
  void shouldRefuse(String text) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> ZonedLinkAddress.parse(text));
    assertTrue(refused.getMessage().contains("'") || refused.getMessage().contains(":"));
  }
}
