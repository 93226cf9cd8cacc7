// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jgroups.tests.LargeState;
import org.jgroups.tests.MessageDispatcherSpeedTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs of JGroups' own jar on mesh.xml: those that take a stack, end by themselves and say how
 * it went. One JVM serves until it is killed, the other one asks.
 */
@Timeout(180)
@Tag("slow")
class ProgramsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private Path folder;
  private final List<Process> running = new ArrayList<>();
  private final int port = FreePorts.next();

  private final class Program {
    final Path output;
    final Process process;

    /**
     * @param name also of its node
     * @param host of its address; the first is whom the others know
     */
    Program(Class<?> main, String name, int host, String... arguments) throws IOException {
      output = folder.resolve(name);
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-XX:TieredStopAtLevel=1",
                  "-Djgroups.mesh.node_name=" + name,
                  "-Djgroups.mesh.seeds=127.77.59.1:" + port,
                  "-Djgroups.mesh.settings=MESH_LOOPBACK=127.77.59."
                      + host
                      + "/24;MESH_HANDSHAKE_PORT="
                      + (host == 1 ? port : 0),
                  "-cp",
                  System.getProperty("java.class.path"),
                  main.getName(),
                  "-props",
                  "mesh.xml"));
      command.addAll(Arrays.asList(arguments));
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      running.add(process);
    }

    String output() throws IOException {
      return Files.readString(output);
    }

    void awaitOutput(String words) {
      Awaitility.await()
          .atMost(LIMIT)
          .untilAsserted(() -> assertTrue(output().contains(words), this::toString));
    }

    void awaitEnd() throws Exception {
      assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS), this::toString);
      assertEquals(0, process.exitValue(), this::toString);
    }

    @Override
    public String toString() {
      try {
        return output.getFileName() + " said: " + output();
      } catch (IOException e) {
        return output + " cannot be read: " + e;
      }
    }
  }

  @AfterEach
  void kill() throws InterruptedException {
    for (Process process : running) {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void shouldPassALargeStateOn() throws Exception {
    Program provider =
        new Program(LargeState.class, "provider", 1, "-provider", "-size", "30000000");
    provider.awaitOutput("Waiting for other members");
    Program requester = new Program(LargeState.class, "requester", 2);
    requester.awaitEnd();
    requester.awaitOutput("<-- received 30MB");
    provider.awaitOutput("--> wrote 30MB");
  }

  @Test
  void shouldAnswerCallsToAllMembers() throws Exception {
    Program server = new Program(MessageDispatcherSpeedTest.class, "server", 1, "-server");
    server.awaitOutput("Started as server");
    Program caller = new Program(MessageDispatcherSpeedTest.class, "caller", 2, "-num", "2000");
    caller.awaitEnd();
    caller.awaitOutput("time for 2000 remote calls");
    server.awaitOutput("-- received 2000");
  }
}
