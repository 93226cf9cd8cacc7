// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.topology.Topologies;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoutedAddressesTest {
  @Test
  void shouldRouteEachPeerOverItsOwnCable() {
    assertEquals(
        List.of(
            "ip addr replace 10.99.0.3/32 dev lo",
            "ip route replace 10.99.0.1/32 via 10.77.3.1 src 10.99.0.3",
            "ip route replace 10.99.0.2/32 via 10.77.2.1 src 10.99.0.3"),
        RoutedAddresses.commands(Topologies.TRIANGLE, "c").stream()
            .map(words -> String.join(" ", words))
            .toList());
  }

  @Test
  void shouldHaveNoAddressForAnUnknownNode() {
    assertThrows(
        IllegalArgumentException.class, () -> RoutedAddresses.of(Topologies.TRIANGLE, "x"));
  }
}
