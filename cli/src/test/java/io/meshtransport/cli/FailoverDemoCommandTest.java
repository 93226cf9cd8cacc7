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
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link FailoverDemoCommand}: {@link io.meshtransport.cli.failover.FailoverDemo} in namespaces, by
 * its {@link io.meshtransport.cli.failover.FailoverPlan}, and its {@link
 * io.meshtransport.cli.failover.FailoverReport}. Each node is a {@link
 * io.meshtransport.cli.failover.FailoverNode}, with {@link
 * io.meshtransport.cli.failover.FailoverProcess} at its other end, {@link
 * io.meshtransport.cli.failover.FailoverCommand} one way and {@link
 * io.meshtransport.cli.failover.FailoverEvent} the other; {@link
 * io.meshtransport.cli.failover.FailoverFault} happens.
 */
@Tag("slow")
class FailoverDemoCommandTest {
  /**
   * A busy host may stop a node for longer than a gap may last, or pull the cable when all is
   * there.
   */
  private static final List<String> LOAD = List.of(": a gap of ", ": nothing went over b");

  private static final int ATTEMPTS = 3;

  @TempDir private Path folder;

  @Test
  void shouldCostNoByteToPullACable() throws IOException {
    assertGap(run(), 300);
  }

  /** Without a loss of carrier, which hosts see at once. */
  @Test
  void shouldCostNoByteWhenACableIsSilent() throws IOException {
    assertGap(run("--silent"), 2000);
  }

  /** What comes and goes is not taken for gone, nor for there, for long. */
  @Test
  void shouldCostNoByteWhenACableFlaps() throws IOException {
    assertGap(run("--flapping"), 300);
  }

  /** How long it was is the host's matter, as long as the demo passes. */
  private static void assertGap(JsonNode report, long goalMs) {
    assertTrue(report.path("longestGapMs").asLong() > 0);
    assertEquals(goalMs, report.path("goalMs").asLong());
  }

  private JsonNode run(String... options) throws IOException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    Path file = folder.resolve("demo.json");
    String[] words = new String[options.length + 4];
    System.arraycopy(new String[] {"demo", "failover", "--json", file.toString()}, 0, words, 0, 4);
    System.arraycopy(options, 0, words, 4, options.length);

    Cli run = Cli.run(words);
    for (int i = 1; i < ATTEMPTS && LOAD.stream().anyMatch(run.lastLine()::contains); i++) {
      System.out.println(run.lastLine());
      run = Cli.run(words);
    }
    return checked(run, file);
  }

  private static JsonNode checked(Cli run, Path file) throws IOException {
    assertEquals(0, run.status(), () -> run.lastLine() + "\n" + run.out() + run.err());
    assertTrue(run.lastLine().startsWith("demo: PASS 1024 MiB"), run.out());
    JsonNode report = new ObjectMapper().readTree(file.toFile());
    assertEquals("PASS", report.path("result").asText());
    assertEquals(1L << 30, report.path("bytes").asLong());
    assertTrue(report.path("relayedBytes").asLong() > 1 << 20);
    return report;
  }
}
