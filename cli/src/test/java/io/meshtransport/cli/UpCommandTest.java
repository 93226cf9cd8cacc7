// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.neighbours.verdict.CableCut;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.spi.FreePorts;
import java.io.IOException;
import java.net.DatagramSocket;
import java.time.LocalTime;
import org.junit.jupiter.api.Test;

/** {@link UpCommand} and {@link MeshEvents}. */
class UpCommandTest {
  private static final NodeId B = new NodeId(1, 2);

  private final MeshEvents events = new MeshEvents(() -> LocalTime.of(9, 5, 7, 12_000_000));

  @Test
  void shouldJoinAndLeaveAfterTheTime() throws IOException {
    int port;
    port = FreePorts.next();
    System.setProperty("mesh.neighbour_port", String.valueOf(port));
    try {
      Cli run = Cli.run("up", "--for", "0.5");
      assertEquals(0, run.status(), run.err());
      assertTrue(run.out().contains("says hello on UDP port " + port), run.out());
      try (DatagramSocket other = new DatagramSocket(port)) {
        Cli second = Cli.run("up", "--for", "0.5");
        assertEquals(1, second.status(), "port " + other.getLocalPort());
        assertTrue(second.err().contains("MESH_NEIGHBOUR_PORT"), second.err());
      }
    } finally {
      System.clearProperty("mesh.neighbour_port");
    }
  }

  @Test
  void shouldRefuseATimeThatIsNone() {
    assertEquals(2, Cli.run("up", "--for", "-1").status());
    assertEquals(2, Cli.run("up", "--for", "NaN").status());
  }

  @Test
  void shouldPrintALinePerEvent() throws InterruptedException {
    events.verdict(new NodeVerdict(B, "b", 1, NodeState.STUCK, "its host accepts connections"));
    events.cableCut(new CableCut(new AdjacencyId(1, B, 1), "b", "eth1 - b/eth0: silent"));
    Finding finding = new Finding(FindingKind.ONE_WAY, "eth1", "Nothing comes.", "Replace it.");
    events.found(finding);
    events.cleared(finding);

    assertEquals("09:05:07.012  node   b stuck: its host accepts connections", events.next(0));
    assertEquals("09:05:07.012  cut    eth1 - b/eth0: silent", events.next(0));
    assertEquals("09:05:07.012  wrong  eth1: Nothing comes. Replace it.", events.next(0));
    assertEquals("09:05:07.012  right  eth1: no longer so: Nothing comes.", events.next(0));
    assertNull(events.next(0));
  }

  @Test
  void shouldCountLinesThatWereNotReadInTime() throws InterruptedException {
    NodeVerdict verdict = new NodeVerdict(B, "b", 1, NodeState.ALIVE, "heard");
    for (int i = 0; i < MeshEvents.MAX_WAITING + 3; i++) {
      events.verdict(verdict);
    }
    for (int i = 0; i < MeshEvents.MAX_WAITING; i++) {
      assertEquals("09:05:07.012  node   b alive: heard", events.next(0));
    }
    events.verdict(verdict);
    assertEquals("09:05:07.012  lost   3 lines, not read in time", events.next(0));
    assertEquals("09:05:07.012  node   b alive: heard", events.next(0));
  }
}
