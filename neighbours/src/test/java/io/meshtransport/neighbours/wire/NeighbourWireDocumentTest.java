// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.HelloInterface;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Compares the numbers of docs/WIRE-NEIGHBOURS.md with the code. */
class NeighbourWireDocumentTest {
  private static final long MS_NS = 1_000_000;

  private final String document = Files.readString(Path.of("..", "docs", "WIRE-NEIGHBOURS.md"));

  NeighbourWireDocumentTest() throws IOException {}

  private void expect(String text) {
    assertTrue(document.contains(text), "docs/WIRE-NEIGHBOURS.md lacks: " + text);
  }

  @Test
  void shouldListEveryType() {
    for (DatagramType type : DatagramType.values()) {
      expect("| %s | %d | `".formatted(type, type.code()));
    }
  }

  @Test
  void shouldSayTheBounds() {
    expect("At most %d bytes; all but records".formatted(DatagramSeal.MAX_DATAGRAM_BYTES));
    expect("| node name | 1 + 1 to %d |".formatted(NeighbourHello.MAX_NAME_BYTES));
    expect("| addresses | 1 + 0 to %d times 17 |".formatted(NeighbourHello.MAX_ADDRESSES));
    expect(
        "| seen neighbours | 1 + 0 to %d times %d |"
            .formatted(NeighbourHello.MAX_SEEN, SeenNeighbour.LENGTH_BYTES));
    expect("a `NodeRecord` of at most %d bytes".formatted(NodeRecord.MAX_LENGTH_BYTES));
    expect("(u32, ms, at most %,d)".formatted(RecordFlood.MAX_LIFETIME_MS));
    expect("| interfaces | 1 + 0 to %d |".formatted(NodeRecord.MAX_INTERFACES));
    expect("addresses (1 + 0 to %d times 17)".formatted(InterfaceEntry.MAX_ADDRESSES));
    expect(
        "| links | 1 + 0 to %d times %d |".formatted(NodeRecord.MAX_LINKS, LinkEntry.LENGTH_BYTES));
    expect("| services | 1 + 0 to %d |".formatted(NodeRecord.MAX_SERVICES));
    expect("handle (2 + 0 to %d)".formatted(ServiceEntry.MAX_HANDLE_BYTES));
    expect("(`RecordVersion`) has %d bytes".formatted(RecordVersion.LENGTH_BYTES));
    expect("and 0 to %d versions".formatted(DatabaseSummary.MAX_VERSIONS));
  }

  @Test
  void shouldSayThePort() {
    expect("`MESH_NEIGHBOUR_PORT`, %d unless set".formatted(MeshConfig.defaults().neighbourPort()));
  }

  @Test
  void shouldSayTheTimes() {
    expect(
        "| hello to a known neighbour | every %d ms,".formatted(HelloInterface.HELLO_NS / MS_NS));
    expect(
        "| hello to the group, nothing up | every %d ms,"
            .formatted(HelloInterface.DISCOVERY_NS / MS_NS));
    expect(
        "| hello to the group, a neighbour up | every %d ms,"
            .formatted(HelloInterface.REDISCOVERY_NS / MS_NS));
    expect(
        "| answer to a change | at once, at most every %d ms |"
            .formatted(HelloInterface.ANSWER_GAP_NS / MS_NS));
    expect("| silent after | %d ms |".formatted(Adjacency.SILENT_NS / MS_NS));
    expect("| one-way after | %d ms |".formatted(Adjacency.ONE_WAY_NS / MS_NS));
  }
}
