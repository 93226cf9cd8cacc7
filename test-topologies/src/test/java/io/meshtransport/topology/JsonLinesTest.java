// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JsonLinesTest {
  static List<NodeCommand> commands() {
    return List.of(
        new NodeCommand.Open(),
        new NodeCommand.Exchange(List.of(new NodeCommand.Batch(3, 4096)), -1, 5000),
        new NodeCommand.Ping("b", 10, 20, 64, 1, 5000),
        new NodeCommand.Pong("b", 30, 64, 5000),
        new NodeCommand.StreamOut("b", 8, 1024, 4, 1, 5000),
        new NodeCommand.StreamIn("b", 8, 1024, 4, 1, 5000),
        new NodeCommand.PostSends("b", 32, 1024, 5000),
        new NodeCommand.PostReceives("b", 32, 1024, 5000),
        new NodeCommand.ScanNics(Map.of("MESH_GID_INDEX", "3")),
        new NodeCommand.AdvanceQueuePairNumbers("rxe_to-b", 1 << 16),
        new NodeCommand.Disconnect(),
        new NodeCommand.ScanPort("10.77.1.1", 4242, 100, 1));
  }

  static List<NodeEvent> events() {
    return List.of(
        new NodeEvent.Connected(
            List.of(
                new NodeEvent.Link("b", "to-b", "10.0.0.1/24", "10.0.0.2", "s", "w", 1L << 40))),
        new NodeEvent.FoundNics(
            List.of(
                new NodeEvent.FoundNic(
                    "ibverbs", "mlx5_1", "eth1", List.of("10.0.0.1/24"), 3, "RoCE v2", 4096, "UP")),
            List.of("lo: it reaches nothing")),
        new NodeEvent.Progress("b", 3, 1L << 33),
        new NodeEvent.Exchanged(3, 1L << 33),
        new NodeEvent.Latency(1.5, 2.5),
        new NodeEvent.Throughput(1234.5),
        new NodeEvent.Posted(32),
        new NodeEvent.Outcomes(List.of(new NodeEvent.Outcome("PEER_GONE", "\"quoted\"\nlines", 5))),
        new NodeEvent.Done(),
        new NodeEvent.Failed("NO_ROUTE", "none"));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void shouldReadEachCommandBackFromOneLine(NodeCommand command) {
    String line = JsonLines.write(command);

    assertEquals(1, line.lines().count());
    assertEquals(command, JsonLines.read(line, NodeCommand.class));
  }

  @ParameterizedTest
  @MethodSource("events")
  void shouldReadEachEventBackFromOneLine(NodeEvent event) {
    String line = JsonLines.write(event);

    assertEquals(1, line.lines().count());
    assertEquals(event, JsonLines.read(line, NodeEvent.class));
  }

  @Test
  void shouldCarryHandlesAsTheyAre() {
    byte[] handle = {'M', 0, -1, 127};
    NodeCommand.Connect connect = new NodeCommand.Connect(Map.of("b", handle), 1024, 5000);
    NodeCommand.Connect read =
        (NodeCommand.Connect) JsonLines.read(JsonLines.write(connect), NodeCommand.class);

    assertArrayEquals(handle, read.handles().get("b"));
  }

  @Test
  void shouldRefuseLinesOfAnotherKind() {
    assertThrows(FabricException.class, () -> JsonLines.read("", NodeEvent.class));
    assertThrows(FabricException.class, () -> JsonLines.read("{}", NodeEvent.class));
    assertThrows(
        FabricException.class, () -> JsonLines.read("{\"event\":\"dance\"}", NodeEvent.class));
  }
}
