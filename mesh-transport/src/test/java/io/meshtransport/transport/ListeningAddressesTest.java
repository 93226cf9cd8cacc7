// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.nic.AddressText;
import io.meshtransport.nic.ScopedAddress;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ListeningAddressesTest {
  private static final ScopedAddress ONE = ScopedAddress.of(AddressText.parse("10.0.1.1"));
  private static final ScopedAddress OTHER = ScopedAddress.of(AddressText.parse("10.0.2.1"));

  @Test
  void shouldKeepAnAddressForAWhileThatIsAway() {
    ListeningAddresses listening = new ListeningAddresses();
    long startNs = Long.MAX_VALUE - 10;
    assertEquals(Set.of(ONE), listening.with(Set.of(ONE), startNs));
    assertEquals(Set.of(ONE, OTHER), listening.with(Set.of(OTHER), startNs + 100));
    long overNs = startNs + ListeningAddresses.LINGER_NS + 1;
    assertEquals(Set.of(OTHER), listening.with(Set.of(OTHER), overNs));
  }
}
