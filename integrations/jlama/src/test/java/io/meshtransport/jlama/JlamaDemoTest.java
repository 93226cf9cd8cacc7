// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.topology.Fabric;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The demo with a tiny model on three nodes, a JVM each: the tokens of all ways are the same.
 *
 * <p>Also tests {@link JlamaDemo}, {@link MeshMembership}, {@link ShardNode}, {@link ShardProgram},
 * {@link ShardProcess}, {@link ShardCommand}, {@link ShardEvent} and {@link Generation}.
 */
@Tag("slow")
@Tag("namespaces")
class JlamaDemoTest {
  private static final JlamaDemoPlan TINY =
      new JlamaDemoPlan(new RandomLlama(new LlamaShape(2, 96, 6, 192, 64), 5), "wire", 8, 0, 2);

  @TempDir private Path folder;

  @Test
  void shouldGiveTheSameTokensByEveryWay() throws IOException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Path json = folder.resolve("demo.json");

    int status =
        new JlamaDemoMain(TINY, new PrintStream(out, true, StandardCharsets.UTF_8))
            .run(Optional.of(json), List.of("-XX:TieredStopAtLevel=1"));

    String text = out.toString(StandardCharsets.UTF_8);
    assertEquals(0, status, text);
    assertEquals(
        "demo: PASS Jlama on triangle: 8 tokens of a model of 1 MB, the same by every way",
        text.lines().reduce("", (before, line) -> line));
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertEquals(8, report.path("tokens").size());
    assertEquals(3, report.path("ways").size());
    for (JsonNode way : report.path("ways")) {
      assertTrue(way.path("sameTokens").asBoolean(), way.toString());
      assertTrue(way.path("tokensPerSecond").asDouble() > 0, way.toString());
    }
    assertEquals(3, report.path("ways").path(1).path("nodes").asInt());
  }
}
