// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.FreePorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each example runs as a reader would run it, in software, and says what it should.
 *
 * <p>Also tests {@link BlockingEcho}, {@link KMeans}, {@link NamedNodes}, {@link PollingLoop},
 * {@link RawVerbs}, {@link SeededSessions}, {@link SessionPair}, {@link SharedTable} and {@link
 * TwoJvms}.
 */
@Tag("slow")
class ExamplesTest {
  private static final long DEADLINE_S = 120;

  /** Short enough to be read at a glance, licence and imports apart. */
  private static final int MAX_LINES = 60;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "BlockingEcho, '', answer: is anybody there.",
    "PollingLoop, '', 10000 messages of 64 bytes",
    "SharedTable, '', 'row 42: 4711, read back: 4711'",
    "SessionPair, '', 'reply: you said are you there.'",
    "SeededSessions, '', b says hello",
    "KMeans, '', centres: 0.5 10.5 20.5",
    "RawVerbs, soft lo-127.78.4.1, lo-127.78.4.1: written",
  })
  void shouldRunAndSayWhatItDid(String program, String arguments, String line) throws Exception {
    Process running =
        start(program, Map.of(), arguments.isEmpty() ? List.of() : List.of(arguments.split(" ")));
    try {
      assertSays(running, line);
    } finally {
      running.destroyForcibly();
    }
  }

  @Test
  void shouldCarryTheHandleBetweenTwoJvmsByAFile() throws Exception {
    Path file = folder.resolve("handle");
    Process receiver =
        start(
            "TwoJvms",
            Map.of("MESH_LOOPBACK", "127.78.5.1/24"),
            List.of("receive", file.toString()));
    Process sender = null;
    try {
      Awaitility.await().atMost(Duration.ofSeconds(DEADLINE_S)).until(() -> Files.exists(file));
      sender =
          start(
              "TwoJvms",
              Map.of("MESH_LOOPBACK", "127.78.5.2/24"),
              List.of("send", file.toString()));
      assertSays(sender, "sent to .* at 127\\.78\\.5\\.1 via lo.*");
      assertSays(receiver, "received: hello over a file");
    } finally {
      receiver.destroyForcibly();
      if (sender != null) {
        sender.destroyForcibly();
      }
    }
  }

  /** One node; {@code NeighbourMeshTest} has three that do the same. */
  @Test
  void shouldKnowItselfInAMeshOfItsOwn() throws Exception {
    String port;
    port = String.valueOf(FreePorts.next());
    Map<String, String> settings =
        Map.of("MESH_LOOPBACK", "127.78.6.1/24", "MESH_NEIGHBOUR_PORT", port, "MESH_NODE", "alone");
    Process running = start("NamedNodes", settings, List.of("1"));
    try {
      assertSays(running, "alone has greeted 0 nodes");
    } finally {
      running.destroyForcibly();
    }
  }

  @Test
  void shouldStayShort() throws IOException {
    Path sources = Path.of("src", "main", "java", "io", "meshtransport", "examples");
    try (Stream<Path> files = Files.list(sources)) {
      for (Path file : files.toList()) {
        long lines =
            Files.readAllLines(file).stream().filter(line -> !line.startsWith("import ")).count();
        assertTrue(lines <= MAX_LINES, file + " has " + lines + " lines besides its imports");
      }
    }
  }

  private static Process start(String program, Map<String, String> settings, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ExamplesTest.class.getPackageName() + "." + program);
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(settings);
    return builder.start();
  }

  private static void assertSays(Process running, String line) throws Exception {
    assertTrue(running.waitFor(DEADLINE_S, TimeUnit.SECONDS), "it does not end");
    String output = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, running.exitValue(), output);
    assertTrue(output.lines().anyMatch(each -> each.matches(line)), output);
  }
}
