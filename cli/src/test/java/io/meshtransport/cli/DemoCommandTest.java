// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.topology.Fabric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The README's first command, whole: on namespaces where the host allows them, and on loopback.
 *
 * <p>Also tests {@link Demo}, {@link DemoEnding}, {@link DemoEnvironment}, {@link DemoReport} and
 * {@link DemoRun}.
 */
@Tag("slow")
class DemoCommandTest {
  @TempDir private Path folder;

  private JsonNode passed(String topology) throws IOException {
    Path json = folder.resolve("demo.json");
    Cli run = Cli.run("demo", "--topology", topology, "--json", json.toString());

    assertEquals(0, run.status(), run.out() + run.err());
    assertTrue(run.lastLine().startsWith("demo: PASS"), run.out());
    return new ObjectMapper().readTree(json.toFile());
  }

  @Test
  void shouldPassOnAPair() throws IOException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));

    JsonNode report = passed("pair");

    assertEquals("PASS", report.path("result").asText());
    assertEquals("soft", report.path("provider").asText());
    assertEquals(0, report.path("bytesOnWrongCable").asLong(-1));
    assertTrue(report.path("channels").size() >= 2);
    for (JsonNode channel : report.path("channels")) {
      assertTrue(channel.path("verified").asBoolean(), channel.toString());
      assertEquals(DemoPlan.HOST.checkedMessages(), channel.path("messages").asLong());
      assertEquals(DemoPlan.HOST.checkedBytes(), channel.path("bytes").asLong());
      assertTrue(channel.path("megabytesPerSecond").asDouble() > 0, channel.toString());
      assertTrue(channel.path("latencyMicrosP50").asDouble() > 0, channel.toString());
      assertTrue(channel.path("handshakeMillis").asDouble() > 0, channel.toString());
    }
  }

  @Test
  void shouldPassOnLoopbackAndSayWhatThatCannotProve() throws IOException {
    assertEquals(6, passed("loopback").path("channels").size());
  }

  @Test
  void shouldNameTheTopologiesThereAre() {
    Cli run = Cli.run("demo", "--topology", "moebius");

    assertEquals(2, run.status());
    assertTrue(run.err().contains("triangle"), run.err());
  }

  @Test
  void shouldMarkTheTopologyThatIsCabledWronglyInTheHelp() {
    String help = Cli.run("demo", "--help").out().replaceAll("\\s+", " ");

    assertTrue(help.contains("wrongly on purpose, so it fails: same-subnet-twice."), help);
    assertEquals(help.indexOf("same-subnet-twice"), help.lastIndexOf("same-subnet-twice"), help);
  }
}
