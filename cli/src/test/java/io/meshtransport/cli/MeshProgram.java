// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.Transport;
import io.meshtransport.testing.StoppedProcess;
import io.meshtransport.topology.NodeJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A program that has joined the mesh, in a JVM of its own: its host's node until it is closed. */
final class MeshProgram implements AutoCloseable {
  private static final String READY = "READY ";
  private static final long END_SECONDS = 20;

  /** For what other JVMs do that have just been started. */
  static final Duration LIMIT = Duration.ofSeconds(60);

  private final Process process;
  private final String node;

  private MeshProgram(Process process, String node) {
    this.process = process;
    this.node = node;
  }

  /** What starts processes: a fabric, say. */
  interface Starter {
    Process start(ProcessBuilder builder) throws IOException;
  }

  /** Of this host, on loopback. */
  static MeshProgram start(int port, String name, String... options) throws IOException {
    Map<String, String> settings =
        Map.of(
            "MESH_PROVIDER", "soft",
            "MESH_LOOPBACK", "127.46.9.1/24",
            "MESH_NEIGHBOUR_PORT", String.valueOf(port));
    return start(name, settings, 0, ProcessBuilder::start, options);
  }

  /**
   * Returns once the program knows so many cables.
   *
   * @param options for the JVM
   */
  static MeshProgram start(
      String name, Map<String, String> settings, int cables, Starter starter, String... options)
      throws IOException {
    ProcessBuilder builder =
        new NodeJvm(settings, List.of(options), false)
            .running(MeshProgram.class.getName(), "-Xmx64m", "-XX:TieredStopAtLevel=1")
            .command(name, Map.of(), "" + cables);
    Process process = starter.start(builder.redirectErrorStream(true));
    StringBuilder said = new StringBuilder();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith(READY)) {
        return new MeshProgram(process, line.substring(READY.length()));
      }
      said.append(line).append('\n');
    }
    throw new IOException("the program has ended: " + said);
  }

  public static void main(String[] arguments) throws Exception {
    try (Transport transport = Transport.open();
        Mesh mesh = Mesh.join(transport)) {
      int cables = Integer.parseInt(arguments[0]);
      Awaitility.await().atMost(LIMIT).until(() -> mesh.links().size() >= cables);
      System.out.println(READY + mesh.self().peer().id());
      while (System.in.read() >= 0) {}
    }
  }

  long pid() {
    return process.pid();
  }

  /** Its node id. */
  String node() {
    return node;
  }

  /**
   * As {@code kill -STOP} and {@code kill -CONT}, of which the latter takes effect at once; returns
   * once the process has obeyed.
   */
  void signal(String name) throws IOException, InterruptedException {
    if (name.equals("STOP")) {
      StoppedProcess.stop(pid());
    } else {
      assertEquals(0, new ProcessBuilder("kill", "-" + name, "" + pid()).start().waitFor());
    }
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      assertTrue(process.waitFor(END_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.destroyForcibly();
    }
  }
}
