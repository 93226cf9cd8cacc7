// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import static io.meshtransport.neighbours.SimulatedMesh.MS_NS;
import static io.meshtransport.neighbours.SimulatedMesh.SECOND_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.neighbours.SimulatedMesh.Node;
import io.meshtransport.neighbours.SimulatedMesh.SimulatedCable;
import io.meshtransport.neighbours.SimulatedMesh.SimulatedEnd;
import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.AdjacencyState;
import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.neighbours.adjacency.HelloInterface;
import io.meshtransport.neighbours.stats.NeighbourCounter;
import io.meshtransport.neighbours.wire.DatagramHeader;
import io.meshtransport.neighbours.wire.DatagramSeal;
import io.meshtransport.neighbours.wire.DatagramType;
import io.meshtransport.neighbours.wire.NeighbourHello;
import io.meshtransport.nic.AddressText;
import io.meshtransport.nic.LinkAddress;
import java.net.Inet6Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Hellos, adjacencies and findings of {@link NeighbourNode} on a simulated wire: {@link
 * HelloInterface}, {@link io.meshtransport.neighbours.adjacency.Hellos}, {@link
 * io.meshtransport.neighbours.adjacency.HelloOutput}, {@link
 * io.meshtransport.neighbours.adjacency.AdjacencyListener}, {@link
 * io.meshtransport.neighbours.adjacency.AdjacencyId}, {@link
 * io.meshtransport.neighbours.adjacency.DownReason}, {@link
 * io.meshtransport.neighbours.adjacency.CableEvidence}, {@link FindingWatch}, {@link
 * io.meshtransport.neighbours.stats.NeighbourCounters}, {@link NeighbourListener}, {@link
 * DatagramPort}.
 */
class NeighbourNodeTest {
  private final SimulatedMesh mesh = new SimulatedMesh(1);
  private final Node a = mesh.node("a");
  private final Node b = mesh.node("b");

  private SimulatedCable startedPair() {
    SimulatedCable cable = mesh.connect(a, b);
    a.start();
    b.start();
    mesh.runFor(SECOND_NS / 10);
    return cable;
  }

  private static long counted(Node node, NeighbourCounter counter) {
    return node.program.counters().get(counter);
  }

  private void assertLog(Node node, String... lines) {
    assertEquals(List.of(lines), node.log.lines, node.name);
  }

  @Test
  void shouldKnowTheLinkLocalAddressOfANeighbourWithoutAnotherOverTheFasterCable() {
    SimulatedCable slow = mesh.connect(a, b);
    SimulatedCable fast = mesh.connect(a, b);
    SimulatedEnd there = fast.ends.get(1);
    List<LinkAddress> addresses = there.local.addresses();
    mesh.change(there, new CableInterface(2, "eth2", 1500, 25_000, addresses));
    a.start();
    b.start();
    mesh.runFor(2 * SECOND_NS);
    Inet6Address known = (Inet6Address) a.program.linkLocalAddress(b.id()).orElseThrow();
    assertEquals(there.address, known);
    assertEquals(2, known.getScopeId(), "this node's interface");
    assertEquals(Optional.empty(), a.program.linkLocalAddress(a.id()));

    SimulatedEnd configured = slow.ends.get(1);
    LinkAddress subnet = LinkAddress.parse("10.0.1.2/24");
    mesh.change(configured, new CableInterface(1, "eth1", 1500, 10_000, List.of(subnet)));
    mesh.runFor(2 * SECOND_NS);
    assertEquals(Optional.empty(), a.program.linkLocalAddress(b.id()));
  }

  @Test
  void shouldBringACableUpInMilliseconds() {
    SimulatedCable cable = mesh.connect(a, b);
    a.start();
    mesh.runFor(3 * SECOND_NS / 10);
    b.start();
    mesh.runFor(20 * MS_NS);
    assertLog(a, "up b/eth1");
    assertLog(b, "up a/eth1");
    Adjacency up = a.program.adjacencies().get(0);
    assertEquals(b.id(), up.id().peer());
    assertEquals(AdjacencyState.UP, up.state());
    assertEquals(1, up.id().peerInterfaceIndex());
    assertEquals(cable.ends.get(1).address, up.source());
    assertTrue(up.latencyNs() == 0 || up.latencyNs() >= 10_000, "" + up.latencyNs());
    mesh.runFor(2 * SECOND_NS);
    assertTrue(up.latencyNs() >= 10_000 && up.latencyNs() <= 60_000, "latency " + up.latencyNs());
  }

  @Test
  void shouldKeepACableUpForTenMinutesOnAWireThatLosesAndReorders() {
    mesh.wire = new SimulatedMesh.Wire(3, 10, 10_000, 20_000_000);
    startedPair();
    mesh.runFor(600 * SECOND_NS);
    List<String> downs = a.log.lines.stream().filter(each -> each.startsWith("down")).toList();
    // Four hellos in a row are lost once in a million times.
    assertEquals(List.of(), downs);
  }

  @Test
  void shouldNoticeSilenceAfterOneSecond() {
    SimulatedCable cable = startedPair();
    mesh.runFor(5 * SECOND_NS);
    long cutNs = mesh.nowNs();
    mesh.cut(cable, false);
    mesh.runUntil(cutNs + 2 * SECOND_NS, () -> a.program.adjacencies().isEmpty());
    assertTrue(mesh.nowNs() - cutNs <= SECOND_NS + MS_NS, "" + (mesh.nowNs() - cutNs));
    assertTrue(mesh.nowNs() - cutNs >= 3 * SECOND_NS / 4 - MS_NS, "" + (mesh.nowNs() - cutNs));
    mesh.runFor(3 * SECOND_NS);
    assertLog(a, "up b/eth1", "down b SILENT");
    mesh.heal(cable);
    long healedNs = mesh.nowNs();
    mesh.runUntil(healedNs + SECOND_NS, () -> !a.program.adjacencies().isEmpty());
    mesh.runFor(SECOND_NS);
    assertLog(a, "up b/eth1", "down b SILENT", "up b/eth1");
    assertLog(b, "up a/eth1", "down a SILENT", "up a/eth1");
  }

  @Test
  void shouldNoticeALostCarrierAtOnce() {
    SimulatedCable cable = startedPair();
    mesh.cut(cable, true);
    assertLog(a, "up b/eth1", "down b INTERFACE_GONE");
  }

  @Test
  void shouldKeepANodeThatStopsForLessThanASilence() {
    startedPair();
    for (int i = 0; i < 20; i++) {
      mesh.runFor(SECOND_NS);
      b.stop();
      mesh.runFor(700 * MS_NS);
      b.resume();
    }
    assertLog(a, "up b/eth1");
  }

  @Test
  void shouldNoticeARestartByItsFirstHello() {
    startedPair();
    mesh.runFor(SECOND_NS);
    b.powerOff();
    mesh.runFor(SECOND_NS / 10);
    b.start();
    mesh.runFor(SECOND_NS / 10);
    assertLog(a, "up b/eth1", "down b RESTARTED", "up b/eth1");
  }

  @Test
  void shouldNoticeAGoodbyeAtOnce() {
    startedPair();
    b.leave();
    mesh.runFor(MS_NS);
    assertLog(a, "up b/eth1", "down b LEFT");
  }

  @Test
  void shouldNotComeUpOnAOneWayCableAndSaySo() {
    SimulatedCable cable = mesh.connect(a, b);
    cable.deafEnd = cable.ends.get(1);
    a.start();
    b.start();
    mesh.runFor(5 * SECOND_NS);
    assertLog(a, "found ONE_WAY eth1 - b/eth1");
    assertLog(b);
    cable.deafEnd = null;
    mesh.runFor(3 * SECOND_NS);
    assertLog(a, "found ONE_WAY eth1 - b/eth1", "up b/eth1", "cleared ONE_WAY eth1 - b/eth1");
  }

  @Test
  void shouldGoDownWhenOneDirectionFails() {
    SimulatedCable cable = startedPair();
    cable.deafEnd = cable.ends.get(1);
    mesh.runFor(1500 * MS_NS);
    assertLog(a, "up b/eth1", "down b ONE_WAY");
    assertLog(b, "up a/eth1", "down a SILENT");
  }

  @Test
  void shouldFindACableThatLeadsBack() {
    mesh.connect(a, a);
    a.start();
    mesh.runFor(3 * SECOND_NS);
    assertLog(a, "found LOOPED_CABLE eth1 - eth2");
    assertTrue(counted(a, NeighbourCounter.REFLECTED) > 0);
  }

  @Test
  void shouldSeeSeveralNodesBehindASwitchAndKeepFour() {
    List<Node> others = new ArrayList<>(List.of(a, b));
    for (String name : List.of("c", "d", "e", "f")) {
      others.add(mesh.node(name));
    }
    mesh.connect(others.toArray(new Node[0]));
    others.forEach(Node::start);
    mesh.runFor(5 * SECOND_NS);
    assertEquals(NeighbourHello.MAX_SEEN, a.program.adjacencies().size());
    assertTrue(counted(a, NeighbourCounter.NEIGHBOURS_FULL) > 0);
    assertTrue(a.log.lines.contains("found SEVERAL_NODES eth1"), a.log.lines.toString());
  }

  @Test
  void shouldFindTwoNodesWithOneNameAndDifferentEnds() {
    SimulatedCable cable = mesh.connect(a, b);
    Node twin = mesh.node("a");
    mesh.connect(a, twin);
    SimulatedEnd end = cable.ends.get(1);
    end.local =
        new CableInterface(1, "eth1", 9000, 25_000, List.of(LinkAddress.parse("fe80::1/64")));
    List.of(a, b, twin).forEach(Node::start);
    mesh.runFor(3 * SECOND_NS);
    assertTrue(
        a.log.lines.containsAll(
            List.of(
                "found MTU_MISMATCH eth1 - b/eth1",
                "found SPEED_MISMATCH eth1 - b/eth1",
                "found DUPLICATE_NAME a")),
        a.log.lines.toString());
  }

  /** Node {@code b} is cabled to both, and they are never there at one time. */
  @Test
  void shouldFindForAMinuteThatTwoHostsHadOneNameOneAfterTheOther() {
    Node twin = mesh.node("a");
    mesh.connect(a, b);
    mesh.connect(b, twin);
    b.start();
    a.start();
    mesh.runFor(3 * SECOND_NS);
    a.leave();
    mesh.runFor(3 * SECOND_NS);
    a.kill();
    a.start();
    mesh.runFor(3 * SECOND_NS);
    assertFalse(b.log.lines.contains("found REUSED_NAME a"), "a restart: " + b.log.lines);
    a.leave();
    mesh.runFor(3 * SECOND_NS);
    twin.start();
    mesh.runFor(3 * SECOND_NS);
    twin.leave();
    mesh.runFor(3 * SECOND_NS);
    assertTrue(b.log.lines.contains("found REUSED_NAME a"), "" + b.log.lines);
    assertFalse(b.log.lines.contains("found DUPLICATE_NAME a"), "" + b.log.lines);
    assertFalse(b.log.lines.contains("cleared REUSED_NAME a"), "" + b.log.lines);
    mesh.runFor(RecentNodes.RECENT_NS);
    assertTrue(b.log.lines.contains("cleared REUSED_NAME a"), "" + b.log.lines);
  }

  /** Node {@code b} is cabled to both, one of which leaves for the other. */
  @Test
  void shouldStillKnowOfTwoNodesOfOneNameThatTheyWereTwoWhenOneHasLeft() {
    Node twin = mesh.node("a");
    mesh.connect(a, b);
    mesh.connect(b, twin);
    List.of(a, b, twin).forEach(Node::start);
    mesh.runFor(3 * SECOND_NS);
    twin.leave();
    mesh.runFor(3 * SECOND_NS);
    assertTrue(
        b.log.lines.containsAll(
            List.of("found DUPLICATE_NAME a", "cleared DUPLICATE_NAME a", "found REUSED_NAME a")),
        "" + b.log.lines);
    String text = b.program.findings().get(0).toString();
    assertTrue(text.contains(" within a minute, and two of them at one time: "), text);
    assertTrue(text.endsWith(" Set MESH_NODE to a name of its own on all but one."), text);
  }

  /** The second cable is plugged later. */
  @Test
  void shouldSayOfBothCablesThatTheirNodesHaveAnotherSecret() {
    a.secret = Optional.of(SharedSecret.of("0123456789abcdef"));
    Node c = mesh.node("c");
    SimulatedCable later = mesh.connect(a, c);
    mesh.cut(later, false);
    c.start();
    startedPair();
    mesh.runFor(3 * SECOND_NS);
    mesh.heal(later);
    mesh.runFor(3 * SECOND_NS);
    assertLog(
        a, "found OTHER_SECRET eth2", "found OTHER_SECRET eth1", "reworded OTHER_SECRET eth2");
    assertEquals(
        List.of("they call themselves b, c", "they call themselves b, c"),
        a.program.findings().stream()
            .map(each -> each.text().replaceAll(".*; (.*), which is not proved.", "$1"))
            .toList());
  }

  /** So that a log which has the words of one cable once has those of both. */
  @Test
  void shouldSayWhatIsNewOfACableBeforeTheNewWordsOfAnother() {
    a.secret = Optional.of(SharedSecret.of("0123456789abcdef"));
    startedPair();
    Node c = mesh.node("c");
    mesh.connect(a, c);
    mesh.runFor(3 * SECOND_NS);
    c.start();
    mesh.runFor(3 * SECOND_NS);
    assertLog(
        a, "found OTHER_SECRET eth1", "found OTHER_SECRET eth2", "reworded OTHER_SECRET eth1");
  }

  @Test
  void shouldFindAnotherJob() {
    b.job = "training";
    startedPair();
    mesh.runFor(3 * SECOND_NS);
    assertLog(a, "found OTHER_JOB eth1");
    assertLog(b, "found OTHER_JOB eth1");
    assertTrue(a.program.findings().get(0).text().contains("b of job 'training'"));
    assertTrue(counted(a, NeighbourCounter.OTHER_JOB) > 0);
  }

  @Test
  void shouldFindAnotherSecret() {
    a.secret = Optional.of(SharedSecret.of("0123456789abcdef"));
    b.secret = Optional.of(SharedSecret.of("another secret 1"));
    startedPair();
    mesh.runFor(3 * SECOND_NS);
    assertLog(a, "found OTHER_SECRET eth1");
    assertLog(b, "found OTHER_SECRET eth1");
    assertTrue(counted(a, NeighbourCounter.OTHER_SECRET) > 0);
    String text = a.program.findings().get(0).text();
    assertTrue(text.contains("has another secret than this node; it calls itself b, which"), text);
  }

  @Test
  void shouldFindASecretAtOneEndOnly() {
    a.secret = Optional.of(SharedSecret.of("0123456789abcdef"));
    startedPair();
    mesh.runFor(3 * SECOND_NS);
    assertLog(a, "found OTHER_SECRET eth1");
    assertLog(b, "found OTHER_SECRET eth1");
    String here = a.program.findings().get(0).text();
    assertTrue(here.contains("has no secret, and this node has one"), here);
    String there = b.program.findings().get(0).text();
    assertTrue(there.contains("has a secret, and this node has none"), there);
  }

  @Test
  void shouldComeUpWithTheSameSecret() {
    a.secret = Optional.of(SharedSecret.of("0123456789abcdef"));
    b.secret = a.secret;
    startedPair();
    assertLog(a, "up b/eth1");
  }

  @Test
  void shouldNotComeUpByRecordedDatagrams() {
    a.secret = Optional.of(SharedSecret.of("0123456789abcdef"));
    b.secret = a.secret;
    SimulatedCable cable = mesh.connect(a, b);
    mesh.recorded = new ArrayList<>();
    a.start();
    b.start();
    mesh.runFor(5 * SECOND_NS);
    b.powerOff();
    mesh.runFor(2 * SECOND_NS);
    assertLog(a, "up b/eth1", "down b SILENT");
    List<byte[]> recorded = mesh.recorded;
    mesh.recorded = null;
    assertTrue(recorded.size() > 25, "" + recorded.size());
    for (byte[] each : recorded) {
      mesh.arrive(cable.ends.get(1).address, cable.ends.get(0), each);
      mesh.runFor(50 * MS_NS);
      assertEquals(List.of(), a.program.adjacencies());
    }
  }

  @Test
  void shouldRefuseRepeatedAndOldDatagrams() {
    SimulatedCable cable = startedPair();
    SimulatedEnd there = cable.ends.get(1);
    mesh.runFor(SECOND_NS);
    DatagramSeal seal = new DatagramSeal(Optional.empty());
    NeighbourHello hello =
        new NeighbourHello(
            false, "b", "", "eth1", 1500, 10_000, 1, 0, there.local.addresses(), List.of());
    long job = new NodeIdentity(b.id(), "b", "", 1).jobNumber();
    byte[] replayed =
        seal.encode(new DatagramHeader(DatagramType.HELLO, job, b.id(), 1, 1, 1), hello);
    long before = counted(a, NeighbourCounter.REPLAYED);
    mesh.arrive(there.address, cable.ends.get(0), replayed);
    assertEquals(before + 1, counted(a, NeighbourCounter.REPLAYED));
    b.kill();
    b.start();
    mesh.runFor(SECOND_NS / 10);
    byte[] old =
        seal.encode(new DatagramHeader(DatagramType.HELLO, job, b.id(), 1, 1, 1 << 20), hello);
    mesh.arrive(there.address, cable.ends.get(0), old);
    assertEquals(1, counted(a, NeighbourCounter.OLD_INCARNATION));
    assertEquals(1, a.program.adjacencies().size());
  }

  @Test
  void shouldRefuseWhatIsNotOfTheCable() throws Exception {
    SimulatedCable cable = startedPair();
    mesh.arrive(AddressText.parse("192.0.2.1"), cable.ends.get(0), new byte[100]);
    assertEquals(1, counted(a, NeighbourCounter.OFF_LINK));
    mesh.arrive(cable.ends.get(1).address, cable.ends.get(0), new byte[100]);
    assertEquals(1, counted(a, NeighbourCounter.MALFORMED));
    a.program.receive(77, cable.ends.get(1).address, new byte[100], a.localNs());
    assertEquals(1, counted(a, NeighbourCounter.UNKNOWN_INTERFACE));
  }

  @Test
  void shouldReadNoMoreThanTheRateOfAMesh() {
    SimulatedCable cable = startedPair();
    for (int i = 0; i < 10_000; i++) {
      mesh.arrive(cable.ends.get(1).address, cable.ends.get(0), new byte[100]);
    }
    assertTrue(counted(a, NeighbourCounter.OVER_RATE) > 7000);
  }

  @Test
  void shouldUseAboutOneKilobytePerSecondAndCable() {
    startedPair();
    mesh.runFor(SECOND_NS);
    long before = mesh.bytes;
    mesh.runFor(100 * SECOND_NS);
    long bytesPerS = (mesh.bytes - before) / 100;
    System.out.println("idle: " + bytesPerS + " bytes of datagrams per second and cable");
    assertTrue(bytesPerS < 2048, "" + bytesPerS);
  }

  @Test
  void shouldRepeatARunOfTheSameSeed() {
    assertEquals(traceOf(7), traceOf(7));
    assertNotEquals(traceOf(7), traceOf(8));
  }

  private static long traceOf(long seed) {
    SimulatedMesh mesh = new SimulatedMesh(seed);
    mesh.wire = SimulatedMesh.Wire.BAD;
    mesh.connect(mesh.node("a"), mesh.node("b"));
    mesh.nodes.forEach(Node::start);
    mesh.runFor(5 * SECOND_NS);
    return mesh.traceHash();
  }

  @Test
  void shouldRefuseAnIdentityThatDoesNotFit() {
    NodeId id = new NodeId(1, 2);
    assertThrows(IllegalArgumentException.class, () -> new NodeIdentity(id, "", "", 1));
    assertThrows(IllegalArgumentException.class, () -> new NodeIdentity(id, "n".repeat(33), "", 1));
    assertThrows(IllegalArgumentException.class, () -> new NodeIdentity(id, "n", "", 0));
    assertFalse(new NodeIdentity(id, "n", "x", 1).jobNumber() == 0);
  }
}
