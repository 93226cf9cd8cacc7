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
  private static Hearing hearing(long oneWay) {
    return new Hearing(
        "stock TCP",
        Map.of("b", List.of("a", "b"), "a", List.of("a", "b")),
        50,
        List.of(new Hearing.Line("a", "b", 50, ""), new Hearing.Line("b", "a", oneWay, "")));
  }

  @Test
  void shouldSayPlainlyWhenStockWorks() {
    assertEquals("works here: everyone hears everyone", ControlPart.words(hearing(50), 0));
  }

  @Test
  void shouldNameWhoIsDeaf() {
    assertEquals(
        "broken, as expected on a mesh: views {a=[a, b], b=[a, b]}; b hears nothing of a;"
            + " 2 errors in the logs",
        ControlPart.words(hearing(0), 2));
  }

  @Test
  void shouldNameWhatIsMissingWhenNobodyIsDeaf() {
    String words = ControlPart.words(hearing(49), 0);

    assertTrue(words.contains("b heard 49 of 50 of a"), words);
  }

  @Test
  void shouldLetTheMemberBeginThatReachesMostAddresses() {
    assertEquals("b", ControlPart.first(Topologies.TRIANGLE));
  }
}
