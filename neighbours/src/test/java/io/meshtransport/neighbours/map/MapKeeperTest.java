// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.LinkCondition;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@link MapKeeper} with {@link MapCables}, {@link WorkedCables} and {@link MapFindings}, and the
 * JSON form of {@link MeshMap} by {@link RecordJson}.
 */
class MapKeeperTest {
  private static void observe(MapKeeper keeper, MeshGraph graph) {
    keeper.observe(graph, List.of(), List.of());
  }

  private static List<CableState> states(MeshMap map) {
    return map.cables().stream().map(MapCable::state).toList();
  }

  @Test
  void shouldListNodesAndCablesOnce() {
    MeshMap map = SampleMesh.triangle().map();

    assertEquals("3 nodes, 3 cables: 3 up", map.summary());
    assertEquals(List.of("a", "b", "c"), map.nodes().stream().map(MapNode::label).toList());
    MapCable first = map.cables().get(0);
    assertEquals("a/eth0", first.one().place());
    assertEquals("b/eth0", first.other().place());
    assertEquals(List.of("10.0.1.0/24"), first.subnets());
    assertEquals(List.of("25 Gbit/s", "3.1 us", "MTU 9000"), first.facts());
    assertTrue(map.nodes().get(0).self());
    assertEquals(List.of(), map.findings());
  }

  @Test
  void shouldCallACableCutThatBothEndsMiss() {
    MeshMap map = SampleMesh.triangle().cut("a", "b").map();

    assertEquals(List.of(CableState.CUT, CableState.UP, CableState.UP), states(map));
  }

  @Test
  void shouldRememberACableWhoseInterfacesLostTheirCarrier() {
    SampleMesh mesh = SampleMesh.triangle();
    MapKeeper keeper = new MapKeeper(SampleMesh.id("a"));
    MapCable before = mesh.map(keeper).cables().get(0);

    MeshMap map = mesh.unplug("a", "b").map(keeper);

    assertEquals(List.of(CableState.CUT, CableState.UP, CableState.UP), states(map));
    assertEquals(before.one(), map.cables().get(0).one());
    assertEquals("3 nodes, 2 cables: 2 up", mesh.map().summary(), "by one that never saw it");
  }

  @Test
  void shouldForgetACableWhoseEndHasAnother() {
    MapKeeper keeper = new MapKeeper(SampleMesh.id("a"));
    new SampleMesh("a", "b", "c").cable("a", "", "b", "").map(keeper);

    MeshMap map = new SampleMesh("a", "b", "c").cable("a", "", "c", "").map(keeper);

    assertEquals(1, map.cables().size());
    assertEquals("c/eth0", map.cables().get(0).other().place());
  }

  @Test
  void shouldCallCablesDownWhoseNodeIsGone() {
    MeshMap map =
        SampleMesh.triangle()
            .change("a", "c", LinkCondition.REFUSED)
            .change("b", "c", LinkCondition.REFUSED)
            .verdict("c", NodeState.PROCESS_GONE, "its host refuses connections")
            .map();

    assertEquals(List.of(CableState.UP, CableState.DOWN, CableState.DOWN), states(map));
    assertEquals("its host refuses connections", map.nodes().get(2).evidence());
  }

  @Test
  void shouldShowNeitherOldRecordsNorCablesThatNeverWorked() {
    SampleMesh mesh = new SampleMesh("a", "b", "old").cable("a", "", "b", "");

    assertEquals("2 nodes, 1 cable: 1 up", mesh.map().summary());
  }

  @Test
  void shouldFindWhatIsWrongAtOtherNodes() {
    MeshMap map =
        new SampleMesh("a", "b", "c")
            .cable("a", "10.0.1.1/24", "b", "10.0.1.2/24")
            .cable("b", "10.0.2.1/24", "c", "10.0.9.2/24")
            .map();

    assertEquals(1, map.findings().size(), "" + map.findings());
    MapFinding found = map.findings().get(0);
    assertEquals(FindingKind.PREFIX_MISMATCH, found.kind());
    assertEquals("b", found.node());
    assertEquals("eth1 - c/eth0", found.subject());
  }

  @Test
  void shouldSayOnceWhatBothEndsSee() {
    Finding own =
        new Finding(FindingKind.PREFIX_MISMATCH, "eth0 - b/eth0", "No common subnet.", "Give one.");
    MeshMap map =
        new SampleMesh("a", "b").cable("a", "10.0.1.1/24", "b", "10.0.9.2/24").finding(own).map();

    assertEquals(
        List.of(
            new MapFinding(
                FindingKind.PREFIX_MISMATCH,
                "a",
                "eth0 - b/eth0",
                "No common subnet.",
                "Give one.")),
        map.findings());
  }

  @Test
  void shouldCallACrossedCableCrossedAndNoMore() {
    MeshMap map =
        new SampleMesh("a", "b", "c", "d")
            .cable("a", "", "b", "")
            .cable("b", "10.0.1.1/24", "c", "10.0.2.1/24")
            .cable("c", "10.0.1.2/24", "d", "10.0.2.2/24")
            .map();

    assertEquals(
        List.of(FindingKind.CROSSED_CABLES, FindingKind.CROSSED_CABLES),
        map.findings().stream().map(MapFinding::kind).toList());
  }

  /** As in a program that draws no map until somebody wants to see one. */
  @Test
  void shouldRememberACableThatWorkedBeforeTheFirstMap() {
    SampleMesh mesh = SampleMesh.triangle();
    MapKeeper keeper = new MapKeeper(SampleMesh.id("a"));
    observe(keeper, mesh.graph());

    MeshMap map = mesh.unplug("a", "b").map(keeper);

    assertEquals(List.of(CableState.CUT, CableState.UP, CableState.UP), states(map));
    assertEquals(SampleMesh.triangle().map().cables().get(0).one(), map.cables().get(0).one());
  }

  @Test
  void shouldForgetACableWhoseEndHadAnotherBeforeTheFirstMap() {
    MapKeeper keeper = new MapKeeper(SampleMesh.id("a"));
    observe(keeper, new SampleMesh("a", "b", "c").cable("a", "", "b", "").graph());
    SampleMesh later =
        new SampleMesh("a", "b", "c").cable("a", "", "c", "").cable("c", "", "b", "");
    observe(keeper, later.graph());

    MeshMap map = later.unplug("a", "c").cable("a", "", "b", "").map(keeper);

    assertTrue(
        map.cables().stream()
            .noneMatch(
                each -> each.other().place().equals("b/eth0") && each.state() == CableState.CUT),
        "" + map.cables());
  }

  @Test
  void shouldForgetTheCablesOfNodesThatAreGone() {
    MapKeeper keeper = new MapKeeper(SampleMesh.id("a"));
    observe(keeper, SampleMesh.triangle().graph());
    observe(keeper, new SampleMesh("a", "b").graph());

    assertEquals(
        "3 nodes, 2 cables: 2 up", SampleMesh.triangle().unplug("a", "c").map(keeper).summary());
  }

  @Test
  void shouldMakeNoOtherMapWhileNothingChanges() {
    SampleMesh mesh = SampleMesh.triangle();
    MapKeeper keeper = new MapKeeper(SampleMesh.id("a"));
    MeshGraph graph = mesh.graph();

    observe(keeper, graph);
    MeshMap map = keeper.map();
    observe(keeper, graph);

    assertSame(map, keeper.map());
    NodeVerdict stuck = new NodeVerdict(SampleMesh.id("b"), "b", 1, NodeState.STUCK, "accepts");
    keeper.observe(graph, List.of(stuck), List.of());
    assertEquals(NodeState.STUCK, keeper.map().nodes().get(1).state());
  }

  /** The agent's thread does not wait for a map that another makes. */
  @Test
  void shouldNotDrawACableAsCutThatComesWhileAMapIsMade() {
    MapKeeper keeper = new MapKeeper(SampleMesh.id("a"));
    SampleMesh mesh = new SampleMesh("a", "b", "c").cable("a", "", "b", "").cable("b", "", "c", "");
    MeshGraph before = mesh.graph();
    MeshGraph after = mesh.cable("a", "", "c", "").graph();
    List<NodeVerdict> none = List.of();
    List<NodeVerdict> readInTheMidst =
        new AbstractList<>() {
          @Override
          public Iterator<NodeVerdict> iterator() {
            observe(keeper, after);
            return none.iterator();
          }

          @Override
          public NodeVerdict get(int index) {
            return none.get(index);
          }

          @Override
          public int size() {
            return 0;
          }
        };
    keeper.observe(before, readInTheMidst, List.of());

    assertEquals("3 nodes, 2 cables: 2 up", keeper.map().summary());
    assertEquals("3 nodes, 3 cables: 3 up", keeper.map().summary());
  }

  @Test
  void shouldWriteTheDocumentedForm() {
    MeshMap map =
        new MeshMap(
            MeshMap.FORMAT,
            List.of(),
            List.of(),
            List.of(new MapPath("1", "2", List.of("b", "c"), "a - b - c - d")),
            List.of(
                new MapFinding(
                    FindingKind.ONE_WAY, "a\\\"b", "eth0", "\u00e9\n\u0001", "Replace it.")));

    assertEquals(
        """
        {
          "format" : "mesh-map/1",
          "nodes" : [ ],
          "cables" : [ ],
          "paths" : [ {
            "one" : "1",
            "other" : "2",
            "via" : [ "b", "c" ],
            "text" : "a - b - c - d"
          } ],
          "findings" : [ {
            "kind" : "ONE_WAY",
            "node" : "a\\\\\\"b",
            "subject" : "eth0",
            "text" : "\u00e9\\u000a\\u0001",
            "remedy" : "Replace it."
          } ]
        }
        """,
        map.json());
  }
}
