// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.transport.route.Candidate;
import io.meshtransport.transport.route.Host;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is said where the routing table knows better than the subnets. */
class KernelRouteTest {
  private static final Candidate WIDE =
      Host.of(Host.nic("eth2", "10.0.0.1/16"))
          .routesTo(Host.of(Host.nic("eth1", "10.0.1.2/16")))
          .candidates()
          .get(0);

  @Test
  void shouldNameTheKernelsRouteWhereItIsAnother() {
    String said =
        KernelRoute.detour(WIDE, any -> Optional.of(Host.address("10.0.1.1/24").address()));
    assertTrue(said.contains("10.0.1.1, not over eth2"), said);
    assertTrue(said.contains("`ip route add 10.0.1.2 dev eth2`"), said);
  }

  @Test
  void shouldSayNothingWhereTheKernelAgreesOrDoesNotSay() {
    assertEquals(
        "", KernelRoute.detour(WIDE, any -> Optional.of(Host.address("10.0.0.1/16").address())));
    assertEquals("", KernelRoute.detour(WIDE, any -> Optional.empty()));
    assertEquals(
        "", KernelRoute.detour(WIDE, any -> Optional.of(Host.address("127.0.0.1/8").address())));
  }
}
