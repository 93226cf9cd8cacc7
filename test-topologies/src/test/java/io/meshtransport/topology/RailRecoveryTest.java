// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two cables of which one is bad, for a while or for good. */
@RequiresNamespaces
class RailRecoveryTest {
  private static final Map<String, String> ONE_RAIL = Map.of("MESH_RAILS", "1");
  private static final Map<String, String> TWO_RAILS = Map.of("MESH_RAILS", "2");
  private static final Topology TWO_CABLES = Topologies.PAIR_TWO_CABLES;
  private static final Cable LEAD = TWO_CABLES.cables().get(0);
  private static final Cable OTHER = TWO_CABLES.cables().get(1);

  /** What a shaped cable of some 400 Mb/s carries in a few seconds. */
  private static final List<NodeCommand.Batch> MUCH =
      List.of(new NodeCommand.Batch(100, Scenario.MIB));

  private static final Impairment GOOD = new Impairment(0, Duration.ZERO, 400_000);
  private static final Impairment BAD = new Impairment(1, Duration.ofMillis(25), 2_000);

  /**
   * It may take this many times as long as the good cable alone, and a while more. Half of it over
   * the slow one would take three minutes.
   */
  private static final int TIMES = 2;

  private static final Duration A_WHILE = Duration.ofSeconds(20);
  private static final Duration HOLE = Duration.ofMillis(850);

  @Test
  void shouldUseACableAgainThatComesBackAlsoThePrimarys() {
    try (Scenario scenario = Scenario.on(TWO_CABLES, TWO_RAILS)) {
      scenario.connect();
      scenario.exchange();
      for (Cable cable : List.of(LEAD, OTHER, LEAD)) {
        scenario.fabric().cut(cable);
        scenario.exchange();
        scenario.fabric().mend(cable);
        exchangeUntilItCarries(scenario, cable);
      }
    }
  }

  /** The other is the only rail that is open until then. */
  private static void exchangeUntilItCarries(Scenario scenario, Cable cable) {
    long before = carried(scenario, cable);
    long deadlineNs = System.nanoTime() + Scenario.STEP.toNanos();
    while (carried(scenario, cable) - before < 4 * Scenario.MIB) {
      assertTrue(System.nanoTime() - deadlineNs < 0, cable + " is not used again");
      scenario.exchange();
    }
  }

  private static long carried(Scenario scenario, Cable cable) {
    String name = TWO_CABLES.interfaceName(cable, "b");
    return scenario.fabric().counters("b").stream()
        .filter(counters -> counters.name().equals(name))
        .mapToLong(InterfaceCounters::receivedBytes)
        .sum();
  }

  @Test
  void shouldNotWaitForACableThatIsSlowAndLoses() {
    Duration alone = timed(ONE_RAIL);
    Duration both = timed(TWO_RAILS);
    System.out.println(
        "100 MiB both ways: "
            + alone.toMillis()
            + " ms alone, "
            + both.toMillis()
            + " ms with a slow cable");
    assertTrue(
        both.compareTo(alone.multipliedBy(TIMES).plus(A_WHILE)) < 0,
        "the good cable alone takes " + alone + ", with the slow one " + both);
  }

  private static Duration timed(Map<String, String> settings) {
    try (Scenario scenario = Scenario.relayed(TWO_CABLES, settings)) {
      scenario.fabric().relay(LEAD).impair(GOOD);
      scenario.fabric().relay(OTHER).impair(BAD);
      scenario.connect();
      long startNs = System.nanoTime();
      expectAll(scenario.mesh().exchange(MUCH, Scenario.SEED, Scenario.STEP.multipliedBy(3)));
      return Duration.ofNanos(System.nanoTime() - startNs);
    }
  }

  private static void expectAll(Map<String, NodeEvent.Exchanged> arrived) {
    NodeEvent.Exchanged all =
        new NodeEvent.Exchanged(
            MUCH.get(0).count(), (long) MUCH.get(0).count() * MUCH.get(0).lengthBytes());
    assertEquals(Map.of("a", all, "b", all), arrived);
  }

  @Test
  void shouldLoseNothingInHolesOfOneCableAfterTheOther() {
    try (Scenario scenario = Scenario.relayed(TWO_CABLES, TWO_RAILS)) {
      scenario.connect();
      scenario.exchange();
      for (Cable cable : List.of(OTHER, LEAD, OTHER, LEAD)) {
        scenario.mesh().startExchange(MUCH, Scenario.SEED, Scenario.STEP);
        scenario.fabric().relay(cable).blackHole(HOLE);
        for (String node : List.of("a", "b")) {
          scenario.node(node).awaitEvent(NodeEvent.Exchanged.class, Scenario.STEP);
        }
        exchangeUntilItCarries(scenario, cable);
      }
    }
  }
}
