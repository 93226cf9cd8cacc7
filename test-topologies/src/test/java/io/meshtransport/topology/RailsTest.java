// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two cables between two nodes carry the messages of one channel. */
@RequiresNamespaces
class RailsTest {
  private static final Map<String, String> TWO_RAILS = Map.of("MESH_RAILS", "2");

  /** All of the traffic then takes more than a second, and a cut a few hundredths of one. */
  private static final int SLOW_MBPS = 2000;

  private static final Topology TWO_SLOW_CABLES =
      new Topology(
          "pair-two-slow-cables",
          Topologies.PAIR_TWO_CABLES.nodes(),
          Topologies.PAIR_TWO_CABLES.cables().stream()
              .map(cable -> cable.withRate(SLOW_MBPS))
              .toList());

  @Test
  void shouldCarryEveryByteOverBothCables() throws InterruptedException {
    try (Scenario scenario = Scenario.on(Topologies.PAIR_TWO_CABLES, TWO_RAILS)) {
      scenario.connect();
      scenario.exchange();
      // A rail that seems slow because the host is busy is tried again a second later.
      long deadlineNs = System.nanoTime() + Scenario.STEP.toNanos();
      do {
        scenario.startTraffic();
        assertAllArrives(scenario);
      } while (!allHaveAShare(scenario) && System.nanoTime() - deadlineNs < 0);
      assertTrue(allHaveAShare(scenario), cables(scenario).toString());
    }
  }

  /** That there is a share, not how large it is: these cables are as fast as the host. */
  private static boolean allHaveAShare(Scenario scenario) {
    return cables(scenario).stream().allMatch(each -> each.receivedBytes() > longBytes() / 100);
  }

  /**
   * @param cut the first is the primary's
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldLoseNothingWhenOneOfTwoCablesIsCutInMidMessage(int cut) throws InterruptedException {
    try (Scenario scenario = Scenario.on(TWO_SLOW_CABLES, TWO_RAILS)) {
      scenario.connect();
      scenario.startTraffic();
      awaitLongMessages(scenario, cut);

      scenario.fabric().cut(TWO_SLOW_CABLES.cables().get(cut));

      long before = cables(scenario).stream().mapToLong(InterfaceCounters::receivedBytes).sum();
      assertTrue(before < longBytes() / 2, "cut after " + before + " bytes: too late");
      assertAllArrives(scenario);
      scenario.exchange();
    }
  }

  /**
   * Until the cable has carried a part of the first of them. Each check starts a process, so checks
   * are rare.
   */
  private static void awaitLongMessages(Scenario scenario, int cable) {
    String name = TWO_SLOW_CABLES.interfaceName(TWO_SLOW_CABLES.cables().get(cable), "b");
    long deadlineNs = System.nanoTime() + Scenario.STEP.toNanos();
    while (cables(scenario).stream()
        .noneMatch(each -> each.name().equals(name) && each.receivedBytes() > Scenario.MIB / 8)) {
      assertTrue(System.nanoTime() - deadlineNs < 0, "nothing comes by " + name);
    }
  }

  private static void assertAllArrives(Scenario scenario) {
    long messages = Scenario.LONG.stream().mapToLong(NodeCommand.Batch::count).sum();
    for (String node : List.of("a", "b")) {
      NodeEvent.Exchanged all =
          scenario.node(node).awaitEvent(NodeEvent.Exchanged.class, Scenario.STEP);
      assertEquals(new NodeEvent.Exchanged(messages, longBytes()), all);
    }
  }

  private static long longBytes() {
    return Scenario.LONG.stream()
        .mapToLong(batch -> (long) batch.count() * batch.lengthBytes())
        .sum();
  }

  private static List<InterfaceCounters> cables(Scenario scenario) {
    return scenario.fabric().counters("b").stream()
        .filter(counters -> counters.name().startsWith("to-"))
        .toList();
  }
}
