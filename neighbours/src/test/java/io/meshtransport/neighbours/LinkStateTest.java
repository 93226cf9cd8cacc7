// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import static io.meshtransport.neighbours.SimulatedMesh.MS_NS;
import static io.meshtransport.neighbours.SimulatedMesh.SECOND_NS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.neighbours.SimulatedMesh.Node;
import io.meshtransport.neighbours.SimulatedMesh.SimulatedCable;
import io.meshtransport.neighbours.linkstate.MeshEdge;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.stats.NeighbourCounter;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What nodes know of nodes behind their neighbours: {@link OwnRecord}, {@link
 * io.meshtransport.neighbours.linkstate.Flooding}, {@link
 * io.meshtransport.neighbours.linkstate.RecordListener}, {@link
 * io.meshtransport.neighbours.linkstate.RecordOutput}.
 */
class LinkStateTest {
  private final SimulatedMesh mesh = new SimulatedMesh(3);
  private final Node a = mesh.node("a");
  private final Node b = mesh.node("b");
  private final Node c = mesh.node("c");
  private final SimulatedCable ab = mesh.connect(a, b);
  private final SimulatedCable bc = mesh.connect(b, c);

  private void start() {
    mesh.nodes.forEach(Node::start);
    mesh.runFor(SECOND_NS);
    assertEquals("", TrueGraph.difference(mesh));
  }

  private static NodeRecord record(Node at, Node of) {
    return at.program.graph().nodes().get(of.id());
  }

  private static long counted(Node node, NeighbourCounter counter) {
    return node.program.counters().get(counter);
  }

  @Test
  void shouldKnowNodesAndCablesBehindANeighbour() {
    start();
    MeshGraph graph = a.program.graph();
    assertEquals(3, graph.nodes().size());
    assertEquals(2, graph.edges().size());
    MeshEdge edge = graph.edges().get(1);
    assertTrue(edge.touches(b.id()) && edge.touches(c.id()));
    assertEquals(c.id(), edge.peerOf(b.id()));
    assertEquals(10_000, edge.rateMbps());
    assertEquals(1500, edge.mtu());
    assertTrue(edge.latencyNs() >= 8_000 && edge.latencyNs() <= 60_000, edge.toString());
    assertEquals("c", record(a, c).name());
    assertEquals("eth1", record(a, c).interfaces().get(0).name());
    assertTrue(a.log.nodes.containsAll(List.of("appeared b", "appeared c")));
  }

  @Test
  void shouldSpreadServices() {
    start();
    c.perform(() -> c.program.publish("store", new byte[] {1, 2}, c.localNs()));
    mesh.runFor(SECOND_NS / 5);
    assertArrayEquals(new byte[] {1, 2}, record(a, c).services().get(0).handle());
    c.perform(() -> c.program.withdraw("store", c.localNs()));
    c.perform(() -> c.program.withdraw("none", c.localNs()));
    mesh.runFor(SECOND_NS / 5);
    assertEquals(List.of(), record(a, c).services());
  }

  @Test
  void shouldRefuseServicesThatDoNotFit() {
    start();
    c.program.publish("one", new byte[512], c.localNs());
    c.program.publish("two", new byte[512], c.localNs());
    String refusal =
        assertThrows(
                IllegalArgumentException.class,
                () -> c.program.publish("three", new byte[512], c.localNs()))
            .getMessage();
    assertTrue(refusal.contains("publish shorter handles"), refusal);
    for (int i = 0; i < NodeRecord.MAX_SERVICES - 2; i++) {
      c.program.publish("s" + i, new byte[10], c.localNs());
    }
    assertThrows(
        IllegalArgumentException.class, () -> c.program.publish("ninth", new byte[1], c.localNs()));
  }

  @Test
  void shouldReportCablesOfOthersWhenTheyComeAndGo() {
    start();
    mesh.runFor(5 * SECOND_NS);
    assertEquals(2, a.log.cables.get(a.log.cables.size() - 1));
    a.log.cables.clear();
    mesh.runFor(10 * SECOND_NS);
    assertEquals(List.of(), a.log.cables, "nothing has changed");
    mesh.runFor(90 * SECOND_NS);
    // A record that is refreshed has the latency of now, for each of two cables and two ends.
    assertTrue(a.log.cables.size() <= 3 * 4, "" + a.log.cables);
    a.log.cables.clear();
    mesh.cut(bc, true);
    mesh.runFor(SECOND_NS);
    assertEquals(List.of(1), a.log.cables);
    mesh.heal(bc);
    mesh.runFor(SECOND_NS);
    assertEquals(2, a.log.cables.get(a.log.cables.size() - 1));
  }

  @Test
  void shouldReportARestartBehindANeighbour() {
    start();
    c.start();
    mesh.runFor(SECOND_NS);
    assertEquals("", TrueGraph.difference(mesh));
    assertTrue(a.log.nodes.contains("changed c restarted"), a.log.nodes.toString());
  }

  @Test
  void shouldReportAGoodbyeBehindANeighbourAndARecordThatExpires() {
    start();
    c.leave();
    mesh.runFor(SECOND_NS / 10);
    assertTrue(a.log.nodes.contains("gone c"), a.log.nodes.toString());
    assertEquals(2, a.program.graph().nodes().size());
    b.kill();
    mesh.runFor(60 * SECOND_NS);
    assertEquals(2, a.program.graph().nodes().size());
    assertEquals(0, a.program.graph().edges().size());
    mesh.runFor(45 * SECOND_NS);
    assertEquals("gone b", a.log.nodes.get(a.log.nodes.size() - 1));
    assertEquals(1, a.program.database().size());
  }

  /** Its clock went back, or the host was copied: others know a later life of it. */
  @Test
  void shouldOutrunALaterLifeOfItself() {
    start();
    mesh.cut(bc, false);
    mesh.runFor(2 * SECOND_NS);
    for (int i = 0; i < 5; i++) {
      b.start();
      mesh.runFor(SECOND_NS / 10);
    }
    mesh.heal(bc);
    mesh.runFor(SECOND_NS);
    assertEquals(6, record(c, b).incarnation());
    b.kill();
    mesh.runFor(2 * SECOND_NS);
    // Its first life again.
    b.startAs(1);
    mesh.runFor(3 * SECOND_NS);
    assertEquals(7, b.program.identity().incarnation());
    assertEquals("", TrueGraph.difference(mesh));
    assertTrue(counted(b, NeighbourCounter.OWN_RECORD_OUTRUN) > 0);
  }

  @Test
  void shouldSendAgainWhatWasLost() {
    start();
    mesh.wire = new SimulatedMesh.Wire(30, 0, 10_000, 60_000);
    for (int i = 0; i < 50; i++) {
      c.perform(() -> c.program.publish("store", new byte[100], c.localNs()));
      c.perform(() -> c.program.withdraw("store", c.localNs()));
      mesh.runFor(100 * MS_NS);
    }
    assertTrue(
        counted(c, NeighbourCounter.RECORDS_RESENT) + counted(b, NeighbourCounter.RECORDS_RESENT)
            > 0);
    mesh.wire = SimulatedMesh.Wire.GOOD;
    mesh.runFor(12 * SECOND_NS);
    assertEquals("", TrueGraph.difference(mesh));
  }

  @Test
  void shouldConvergeWithASecret() {
    mesh.nodes.forEach(each -> each.secret = Optional.of(SharedSecret.of("0123456789abcdef")));
    start();
    mesh.cut(ab, false);
    mesh.runFor(2 * SECOND_NS);
    assertEquals("", TrueGraph.difference(mesh));
  }

  @Test
  void shouldKeepRecordsByRefreshingThem() {
    start();
    long before = record(a, c).sequence();
    mesh.runFor(600 * SECOND_NS);
    assertTrue(record(a, c).sequence() >= before + 19, "" + record(a, c).sequence());
    assertEquals("", TrueGraph.difference(mesh));
    assertEquals(List.of(), a.log.nodes.stream().filter(each -> each.startsWith("gone")).toList());
  }
}
