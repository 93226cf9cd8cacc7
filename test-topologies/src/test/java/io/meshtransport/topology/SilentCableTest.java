// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Cables that carry nothing for a while, lose a part, or whose address goes and comes back: TCP
 * survives all of that, and so must the software on top of it. And cables that stay silent.
 */
@RequiresNamespaces
class SilentCableTest {
  private static final boolean IS_LONG = Boolean.getBoolean("mesh.test.long");

  /** With {@code -Dmesh.test.long=true} all that TCP gets over differently. */
  private static final List<Integer> HOLES_MS =
      IS_LONG ? List.of(250, 500, 850, 1200) : List.of(250, 1200);

  /** Enough that some is in flight when a hole begins; the first batch shows that it flows. */
  private static final List<NodeCommand.Batch> TRAFFIC =
      List.of(
          new NodeCommand.Batch(1, 64),
          new NodeCommand.Batch(20, Scenario.MIB),
          new NodeCommand.Batch(2000, 64),
          new NodeCommand.Batch(20, Scenario.MIB));

  private static final List<NodeCommand.Batch> LITTLE =
      List.of(new NodeCommand.Batch(100, 64), new NodeCommand.Batch(2, Scenario.MIB));

  private static final Map<String, String> RAILS = Map.of("MESH_RAILS", "2");
  private static final Duration LOSSY = Duration.ofSeconds(IS_LONG ? 20 : 5);
  private static final Duration BOUND = Duration.ofSeconds(2);
  private static final Pattern SILENT = Pattern.compile("was silent for (\\d+) ms");

  /** Traffic that cannot end before the hole does, but ends well. */
  private static void passHole(Scenario scenario, Cable cable, int holeMs)
      throws InterruptedException {
    scenario.startTraffic(TRAFFIC);
    long beginNs = System.nanoTime();
    scenario.fabric().relay(cable).blackHole(Duration.ofMillis(holeMs));
    scenario.expectTraffic(TRAFFIC);
    assertTrue(
        System.nanoTime() - beginNs >= holeMs * 1_000_000L, "the traffic was over before the hole");
  }

  @Test
  void shouldLoseNothingInHolesOfTheOnlyCable() throws InterruptedException {
    try (Scenario scenario = Scenario.relayed(Topologies.PAIR, Map.of())) {
      scenario.connect();
      for (int holeMs : HOLES_MS) {
        passHole(scenario, scenario.cable(), holeMs);
      }
    }
  }

  @Test
  void shouldLoseNothingInHolesOfTwoRailsInTurn() throws InterruptedException {
    try (Scenario scenario = Scenario.relayed(Topologies.PAIR_TWO_CABLES, RAILS)) {
      scenario.connect();
      List<Cable> cables = scenario.fabric().topology().cables();
      for (int i = 0; i < HOLES_MS.size(); i++) {
        scenario.startTraffic(TRAFFIC);
        scenario
            .fabric()
            .relay(cables.get(i % cables.size()))
            .blackHole(Duration.ofMillis(HOLES_MS.get(i)));
        scenario.expectTraffic(TRAFFIC);
      }
    }
  }

  @Test
  void shouldLoseNothingWhereFivePercentAreLost() throws InterruptedException {
    try (Scenario scenario = Scenario.relayed(Topologies.PAIR, Map.of())) {
      scenario.connect();
      scenario.fabric().relay(scenario.cable()).impair(Impairment.losing(5));
      long endNs = System.nanoTime() + LOSSY.toNanos();
      while (System.nanoTime() - endNs < 0) {
        scenario.startTraffic(LITTLE);
        scenario.expectTraffic(LITTLE);
      }
    }
  }

  /** Where five percent are lost it happens that all repeats within the bound are among them. */
  @Test
  void shouldLoseNothingWhereChanceMeetsEveryRepeatWithinTheBound() throws InterruptedException {
    try (Scenario scenario = Scenario.relayed(Topologies.PAIR, Map.of())) {
      scenario.connect();
      scenario.startTraffic(TRAFFIC);
      scenario.fabric().relay(scenario.cable()).loseEstablished(BOUND.plusMillis(900));
      scenario.expectTraffic(TRAFFIC);
    }
  }

  @Test
  void shouldLoseNothingWhenAnAddressIsAwayForAWhile() throws InterruptedException {
    try (Scenario scenario = Scenario.relayed(Topologies.PAIR, Map.of())) {
      scenario.connect();
      for (String node : List.of("a", "b")) {
        for (int awayMs : IS_LONG ? List.of(50, 500) : List.of(500)) {
          scenario.startTraffic(TRAFFIC);
          scenario.fabric().removeAddress(scenario.cable(), node);
          scenario.expectNoFailureFor(Duration.ofMillis(awayMs));
          scenario.fabric().mend(scenario.cable());
          scenario.expectTraffic(TRAFFIC);
        }
      }
    }
  }

  @Test
  void shouldGiveUpAPeerBehindACableThatStaysSilentAndSayForHowLongItWas()
      throws InterruptedException {
    // A node that expects nothing just then probes after a quarter of its time-out.
    Map<String, String> timeout = Map.of("MESH_TIMEOUT_MS", "8000");
    try (Scenario scenario = Scenario.relayed(Topologies.PAIR, timeout)) {
      scenario.connect();
      scenario.startTraffic(Scenario.LONG);

      scenario.fabric().relay(scenario.cable()).blackHole(Scenario.STEP);

      long beginNs = System.nanoTime();
      for (String node : List.of("a", "b")) {
        NodeEvent.Failed failed =
            (NodeEvent.Failed) scenario.node(node).awaitAnyEvent(Scenario.STEP);
        Scenario.assertTyped(failed);
        assertTrue(silentMs(failed.text()) >= BOUND.toMillis(), failed.text());
      }
      Duration took = Duration.ofNanos(System.nanoTime() - beginNs);
      System.out.println("a silent peer was given up after " + took);
      assertTrue(took.compareTo(BOUND) >= 0, "it was given up after " + took);
      assertTrue(took.compareTo(BOUND.multipliedBy(10)) < 0, "it was given up after " + took);
    }
  }

  private static long silentMs(String text) {
    Matcher found = SILENT.matcher(text);
    assertTrue(found.find(), text);
    return Long.parseLong(found.group(1));
  }

  @Test
  void shouldSayThatAProcessWasKilled() throws InterruptedException {
    try (Scenario scenario = Scenario.on(Topologies.PAIR)) {
      scenario.connect();
      scenario.startTraffic();

      scenario.node("b").kill();

      NodeEvent.Failed failed = (NodeEvent.Failed) scenario.node("a").awaitAnyEvent(Scenario.STEP);
      assertTrue(
          failed.reason().equals(TransportException.Reason.PEER_GONE.name())
              && failed.text().contains("connection: its process has ended or gave it up"),
          failed.text());
    }
  }
}
