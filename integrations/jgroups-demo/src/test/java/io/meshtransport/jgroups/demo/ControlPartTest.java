// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Topologies;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How the control puts what it has measured, with made-up measurements. */
class ControlPartTest {
  private static GroupDelivery delivery(long oneWay) {
    return new GroupDelivery(
        "stock TCP",
        Map.of("b", List.of("a", "b"), "a", List.of("a", "b")),
        50,
        List.of(
            new GroupDelivery.Pair("a", "b", 50, ""),
            new GroupDelivery.Pair("b", "a", oneWay, "")));
  }

  @Test
  void shouldSayPlainlyWhenStockWorks() {
    assertEquals(
        "works here: everyone receives from everyone", ControlPart.summary(delivery(50), 0));
  }

  @Test
  void shouldNameWhoIsDeaf() {
    assertEquals(
        "broken, as expected on a mesh: views {a=[a, b], b=[a, b]}; b receives nothing from a;"
            + " 2 errors in the logs",
        ControlPart.summary(delivery(0), 2));
  }

  @Test
  void shouldNameWhatIsMissingWhenNoPairIsSilent() {
    String summary = ControlPart.summary(delivery(49), 0);

    assertTrue(summary.contains("b received 49 of 50 from a"), summary);
  }

  @Test
  void shouldLetTheMemberBeginThatReachesMostAddresses() {
    assertEquals("b", ControlPart.first(Topologies.TRIANGLE));
  }
}
