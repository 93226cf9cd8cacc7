// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.meshtransport.cli.doctor.Ailment.Severity;
import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.neighbours.map.CableState;
import io.meshtransport.neighbours.map.MapCable;
import io.meshtransport.neighbours.map.MapEnd;
import io.meshtransport.neighbours.map.MapFinding;
import io.meshtransport.neighbours.map.MapNode;
import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.verdict.NodeState;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link MeshChecks} and {@link Ailment}. */
class MeshChecksTest {
  private static MapCable cable(int index, CableState state) {
    MapEnd one = new MapEnd("1", "a", index, "eth" + index, List.of());
    MapEnd other = new MapEnd("2", "b", index, "eth" + index, List.of());
    return new MapCable(one, other, state, List.of(), 0, 0, 0);
  }

  private static List<Ailment> of(
      List<MapNode> nodes, List<MapCable> cables, List<MapFinding> findings) {
    return MeshChecks.of(new MeshMap(MeshMap.FORMAT, nodes, cables, List.of(), findings));
  }

  @ParameterizedTest
  @EnumSource(FindingKind.class)
  void shouldReportEveryFindingWithAReason(FindingKind kind) {
    Ailment found =
        of(List.of(), List.of(), List.of(new MapFinding(kind, "a", "eth0", "Seen.", "Mend it.")))
            .get(0);

    assertEquals("cabling at a, eth0", found.where());
    assertEquals("Mend it.", found.remedy());
    assertFalse(found.why().isEmpty());
  }

  @Test
  void shouldKnowWhetherACutSeparatesAPair() {
    MapCable cut = cable(1, CableState.CUT);

    assertEquals(Severity.BLOCKS, of(List.of(), List.of(cut), List.of()).get(0).severity());
    assertEquals(
        Severity.WARNS,
        of(List.of(), List.of(cut, cable(2, CableState.UP)), List.of()).get(0).severity());
    assertEquals(List.of(), of(List.of(), List.of(cable(2, CableState.UP)), List.of()));
  }

  @Test
  void shouldReportNodesThatDoNotAnswer() {
    assertEquals(List.of(), of(List.of(node(NodeState.ALIVE)), List.of(), List.of()));
    assertEquals(
        Severity.BLOCKS,
        of(List.of(node(NodeState.STUCK)), List.of(), List.of()).get(0).severity());
    assertEquals(
        Severity.WARNS,
        of(List.of(node(NodeState.PROCESS_GONE)), List.of(), List.of()).get(0).severity());
  }

  private static MapNode node(NodeState state) {
    return new MapNode(
        "1", "a", "a", false, state, "evidence", List.of(), List.of(), false, false, 0);
  }

  @Test
  void shouldSayWhatWhereWhyAndTheRemedy() {
    assertEquals(
        "BLOCKS  eth0: It is so.\n        Because.\n        remedy: Do this.",
        new Ailment(Severity.BLOCKS, "eth0", "It is so.", "Because.", "Do this.").toString());
  }
}
