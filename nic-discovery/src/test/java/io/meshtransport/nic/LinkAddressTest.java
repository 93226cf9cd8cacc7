// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinkAddressTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.1.1/24, 10.0.1.0/24",
    "10.0.1.1/31, 10.0.1.0/31",
    "10.0.1.1/32, 10.0.1.1/32",
    "10.0.1.1/0, 0.0.0.0/0",
    "192.168.100.2/30, 192.168.100.0/30",
    "255.255.255.255/1, 128.0.0.0/1",
    "fd00:1::1/64, fd00:1::/64",
    "fd00:1::1/127, fd00:1::/127",
    "fd00:1::1/128, fd00:1::1/128",
    "fd00:1::1/0, ::/0",
    "2001:db8::1:0:0:1/112, 2001:db8:0:0:1::/112",
  })
  void shouldKnowItsSubnet(String address, String subnet) {
    LinkAddress link = LinkAddress.parse(address);
    assertEquals(subnet, link.subnet());
    assertEquals(address, link.toString());
    assertEquals(link, LinkAddress.parse(link.toString()));
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.1.1/24, 10.0.1.255, true",
    "10.0.1.1/24, 10.0.2.1, false",
    "10.0.1.0/31, 10.0.1.1, true",
    "10.0.1.0/31, 10.0.1.2, false",
    "10.0.1.1/32, 10.0.1.1, true",
    "10.0.1.1/32, 10.0.1.0, false",
    "10.0.1.1/0, 0.0.0.0, true",
    "10.0.1.1/0, 255.255.255.255, true",
    "10.0.1.1/0, fd00::1, false",
    "fd00::1/0, 10.0.1.1, false",
    "fd00::/127, fd00::1, true",
    "fd00::/127, fd00::2, false",
    "fd00:1::1/64, fd00:1::ffff:ffff:ffff:ffff, true",
    "fd00:1::1/64, fd00:2::1, false",
    "fd00::1/63, fd00:0:0:1::1, true",
  })
  void shouldKnowWhatLiesInItsSubnet(String link, String other, boolean contained) {
    assertEquals(contained, LinkAddress.parse(link).contains(AddressText.parse(other)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "10.0.1.1",
        "10.0.1.1/",
        "10.0.1.1/33",
        "10.0.1.1/-1",
        "10.0.1.1/+8",
        "10.0.1.1/08",
        "10.0.1.1/255.255.255.0",
        "10.0.1.1/24/24",
        " 10.0.1.1/24",
        "10.0.1/24",
        "10.0.1.256/24",
        "010.0.1.1/24",
        "0x0a000101/24",
        "167772417/24",
        "localhost/8",
        "dead.beef/8",
        "fd00::1/129",
        "fd00::1%lo/64",
        "fd00:::1/64",
        "1:2:3:4:5:6:7/64",
        "fd00::g/64",
        "12345::/64",
        "[fd00::1]/64",
        "::ffff:10.0.1.1/120",
        "::ffff:a00:101/120",
        ":/64",
      })
  void shouldRefuseWhatIsNoAddressWithItsPrefix(String text) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> LinkAddress.parse(text));
    assertFalse(refused.getMessage().isBlank());
  }

  @Test
  void shouldDropTheScope() throws UnknownHostException {
    byte[] raw = AddressText.parse("fe80::1").getAddress();
    LinkAddress scoped = new LinkAddress(Inet6Address.getByAddress("x", raw, 7), 64);
    assertEquals(LinkAddress.parse("fe80::1/64"), scoped);
    assertEquals("fe80::1/64", scoped.toString());
  }

  @Test
  void shouldTreatAMappedAddressAsIpv4() throws UnknownHostException {
    byte[] raw = Gid.of(AddressText.parse("10.0.1.1")).toBytes();
    LinkAddress mapped = new LinkAddress(Inet6Address.getByAddress("x", raw, -1), 24);
    assertInstanceOf(Inet4Address.class, mapped.address());
    assertEquals(LinkAddress.parse("10.0.1.1/24"), mapped);
  }

  @Test
  void shouldRefuseTheLongPrefixOfAMappedAddress() throws UnknownHostException {
    byte[] raw = Gid.of(AddressText.parse("10.0.1.1")).toBytes();
    InetAddress mapped = Inet6Address.getByAddress("x", raw, -1);
    assertThrows(IllegalArgumentException.class, () -> new LinkAddress(mapped, 120));
  }

  @ParameterizedTest
  @CsvSource({
    "169.254.7.7/16, true",
    "fe80::1/64, true",
    "febf::1/64, true",
    "fec0::1/64, false",
    "169.253.0.1/16, false",
    "10.0.1.1/24, false",
    "fd00::1/64, false"
  })
  void shouldKnowLinkLocalAddresses(String text, boolean linkLocal) {
    LinkAddress link = LinkAddress.parse(text);
    assertEquals(linkLocal, link.isLinkLocal());
    assertEquals(!text.contains(":"), link.isIpv4());
  }

  @Test
  void shouldNameTheBoundsOfThePrefix() {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> LinkAddress.parse("10.0.1.1/33"));
    assertTrue(refused.getMessage().contains("10.0.1.1/33"), refused.getMessage());
    assertTrue(refused.getMessage().contains("0 to 32"), refused.getMessage());
  }
}
