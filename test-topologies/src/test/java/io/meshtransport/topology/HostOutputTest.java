// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What we read of the host's output, and what we report when a command fails. */
class HostOutputTest {
  @Test
  void shouldReadTheCountersOfEachInterface() {
    String json =
        """
        [{"ifindex":1,"ifname":"lo","stats64":{"rx":{"bytes":0,"packets":0},"tx":{"bytes":0}}},
         {"ifindex":2,"ifname":"to-b","link_index":2,
          "stats64":{"rx":{"bytes":9000000001,"packets":7},"tx":{"bytes":42,"packets":1}}}]
        """;

    assertEquals(
        List.of(
            new InterfaceCounters("lo", 0, 0), new InterfaceCounters("to-b", 9_000_000_001L, 42)),
        LinkStatistics.parse(json));
    assertThrows(FabricException.class, () -> LinkStatistics.parse("Cannot open"));
  }

  @Test
  void shouldWaitForTheCarrierAndForTentativeAddresses() {
    assertTrue(UsableAddresses.areUsable(address("UP", "")));
    assertFalse(UsableAddresses.areUsable(address("DOWN", "")));
    assertFalse(UsableAddresses.areUsable(address("LOWERLAYERDOWN", "")));
    assertFalse(UsableAddresses.areUsable(address("UP", ",\"tentative\":true")));
    assertThrows(FabricException.class, () -> UsableAddresses.areUsable("not json"));
  }

  private static String address(String operstate, String more) {
    return """
        [{"ifname":"lo","operstate":"UNKNOWN","addr_info":[{"local":"127.0.0.1"}]},
         {"ifname":"to-b","operstate":"%s","addr_info":[{"local":"fd77:1::1"%s}]}]
        """
        .formatted(operstate, more);
  }

  @Test
  void shouldKnowNamespacesOfDeadProcessesFromThoseOfOthers() {
    Maker self = Maker.self();
    assertFalse(isStale(self));
    assertFalse(StaleNamespaces.isStale(StaleNamespaces.prefix(3) + "a"));
    // Linux gives no process an id above 2^22, see proc(5), pid_max.
    Maker dead = new Maker(self.pidNamespace(), 1 << 23, 77);
    assertTrue(isStale(dead));
    Maker before = new Maker(self.pidNamespace(), self.pid(), self.startTicks() - 1);
    assertTrue(isStale(before), "another process has its id now");
    assertFalse(isStale(new Maker(self.pidNamespace() + 1, 1 << 23, 77)), "another container's");
    assertFalse(isStale(new Maker(0, 1 << 23, 77)), "of a process without /proc");
    for (String foreign :
        new String[] {
          "mesh-12-x", "mesh-8388608-1-a", "mesh-of-somebody", "blue", "mesh-1-2-3-4-"
        }) {
      assertFalse(StaleNamespaces.isStale(foreign), foreign);
    }
  }

  private static boolean isStale(Maker maker) {
    return StaleNamespaces.isStale("mesh-" + maker.mark() + "-1-a");
  }

  @Test
  void shouldSayWhichCommandFailedAndWhatItPrinted() {
    FabricException failure =
        assertThrows(
            FabricException.class,
            () -> Command.of(List.of("sh", "-c"), "echo no such cable; exit 3").run());

    assertEquals(
        "`sh -c echo no such cable; exit 3` failed with 3: no such cable", failure.getMessage());
    assertThrows(FabricException.class, () -> Command.of(List.of(), "/no/such/program").run());
    assertEquals("fed\n", Command.of(List.of(), "cat").run("fed\n"));
  }
}
