// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.wire.LinkCondition;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@link MapKeeper}, {@link MapFindings} and the JSON form of {@link MeshMap} with its {@link
 * MapInterface}s and {@link MapEnd}s.
 */
class MapKeeperTest {
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

  @Test
  void shouldReadTheJsonThatItWrites() throws IOException {
    MeshMap map =
        SampleMesh.triangle().cut("b", "c").verdict("c", NodeState.STUCK, "accepts").map();

    assertEquals(map, MeshMap.ofJson(map.json()));
    assertTrue(map.json().startsWith("{\n  \"format\" : \"mesh-map/1\",\n  \"nodes\" : [ {"));
  }
}
