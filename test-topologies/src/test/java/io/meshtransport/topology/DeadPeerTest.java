// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A peer dies, by itself or with its cable. Promise: no request waits longer than twice the
 * time-out.
 */
@RequiresNamespaces
class DeadPeerTest {
  private static final int OUTSTANDING = 32;
  private static final Duration PROMISE = Scenario.TIMEOUT.multipliedBy(2);

  private static void postSends(Scenario scenario) {
    scenario
        .node("a")
        .send(new NodeCommand.PostSends("b", OUTSTANDING, Scenario.MIB, 2 * PROMISE.toMillis()));
    scenario.node("a").awaitEvent(NodeEvent.Posted.class, Scenario.STEP);
  }

  /** Hears how they ended, which must be in the promised time, counted from now. */
  private static void assertAllFailTyped(Scenario scenario) {
    long begin = System.nanoTime();
    List<NodeEvent.Outcome> outcomes =
        scenario.node("a").awaitEvent(NodeEvent.Outcomes.class, Scenario.STEP).outcomes();
    Duration took = Duration.ofNanos(System.nanoTime() - begin);

    assertEquals(OUTSTANDING, outcomes.size());
    for (NodeEvent.Outcome outcome : outcomes) {
      assertEquals(
          TransportException.Reason.PEER_GONE.name(), outcome.result(), outcome.toString());
      assertFalse(outcome.text().isBlank(), outcome.toString());
    }
    assertTrue(took.compareTo(PROMISE) < 0, took + " until all had failed");
  }

  @Test
  void shouldFailEveryOutstandingSendWhenThePeerIsKilled() {
    try (Scenario scenario = Scenario.on(Topologies.PAIR)) {
      scenario.connect();
      postSends(scenario);

      scenario.node("b").kill();

      assertAllFailTyped(scenario);
    }
  }

  @Test
  void shouldFailEveryOutstandingSendWhenThePeerDiesBehindACutCable() {
    try (Scenario scenario = Scenario.on(Topologies.PAIR)) {
      scenario.connect();
      postSends(scenario);

      // Not even a RST gets through.
      scenario.fabric().cut(scenario.fabric().topology().cables().get(0));
      scenario.node("b").kill();

      assertAllFailTyped(scenario);
    }
  }

  @Test
  void shouldFailTheMessageInFlightWhenThePeerIsKilled() throws InterruptedException {
    try (Scenario scenario = Scenario.on(Topologies.TRIANGLE)) {
      scenario.connect();
      scenario.startTraffic();

      scenario.node("b").kill();

      long begin = System.nanoTime();
      for (String node : List.of("a", "c")) {
        NodeEvent event = scenario.node(node).awaitAnyEvent(Scenario.STEP);
        Scenario.assertTyped((NodeEvent.Failed) event);
      }
      // The channel between a and c lives on and delivers the rest of the traffic, which is what
      // the nodes wait for; the promise is about the channels to b.
      assertTrue(System.nanoTime() - begin < Scenario.STEP.toNanos());
    }
  }
}
