// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.handshake.HandleFormatException;
import io.meshtransport.handshake.PeerHandle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Things happen to a peer, a cable or a port, and pass. */
@RequiresNamespaces
class DisturbedLinkTest {
  private static final Duration PAUSE = Duration.ofSeconds(3);
  private static final int SCANS = 2000;

  @Test
  void shouldLoseNothingWhenAPeerStopsForAWhile() throws InterruptedException {
    try (Scenario scenario = Scenario.on(Topologies.PAIR)) {
      scenario.connect();
      scenario.startTraffic();

      scenario.node("b").pause();
      Awaitility.await()
          .during(PAUSE)
          .atMost(Scenario.STEP)
          .until(() -> isStopped(scenario.node("b").pid()));
      scenario.node("b").resume();

      long messages = Scenario.LONG.stream().mapToLong(NodeCommand.Batch::count).sum();
      for (String node : List.of("a", "b")) {
        assertEquals(
            messages,
            scenario.node(node).awaitEvent(NodeEvent.Exchanged.class, Scenario.STEP).messages());
      }
    }
  }

  private static boolean isStopped(long pid) throws IOException {
    // The third field, after the name in parentheses: T is stopped, see proc_pid_stat(5).
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).startsWith("T");
  }

  @Test
  void shouldFailTypedWhenACableIsCutAndConnectAgainWhenItIsMended() throws InterruptedException {
    try (Scenario scenario = Scenario.on(Topologies.PAIR)) {
      Cable cable = scenario.fabric().topology().cables().get(0);
      scenario.connect();
      scenario.startTraffic();

      scenario.fabric().cut(cable);
      for (String node : List.of("a", "b")) {
        Scenario.assertTyped(
            (NodeEvent.Failed) scenario.node(node).awaitAnyEvent(Scenario.TIMEOUT.multipliedBy(2)));
      }
      scenario.fabric().mend(cable);

      scenario.connect();
      scenario.exchange();
    }
  }

  @Test
  void shouldSurviveAShortCut() throws InterruptedException {
    try (Scenario scenario = Scenario.on(Topologies.PAIR)) {
      Cable cable = scenario.fabric().topology().cables().get(0);
      scenario.connect();
      scenario.startTraffic();

      scenario.fabric().cut(cable);
      scenario.fabric().mend(cable);

      for (String node : List.of("a", "b")) {
        scenario.node(node).awaitEvent(NodeEvent.Exchanged.class, Scenario.STEP);
      }
    }
  }

  @Test
  void shouldConnectWhileThePortIsScanned() throws HandleFormatException {
    try (Scenario scenario = Scenario.on(Topologies.PAIR);
        NodeProcess scanner = scenario.mesh().startProcess("b")) {
      PeerHandle target = PeerHandle.decode(scenario.mesh().opened("a").handle());
      scanner.send(
          new NodeCommand.ScanPort("10.77.1.1", target.handshakePort(), SCANS, Scenario.SEED));

      scenario.connect();
      scenario.exchange();

      scanner.awaitEvent(NodeEvent.Done.class, Scenario.STEP);
      scenario.connect();
      scenario.exchange();
    }
  }
}
