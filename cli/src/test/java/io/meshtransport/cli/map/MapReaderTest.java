// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.neighbours.map.MapEnd;
import io.meshtransport.neighbours.map.MapInterface;
import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.map.SampleMesh;
import io.meshtransport.neighbours.verdict.NodeState;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** {@link MapReader}, of maps with their {@link MapInterface}s and {@link MapEnd}s. */
class MapReaderTest {
  @Test
  void shouldReadTheJsonThatMapsWrite() throws IOException {
    MeshMap map =
        SampleMesh.triangle()
            .cut("b", "c")
            .verdict("c", NodeState.STUCK, "accepts \"\\\n\u00e9")
            .finding(new Finding(FindingKind.ONE_WAY, "eth0", "Nothing comes.", "Replace it."))
            .map();

    assertEquals(map, MapReader.read(map.json()));
  }

  @Test
  void shouldReadWhatALaterVersionAdds() throws IOException {
    MeshMap map = SampleMesh.triangle().map();

    assertEquals(map, MapReader.read(map.json().replaceFirst("\\{", "{ \"new\" : [ 1 ],")));
    assertThrows(IOException.class, () -> MapReader.read("{"));
  }
}
