// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.jgroups.demo.CableUse;
import io.meshtransport.jgroups.demo.GroupDelivery;
import io.meshtransport.jgroups.demo.GroupDemoReport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GroupDemoTableTest {
  private static final GroupDemoReport REPORT =
      new GroupDemoReport(
          "pair",
          "soft",
          "all of it",
          List.of("a", "b"),
          List.of(
              new GroupDelivery(
                  "stock TCP",
                  Map.of("a", List.of("a", "b"), "b", List.of("b")),
                  50,
                  List.of(
                      new GroupDelivery.Pair("a", "b", 50, ""),
                      new GroupDelivery.Pair("b", "a", 0, "")))),
          List.of(new CableUse("a-b", "10.77.1.0/24", 1000, 1100, 12)),
          List.of("a to b"),
          List.of(
              new GroupDemoReport.Check("stock", true, false, "broken", 1500),
              new GroupDemoReport.Check("view", true, true, "of two", 20),
              new GroupDemoReport.Check("state", false, true, "1 of 2 bytes", 0)),
          "FAIL: state: 1 of 2 bytes");

  @Test
  void shouldShowWhatWasReceivedWhichCableCarriedItAndWhatWasFound() {
    assertEquals(
        """
        stock TCP  from a   from b    sees
        a          -        50 of 50  a b
        b          0 of 50  -         b

        pair  cable         bytes sent  on this cable  on all others
        a-b   10.77.1.0/24        1000           1100             12

        check                    s  found
        stock  for comparison  1.5  broken
        view   PASS            0.0  of two
        state  FAIL            0.0  1 of 2 bytes
        """,
        GroupDemoTable.of(REPORT).replace(System.lineSeparator(), "\n"));
  }

  @Test
  void shouldBeReadableAsJson() {
    JsonNode json = new ObjectMapper().valueToTree(REPORT);

    assertEquals("FAIL: state: 1 of 2 bytes", json.path("result").asText());
    assertEquals(
        0, json.path("deliveries").path(0).path("pairs").path(1).path("received").asInt(-1));
    assertEquals("b", json.path("deliveries").path(0).path("views").path("b").path(0).asText());
    assertEquals(1100, json.path("cables").path(0).path("ownBytes").asInt());
    assertTrue(json.path("cables").path(0).path("right").asBoolean());
    assertEquals("of two", json.path("checks").path(1).path("found").asText());
  }
}
