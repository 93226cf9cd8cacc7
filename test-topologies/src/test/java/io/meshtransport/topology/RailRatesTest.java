package io.meshtransport.topology;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Measures what a second cable brings, on cables whose rate is limited: all cases in turn, several
 * times, on the same host. Prints; how fast a host is, is no test.
 */
@RequiresNamespaces
@EnabledIfSystemProperty(
    named = "mesh.measure",
    matches = "true",
    disabledReason = "a measurement of half a minute: -Dmesh.measure=true")
class RailRatesTest {
  private static final int FAST_MBPS = 1000;
  private static final int SLOW_MBPS = 250;
  private static final int ROUNDS = Integer.getInteger("mesh.measure.rounds", 3);
  private static final int MESSAGES = 240;
  private static final int DEPTH = Integer.getInteger("mesh.measure.depth", 8);

  private static final Cable FIRST = Topologies.PAIR_TWO_CABLES.cables().get(0);
  private static final Cable SECOND = Topologies.PAIR_TWO_CABLES.cables().get(1);

  @Test
  void shouldPrintWhatASecondCableBrings() {
    Map<String, Scenario> cases = new LinkedHashMap<>();
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    try {
      cases.put("one", open(1, FIRST.withRate(FAST_MBPS)));
      cases.put("equal", open(2, FIRST.withRate(FAST_MBPS), SECOND.withRate(FAST_MBPS)));
      cases.put("unequal", open(2, FIRST.withRate(FAST_MBPS), SECOND.withRate(SLOW_MBPS)));
      cases.put("slow lead", open(2, FIRST.withRate(SLOW_MBPS), SECOND.withRate(FAST_MBPS)));
      cases.keySet().forEach(name -> rates.put(name, new ArrayList<>()));
      for (int round = 0; round < ROUNDS; round++) {
        cases.forEach((name, scenario) -> rates.get(name).add(stream(scenario)));
      }
    } finally {
      cases.values().forEach(Scenario::close);
    }
    rates.forEach((name, each) -> print(name, each, rates.get("one")));
  }

  private static Scenario open(int rails, Cable... cables) {
    Topology topology = new Topology("rates", List.of("a", "b"), List.of(cables));
    Scenario scenario = Scenario.on(topology, Map.of("MESH_RAILS", String.valueOf(rails)));
    scenario.mesh().connectAll(DEPTH * Scenario.MIB, Scenario.STEP);
    return scenario;
  }

  /** Answers millions of bytes per second. */
  private static double stream(Scenario scenario) {
    long timeoutMs = Scenario.STEP.toMillis();
    scenario
        .node("b")
        .tell(
            new NodeCommand.StreamIn("a", MESSAGES, Scenario.MIB, DEPTH, Scenario.SEED, timeoutMs));
    scenario
        .node("a")
        .tell(
            new NodeCommand.StreamOut(
                "b", MESSAGES, Scenario.MIB, DEPTH, Scenario.SEED, timeoutMs));
    double rate =
        scenario.node("a").hear(NodeEvent.Throughput.class, Scenario.STEP).megabytesPerSecond();
    scenario.node("b").hear(NodeEvent.Done.class, Scenario.STEP);
    return rate;
  }

  private static void print(String name, List<Double> rates, List<Double> alone) {
    System.out.printf(
        Locale.ROOT,
        "%-10s %s MB/s, median %.1f, %.2f x one cable%n",
        name,
        rates,
        median(rates),
        median(rates) / median(alone));
  }

  private static double median(List<Double> rates) {
    return rates.stream().sorted().skip(rates.size() / 2).findFirst().orElseThrow();
  }
}
