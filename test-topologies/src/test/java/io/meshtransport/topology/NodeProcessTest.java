// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * The harness's end of a node, with nodes that behave badly.
 *
 * <p>Also tests {@link CommandLoop} and {@link ProgramProcess}.
 */
class NodeProcessTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private static NodeProcess shell(String script) throws IOException {
    Process process = new ProcessBuilder("sh", "-c", script).start();
    return new NodeProcess("x", process, step -> {}, new OutputTail(line -> {}));
  }

  @Test
  void shouldReportThatANodeHasEndedWithItsLastOutput() throws IOException {
    try (NodeProcess node = shell("echo out of cheese >&2; exit 1")) {
      NodeFailure failure =
          assertThrows(NodeFailure.class, () -> node.awaitEvent(NodeEvent.Done.class, SOON));

      assertEquals("ENDED", failure.reason());
      assertEquals("node x: ENDED: its process is gone", failure.headline());
    }
  }

  @Test
  void shouldDistinguishAFailureFromAnAnswerAndFromNonsense() throws IOException {
    String script =
        """
        echo '{"event":"failed","reason":"NO_ROUTE","text":"none"}'
        echo '{"event":"posted","requests":3}'
        echo '{"event":"done"}'
        echo nonsense
        cat
        """;
    try (NodeProcess node = shell(script)) {
      Awaitility.await().atMost(SOON).until(node::hasFailed);
      assertEquals(
          "NO_ROUTE",
          assertThrows(NodeFailure.class, () -> node.awaitEvent(NodeEvent.Done.class, SOON))
              .reason());
      assertEquals(
          "UNEXPECTED",
          assertThrows(NodeFailure.class, () -> node.awaitEvent(NodeEvent.Done.class, SOON))
              .reason());
      assertFalse(node.hasFailed());
      assertEquals(new NodeEvent.Done(), node.awaitEvent(NodeEvent.Done.class, SOON));
      Awaitility.await().atMost(SOON).until(node::hasFailed);
      assertEquals(
          "ENDED",
          assertThrows(NodeFailure.class, () -> node.awaitEvent(NodeEvent.Done.class, SOON))
              .reason());
      assertTrue(node.lastErrors().contains("nonsense"), node.lastErrors());
    }
  }

  @Test
  void shouldNotWaitForANodeThatSaysNothing() throws IOException {
    try (NodeProcess node = shell("cat >/dev/null")) {
      NodeFailure failure =
          assertThrows(
              NodeFailure.class, () -> node.awaitEvent(NodeEvent.Done.class, Duration.ofMillis(1)));

      assertEquals("SILENT", failure.reason());
    }
  }

  @Test
  void shouldEndANodeWhenItsHarnessIsGone() throws Exception {
    Process node = NodeJvm.withSettings(Map.of()).command("x", Map.of(), "x").start();

    node.getOutputStream().close();

    assertTrue(node.waitFor(SOON.toMillis(), TimeUnit.MILLISECONDS));
    assertEquals(0, node.exitValue());
  }

  @Test
  void shouldKeepTheUsersSettingsFromTheNodes() {
    ProcessBuilder builder =
        NodeJvm.withSettings(Map.of("MESH_TIMEOUT_MS", "2000"))
            .command("a", Map.of("MESH_PROVIDER", "soft"));

    assertEquals(
        Map.of("MESH_TIMEOUT_MS", "2000", "MESH_PROVIDER", "soft", "MESH_NODE", "a"),
        builder.environment().entrySet().stream()
            .filter(entry -> entry.getKey().startsWith("MESH_"))
            .collect(java.util.stream.Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    assertTrue(builder.command().contains("-Xmx128m"));
  }

  @Test
  void shouldKeepOnlyTheLastLines() {
    OutputTail lines = new OutputTail(line -> {});
    for (int i = 0; i < 1000; i++) {
      lines.add("line " + i);
    }

    assertTrue(lines.toString().endsWith("line 999"));
    assertEquals(40, lines.toString().lines().count());
    assertFalse(lines.toString().contains("line 500"));
  }
}
