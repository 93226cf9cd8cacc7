// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs too short for their figures to mean anything: they must be there, on both sides.
 *
 * <p>Also tests {@link BenchNodeCommand}, {@link BenchEvent}, {@link BenchNode}, {@link BenchCase},
 * {@link Metric}, {@link FlightRecording}, {@link RunResult} and {@link NodePair}.
 */
@Tag("namespaces")
class SoftBenchTest {
  private static final double SHORT = 0.1;

  private static void requireNamespaces() {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    Assumptions.assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle);
  }

  private static BenchReport run(String only, PeerPrograms programs, List<String> steps) {
    requireNamespaces();
    try (Fabric fabric = Fabric.namespaces(SoftBench.topology())) {
      return new SoftBench(
              fabric,
              new BenchPlan(2, SHORT, SHORT, only),
              NodeJvm.withTimeout(20_000),
              programs,
              Optional.empty(),
              steps::add)
          .run();
    }
  }

  @Test
  void shouldMeasureOursBesideASocket() {
    List<String> steps = new ArrayList<>();

    BenchReport report = run("8 B parking blocking", PeerPrograms.none(), steps);

    JsonNode json = new ObjectMapper().valueToTree(report);
    assertTrue(json.path("machine").asText().contains("cores"), json.toString());
    assertEquals(1, json.path("cases").size(), json.toString());
    JsonNode only = json.path("cases").get(0);
    assertEquals("ping-pong 8 B parking", only.path("name").asText());
    assertEquals("blocking SocketChannel", only.path("peerName").asText());
    assertEquals("us", only.path("unit").asText());
    for (String number : List.of("ours", "peer", "ratio")) {
      assertTrue(only.path(number).asDouble() > 0, only.toString());
    }
    assertEquals(2, only.path("ratios").size(), only.toString());
    assertEquals(
        2, steps.stream().filter(step -> step.contains(" of 2: ")).count(), steps.toString());
    assertEquals(2, report.skipped().size(), "iperf3 and ucx_perftest: " + report.skipped());
  }

  @Test
  void shouldRunTheProgramsOfOthersThatAreHere() {
    PeerPrograms present = PeerPrograms.present();
    Assumptions.assumeTrue(present.missing().isEmpty(), () -> present.missing().toString());
    requireNamespaces();
    try (Fabric fabric = Fabric.namespaces(SoftBench.topology())) {
      List<MeasuredSystem> peers =
          List.of(new Iperf(fabric), UcxPerf.rate(fabric, 64), UcxPerf.latency(fabric, 8));
      for (MeasuredSystem each : peers) {
        assertTrue(each.measure(SHORT, 1).get(0) > 0, each.name());
      }
    }
  }

  @Test
  void shouldRefuseANameThatNoCaseHas() {
    NothingToMeasureException refused =
        assertThrows(
            NothingToMeasureException.class,
            () -> run("no such case", PeerPrograms.none(), new ArrayList<>()));

    assertTrue(refused.getMessage().contains("no such case"), refused.getMessage());
  }

  @Test
  void shouldSayThatTheProgramOfTheOnlyCaseWantedIsMissing() {
    NothingToMeasureException refused =
        assertThrows(
            NothingToMeasureException.class,
            () ->
                new BenchPlan(1, 1, 1, "iperf").required(List.of(), PeerPrograms.none().missing()));

    assertTrue(refused.getMessage().contains("apt-get install iperf3"), refused.getMessage());
    assertFalse(refused.getMessage().contains("ucx"), refused.getMessage());
  }

  @Test
  void shouldRefuseAPlanOutOfBounds() {
    assertThrows(IllegalArgumentException.class, () -> new BenchPlan(0, 1, 1, ""));
    assertThrows(IllegalArgumentException.class, () -> new BenchPlan(1, 0, 1, ""));
    assertThrows(IllegalArgumentException.class, () -> new BenchPlan(1, 1, Double.NaN, ""));
    assertThrows(IllegalArgumentException.class, () -> new BenchPlan(1, 1, 0.01, ""));
  }
}
