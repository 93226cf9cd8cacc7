// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.topology.Cable;
import io.meshtransport.topology.NodeCommand;
import io.meshtransport.topology.NodeCommand.Batch;
import io.meshtransport.topology.NodeEvent;
import io.meshtransport.topology.NodeEvent.Outcome;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.RunningMesh;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a healthy peer must survive with the default settings on real verbs: a cable that carries
 * nothing for a while, and a program that does not poll. With {@code -Dmesh.test.long=true
 * -Dmesh.test.ib.timeouts=14,15,16} it prints what each value of MESH_IB_TIMEOUT survives instead.
 */
@RequiresLab
class RoceHoleTest {
  private static final String A = "a";
  private static final String B = "b";
  private static final Topology PAIR = Topologies.PAIR.withMtu(GuestNic.MAX_MTU_BYTES);
  private static final Cable CABLE = PAIR.cables().get(0);
  private static final String ADDRESS_OF_B = "10.77.1.2";

  /** A hardware address that no NIC has. */
  private static final String NOWHERE = "02:00:00:00:00:77";

  private static final int ATTEMPTS = 3;
  private static final Duration TOLERANCE = Duration.ofMillis(300);
  private static final int MIB = 1 << 20;
  private static final int BUFFER_BYTES = 4 * MIB;
  private static final int RECEIVES = 32;
  private static final int MESSAGE_BYTES = 100;
  private static final Duration STEP = Duration.ofSeconds(120);
  private static final Duration MESSAGE = Duration.ofSeconds(60);

  /** Several times as long as a queue pair's retries take. */
  private static final Duration WITHOUT_LOOKING = Duration.ofSeconds(6);

  private static final List<Duration> HOLES =
      List.of(Duration.ofMillis(300), Duration.ofMillis(800), Duration.ofMillis(1200));
  private static final List<Batch> TRAFFIC =
      List.of(new Batch(1, BUFFER_BYTES - 1), new Batch(6, 3 * MIB + 1), new Batch(1, 1));
  private static final long SEED = Long.getLong("mesh.seed", System.nanoTime());
  private static final String TIMEOUTS = System.getProperty("mesh.test.ib.timeouts", "");

  private final Semaphore arrived = new Semaphore(0);

  private static LabFabric fabric;

  @BeforeAll
  static void boot() {
    System.out.println("messages follow from -Dmesh.seed=" + SEED);
    fabric = TestLab.boot(PAIR, LabOptions.STANDARD, Map.of("MESH_PROVIDER", "ibverbs"));
  }

  @AfterAll
  static void switchOff() {
    if (fabric != null) {
      fabric.close();
    }
  }

  @Test
  void shouldNeverMeetAReceiverThatIsNotReadyWhileAProgramDoesNotPoll() {
    try (RunningMesh mesh = start(MeshConfig.of(Map.of()).ibTimeout())) {
      assertNoReceiverIsNotReady(mesh);
    }
  }

  @Test
  void shouldSurviveHoles() {
    assumeTrue(
        Boolean.getBoolean("mesh.test.long"),
        "holes on real verbs take a minute; -Dmesh.test.long=true makes them");
    if (!TIMEOUTS.isEmpty()) {
      for (String timeout : TIMEOUTS.split(",")) {
        measure(Integer.parseInt(timeout));
      }
      return;
    }
    try (RunningMesh mesh = start(MeshConfig.of(Map.of()).ibTimeout())) {
      for (Duration hole : HOLES) {
        assertSurvives(mesh, hole);
      }
    }
  }

  /** A hole that a busy host has made much longer says nothing, and is made again. */
  private void assertSurvives(RunningMesh mesh, Duration hole) {
    Crossing crossing = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      crossing = cross(mesh, hole);
      if (crossing.failures().isEmpty()) {
        return;
      }
      assertTrue(crossing.length().compareTo(hole.plus(TOLERANCE)) > 0, crossing.toString());
    }
    assumeTrue(false, "this host is too busy for a hole of " + hole + ": " + crossing);
  }

  private RunningMesh start(int ibTimeout) {
    Map<String, String> settings =
        Map.of("MESH_TIMEOUT_MS", "20000", "MESH_IB_TIMEOUT", String.valueOf(ibTimeout));
    return RunningMesh.start(
        fabric,
        new NodeJvm(settings, GuestJvm.QUICK_START, false),
        (node, step) -> arrived.release());
  }

  /** B posts more receives than A has polled for, and A's program does something else. */
  private static void assertNoReceiverIsNotReady(RunningMesh mesh) {
    mesh.connectAll(BUFFER_BYTES, STEP);
    long patienceMs = STEP.toMillis();
    mesh.node(B).send(new NodeCommand.PostReceives(A, RECEIVES, MESSAGE_BYTES, patienceMs));
    mesh.node(B).awaitEvent(NodeEvent.Posted.class, STEP);
    LockSupport.parkNanos(WITHOUT_LOOKING.toNanos());
    mesh.node(A).send(new NodeCommand.PostSends(B, RECEIVES, MESSAGE_BYTES, patienceMs));
    mesh.node(A).awaitEvent(NodeEvent.Posted.class, STEP);
    for (String node : List.of(A, B)) {
      List<Outcome> outcomes =
          mesh.node(node).awaitEvent(NodeEvent.Outcomes.class, STEP).outcomes();
      assertEquals(RECEIVES, outcomes.size(), node);
      outcomes.forEach(each -> assertEquals(Outcome.DONE, each.result(), each::toString));
    }
    RdmaCounters sum = RdmaCounters.sumOf(fabric);
    assertEquals(0, sum.notReady(), sum.toString());
  }

  private void measure(int ibTimeout) {
    for (Duration hole : HOLES) {
      // A channel that failed is none for the next.
      try (RunningMesh mesh = start(ibTimeout)) {
        System.out.printf("MESH_IB_TIMEOUT %d: %s%n", ibTimeout, cross(mesh, hole));
      }
    }
  }

  /**
   * What became of the channels of a hole.
   *
   * @param length that it really had
   * @param failures of nodes; empty if nothing was lost
   */
  private record Crossing(Duration length, List<String> failures) {}

  /** Lets the cable carry nothing for so long while messages flow both ways. */
  private Crossing cross(RunningMesh mesh, Duration hole) {
    mesh.connectAll(BUFFER_BYTES, STEP);
    String script = script(hole);
    arrived.drainPermits();
    mesh.startExchange(TRAFFIC, SEED, MESSAGE);
    assertTrue(isSomethingThere(), "no traffic");
    // What A sends goes to an address that no NIC has, so B's acknowledgements are missing as well.
    // Carrier stays: without it Soft-RoCE knows that nothing was sent, and counts no retry.
    String[] seconds = fabric.run(A, "sh", "-c", script).strip().split("\\s+");
    int late = arrived.availablePermits();
    List<String> failures = new ArrayList<>();
    for (String node : List.of(A, B)) {
      NodeEvent heard = mesh.node(node).awaitAnyEvent(STEP);
      if (heard instanceof NodeEvent.Failed failed) {
        failures.add(node + " " + failed.reason());
      }
    }
    assertTrue(late < 2 * TRAFFIC.size() - 2, "after " + late + " more batches: too late");
    double length = Double.parseDouble(seconds[1]) - Double.parseDouble(seconds[0]);
    return new Crossing(Duration.ofMillis(Math.round(length * 1e3)), failures);
  }

  /** Prints when the hole began and when it ended, in seconds of the guest's clock. */
  private static String script(Duration hole) {
    String good = fabric.run(A, "ip", "neigh", "show", "to", ADDRESS_OF_B);
    String hardware = good.replaceAll("(?s).*lladdr (\\S+).*", "$1");
    String entry =
        "neigh replace %s dev %s nud permanent lladdr "
            .formatted(ADDRESS_OF_B, PAIR.interfaceName(CABLE, A));
    String clock = "read now idle </proc/uptime; echo $now >&3; ";
    return "( ( echo %s%s; %ssleep %.1f; echo %s%s; %s) | ip -batch - ) 3>&1"
        .formatted(entry, NOWHERE, clock, hole.toMillis() / 1e3, entry, hardware, clock);
  }

  private boolean isSomethingThere() {
    try {
      return arrived.tryAcquire(STEP.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
