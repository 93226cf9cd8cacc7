// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.PlanFile;
import io.meshtransport.collectives.plan.PlanText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link PlanExchange} at rank 0: a plan of what was measured, or one that a file pins. */
class PlanExchangeTest {
  private static final List<JoinedGraph.Link> PAIR =
      List.of(new JoinedGraph.Link(0, 1, 100_000_000, 10_000, false));

  private static GroupMembership members(String... names) {
    return new GroupMembership("g", "g", 0, List.of(names), 0);
  }

  @Test
  void shouldPlanForTheMembers() {
    byte[] plan = PlanExchange.plan(PAIR, members("a", "b"), false, Optional.empty());
    assertEquals(List.of("a", "b"), CollectivePlan.decoded(plan).graph().names());
    IllegalArgumentException apart =
        assertThrows(
            IllegalArgumentException.class,
            () -> PlanExchange.plan(PAIR, members("a", "b", "c"), false, Optional.empty()));
    assertTrue(apart.getMessage().contains("no link joins"), apart.getMessage());
  }

  private static CollectivePlan triangle(boolean isSteady) {
    List<JoinedGraph.Link> links =
        List.of(
            new JoinedGraph.Link(0, 1, 117_000_000, 16_384, false, 0, isSteady),
            new JoinedGraph.Link(0, 2, 59_000_000, 16_384, false, 0, isSteady),
            new JoinedGraph.Link(1, 2, 116_000_000, 16_384, false, 0, isSteady));
    GroupMembership members = members("a", "b", "c");
    CollectivePlan plan =
        CollectivePlan.decoded(PlanExchange.plan(links, members, false, Optional.empty()));
    String text = PlanText.measured(plan, PlanExchange.graph(links, members));
    assertEquals(
        !isSteady,
        text.contains("as measured (a-c 0.5 of the fastest): bound 1.25 Gbit/s, of"),
        text);
    assertTrue(text.isEmpty() || text.contains("60 %"), text);
    return plan;
  }

  /** Two cables of 1 Gb/s, and one of half of that: the bound is 1.25 times the rate. */
  @Test
  void shouldPlanForTheRateOfASlowCableWhereItsMeasurementsAgree() {
    CollectivePlan steady = triangle(true);
    assertEquals(156_250_000, steady.boundBytesPerSecond(), 1000);
    assertEquals(62_500_000, steady.graph().bytesPerSecond(0, 2));
    assertEquals(187_500_000, triangle(false).boundBytesPerSecond(), 1000, "it may be as fast");
  }

  @Test
  void shouldUseThePlanThatAFilePins(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("plan.txt");
    byte[] slow =
        PlanExchange.plan(
            List.of(new JoinedGraph.Link(0, 1, 1_000, 10_000, false)),
            members("a", "b"),
            false,
            Optional.empty());
    PlanFile.write(file, CollectivePlan.decoded(slow));
    assertArrayEquals(slow, PlanExchange.plan(PAIR, members("a", "b"), false, Optional.of(file)));
    IllegalArgumentException foreign =
        assertThrows(
            IllegalArgumentException.class,
            () -> PlanExchange.plan(PAIR, members("b", "a"), false, Optional.of(file)));
    assertTrue(foreign.getMessage().contains("MESH_PLAN"), foreign.getMessage());
    Files.writeString(file, "# no plan\n00");
    for (Path each : List.of(file, folder.resolve("missing"))) {
      IllegalArgumentException unread =
          assertThrows(
              IllegalArgumentException.class,
              () -> PlanExchange.plan(PAIR, members("a", "b"), false, Optional.of(each)));
      assertTrue(unread.getMessage().contains(each.toString()), unread.getMessage());
    }
  }
}
