// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.collectives.Group;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The programs in README and in docs compile, run, and do what their page says, to the letter. */
@Tag("slow")
class DocumentProgramsTest {
  private static final Path ROOT = Path.of("..");
  private static final String BEGIN = "<!-- program %s -->\n```java\n";
  private static final String END = "```\n<!-- /program -->";
  private static final int MOST_LINES = 30;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "README.md, Hello, 'hello \\S+ \\([0-9a-f]{8}\\) at 127\\.77\\.1\\.2 via lo.*'",
    "docs/PUT-GET.md, PutGet, hello h",
    "docs/FRAMEWORKS.md, OnePoller, 'RECEIVED 5 bytes for 42 from shard 7 at .*'",
  })
  void shouldRunEachProgram(String page, String name, String line) throws Exception {
    compile(page, name);

    Process running = start(name, Map.of());
    try {
      assertPrints(running, line);
    } finally {
      running.destroyForcibly();
    }
  }

  @Test
  void shouldCarryAMessageBetweenTwoProcessesOfTheProgramForTwoMachines() throws Exception {
    compile("docs/PROGRAMS.md", "TwoHosts");
    Process receiver = start("TwoHosts", Map.of("MESH_LOOPBACK", "127.77.6.1/24"));
    Process sender = null;
    try {
      try (Transport transport =
          Transport.open(Map.of("MESH_LOOPBACK", "127.77.6.3/24", "MESH_HANDSHAKE_PORT", "0"))) {
        awaitHandshakesAt("127.77.6.1", transport);
      }
      sender = start("TwoHosts", Map.of("MESH_LOOPBACK", "127.77.6.2/24"), "127.77.6.1");
      assertPrints(sender, "sent to .* at 127\\.77\\.6\\.1 via lo.*");
      assertPrints(receiver, "received 5 bytes: h\\.\\.\\.");
    } finally {
      receiver.destroyForcibly();
      if (sender != null) {
        sender.destroyForcibly();
      }
    }
  }

  /** An interrupt is no lack of messages. */
  @Test
  void shouldSayThatTheProgramForTwoMachinesWasInterrupted() throws Exception {
    compile("docs/PROGRAMS.md", "TwoHosts");
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    System.setProperty("mesh.loopback", "127.77.7.1/24");
    try (URLClassLoader programs =
            new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, DocumentProgramsTest.class.getClassLoader());
        Transport transport =
            Transport.open(Map.of("MESH_LOOPBACK", "127.77.7.2/24", "MESH_HANDSHAKE_PORT", "0"))) {
      Method main = programs.loadClass("TwoHosts").getMethod("main", String[].class);
      Thread receiver =
          new Thread(
              () -> {
                try {
                  main.invoke(null, (Object) new String[0]);
                } catch (ReflectiveOperationException e) {
                  failure.complete(e.getCause());
                }
              });
      receiver.start();
      awaitHandshakesAt("127.77.7.1", transport);
      InetSocketAddress peer =
          new InetSocketAddress("127.77.7.1", Transport.DEFAULT_HANDSHAKE_PORT);
      try (SendChannel out =
          transport.connect(transport.lookup(peer).get(), Duration.ofSeconds(20))) {
        // The first progress of a channel on which nothing is sent is that of a posted receive.
        long seen = out.awaitProgress(0, Duration.ofSeconds(20));
        assertTrue(seen > 0, "no receive is posted");
        receiver.interrupt();
        String text = failure.get(20, TimeUnit.SECONDS).toString();
        assertTrue(text.contains("INTERRUPTED"), text);
      }
    } finally {
      System.clearProperty("mesh.loopback");
    }
  }

  /** The same program at each of three nodes that a triangle of cables joins. */
  @ParameterizedTest
  @CsvSource({
    "README.md, Sum, '\\[3\\.0, 3\\.0]'",
    "docs/COLLECTIVES.md, Gradients, 'rank [012] of \\[a, b, c]: 6\\.0'",
  })
  void shouldRunEachProgramOfAGroup(String page, String name, String line) throws Exception {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    compile(page, name);
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      List<Process> running = new ArrayList<>();
      for (String node : fabric.topology().nodes()) {
        ProcessBuilder builder = builder(name);
        builder.environment().putAll(fabric.settings(node));
        builder.environment().put("MESH_NODE", node);
        running.add(fabric.start(node, builder));
      }
      for (Process each : running) {
        assertPrints(each, line);
      }
    }
  }

  /** Until the receiver has a listener, which is soon after its JVM has come up. */
  private static void awaitHandshakesAt(String address, Transport transport) {
    InetSocketAddress peer = new InetSocketAddress(address, Transport.DEFAULT_HANDSHAKE_PORT);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(() -> transport.lookup(peer).get().length > 0);
  }

  private void compile(String page, String name) throws Exception {
    String program = program(page, name);
    assertTrue(
        program.lines().count() < MOST_LINES, "it has " + program.lines().count() + " lines");
    Path source = Files.writeString(folder.resolve(name + ".java"), program);
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, errors, "-cp", contract(), "-d", folder.toString(), source.toString());
    assertEquals(0, compiled, errors.toString(StandardCharsets.UTF_8));
  }

  private Process start(String name, Map<String, String> settings, String... arguments)
      throws IOException {
    ProcessBuilder builder = builder(name, arguments);
    builder.environment().putAll(settings);
    return builder.start();
  }

  private ProcessBuilder builder(String name, String... arguments) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-cp", folder + File.pathSeparator + classPath(), name));
    words.addAll(List.of(arguments));
    return new ProcessBuilder(words).redirectErrorStream(true);
  }

  private static void assertPrints(Process running, String line) throws Exception {
    boolean ended = running.waitFor(60, TimeUnit.SECONDS);
    if (!ended) {
      // By its handle, which leaves what it has said to be read.
      running.toHandle().destroyForcibly();
    }
    String said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(ended, () -> "it does not end: " + said);
    assertEquals(0, running.exitValue(), said);
    assertTrue(said.lines().anyMatch(each -> each.matches(line)), said);
  }

  private static String program(String page, String name) throws IOException {
    String text = Files.readString(ROOT.resolve(page));
    String beginning = BEGIN.formatted(name);
    int begin = text.indexOf(beginning);
    assertTrue(begin >= 0, page + " has no program " + name);
    begin += beginning.length();
    return text.substring(begin, text.indexOf(END, begin));
  }

  /** What a program compiles against; the library itself need only be there when it runs. */
  private static String contract() throws URISyntaxException {
    List<String> contracts = new ArrayList<>();
    for (Class<?> each : List.of(Transport.class, Group.class)) {
      contracts.add(
          Path.of(each.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    return String.join(File.pathSeparator, contracts);
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }
}
