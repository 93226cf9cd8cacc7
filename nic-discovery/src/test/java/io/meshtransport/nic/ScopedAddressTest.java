// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet6Address;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class ScopedAddressTest {
  private static final InetAddress LINK_LOCAL = AddressText.parse("fe80::1");

  @Test
  void shouldTellApartTheSameLinkLocalAddressOfTwoInterfaces() throws Exception {
    ScopedAddress second = ScopedAddress.of(scoped(2));
    assertEquals(new ScopedAddress(LINK_LOCAL, 2), second);
    assertNotEquals(ScopedAddress.of(scoped(3)), second);
    assertEquals(2, ((Inet6Address) second.toSocketAddress()).getScopeId());
    assertEquals("fe80:0:0:0:0:0:0:1%2", second.toString());
  }

  @Test
  void shouldMatchAnyInterfaceWhereOneIsUnknown() throws Exception {
    ScopedAddress unknown = ScopedAddress.of(LINK_LOCAL);
    assertTrue(unknown.matches(ScopedAddress.of(scoped(2))));
    assertTrue(ScopedAddress.of(scoped(2)).matches(unknown));
    assertFalse(ScopedAddress.of(scoped(2)).matches(ScopedAddress.of(scoped(3))));
    assertFalse(unknown.matches(ScopedAddress.of(AddressText.parse("fe80::2"))));
  }

  @Test
  void shouldHaveNoInterfaceForOtherAddresses() {
    InetAddress address = AddressText.parse("10.0.1.1");
    assertEquals(ScopedAddress.of(address), new ScopedAddress(address, 7));
    assertEquals(address, ScopedAddress.of(address).toSocketAddress());
    assertThrows(IllegalArgumentException.class, () -> new ScopedAddress(LINK_LOCAL, -1));
  }

  private static InetAddress scoped(int ifindex) throws Exception {
    return Inet6Address.getByAddress(null, LINK_LOCAL.getAddress(), ifindex);
  }
}
