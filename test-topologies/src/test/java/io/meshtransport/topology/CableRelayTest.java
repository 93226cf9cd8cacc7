// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Cables through a program of ours: frames pass, late or not at all. */
@RequiresNamespaces
class CableRelayTest {
  private static final int DELAY_MS = 20;
  private static final int ROUNDS = 10;

  @Test
  void shouldPassEverythingAndDelayIt() {
    try (Scenario scenario = Scenario.relayed(Topologies.PAIR, Map.of())) {
      scenario.connect();
      scenario.exchange();

      scenario
          .fabric()
          .relay(scenario.cable())
          .impair(new Impairment(0, Duration.ofMillis(DELAY_MS), 0));

      assertTrue(oneWayMicros(scenario) >= DELAY_MS * 1000);
    }
  }

  private static double oneWayMicros(Scenario scenario) {
    long timeoutMs = Scenario.STEP.toMillis();
    scenario.node("b").send(new NodeCommand.Pong("a", ROUNDS, 8, timeoutMs));
    scenario.node("a").send(new NodeCommand.Ping("b", 0, ROUNDS, 8, Scenario.SEED, timeoutMs));
    scenario.node("b").awaitEvent(NodeEvent.Done.class, Scenario.STEP);
    return scenario.node("a").awaitEvent(NodeEvent.Latency.class, Scenario.STEP).p50Micros();
  }

  @Test
  void shouldLoseTheConfiguredShare() {
    try (Scenario scenario = Scenario.relayed(Topologies.PAIR, Map.of())) {
      scenario.fabric().relay(scenario.cable()).impair(Impairment.losing(100));

      assertThrows(NodeFailure.class, () -> scenario.mesh().connectAll(1, Duration.ofSeconds(1)));
    }
  }

  @Test
  void shouldRemoveTheCarrierOfBothEndsAndBringItBack() {
    try (Scenario scenario = Scenario.relayed(Topologies.PAIR, Map.of())) {
      scenario.fabric().cut(scenario.cable());
      assertThrows(NodeFailure.class, () -> scenario.mesh().connectAll(1, Duration.ofSeconds(1)));

      // A connect of b's that goes on over the mended cable would be a's to accept, and nobody's.
      scenario.node("b").awaitAnyEvent(Scenario.STEP);

      scenario.fabric().mend(scenario.cable());
      scenario.connect();
    }
  }

  @Test
  void shouldRefuseARelayWhereThereIsNone() {
    try (Fabric fabric = Fabric.namespaces(Topologies.PAIR)) {
      assertEquals(
          UnsupportedOperationException.class,
          assertThrows(
                  UnsupportedOperationException.class,
                  () -> fabric.relay(fabric.topology().cables().get(0)))
              .getClass());
    }
  }
}
