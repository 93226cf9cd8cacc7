// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.cli.map.MapReader;
import io.meshtransport.cli.map.MapSocket;
import io.meshtransport.spi.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link MapCommand}, {@link MapSource} and {@link JoinLimit}. */
class MapCommandTest {
  private static final String PORT = "mesh.neighbour_port";

  private static final Duration SOON = Duration.ofSeconds(30);

  /** A busy host may stand still for as long as an agent lives. */
  private static final int ATTEMPTS = 3;

  @TempDir private Path folder;

  @BeforeEach
  void chooseFreePort() {
    System.setProperty(PORT, String.valueOf(FreePorts.next()));
  }

  @AfterEach
  void clearPort() {
    System.clearProperty(PORT);
  }

  @Test
  void shouldRefuseATimeThatIsNone() {
    assertEquals(2, Cli.run("map", "--wait", "0").status());
    assertEquals(2, Cli.run("map", "--wait", "NaN").status());
    assertEquals(2, Cli.run("routes", "--wait", "0.5").status());
    assertEquals(2, Cli.run("map", "--serve", "65536").status());
  }

  @Test
  @Tag("slow")
  void shouldReadWhatARunningAgentKnows() throws IOException {
    Path json = folder.resolve("map.json");
    boolean isRead = false;
    for (int i = 0; i < ATTEMPTS && !isRead; i++) {
      isRead = isReadFromAnAgent(json);
    }
    assertTrue(isRead);
    assertEquals(1, MapReader.read(Files.readString(json)).nodes().size());
  }

  /** Before it has a socket there is nothing to read, and the map would join the mesh instead. */
  private static boolean isReadFromAnAgent(Path json) throws IOException {
    CompletableFuture<Cli> up = CompletableFuture.supplyAsync(() -> Cli.run("up", "--for", "6"));
    Path socket = MapSocket.path(Integer.getInteger(PORT));
    Awaitility.await().atMost(SOON).until(() -> up.isDone() || Files.exists(socket));
    boolean isRead = false;
    while (!isRead && !up.isDone()) {
      Cli map = Cli.run("map", "--wait", "1", "--json", json.toString());
      isRead = map.status() == 0 && map.err().isEmpty() && map.out().contains("this node");
    }
    assertEquals(0, up.join().status());
    return isRead;
  }

  @Test
  @Tag("slow")
  void shouldJoinByItselfWhereNoAgentRuns() throws IOException {
    Path svg = folder.resolve("map.svg");
    Path dot = folder.resolve("map.dot");

    Cli run = Cli.run("map", "--wait", "1", "--svg", svg.toString(), "--dot", dot.toString());

    assertEquals(0, run.status(), run.err());
    assertTrue(run.out().contains("this node, alive"), run.out());
    assertTrue(run.err().contains("joins the mesh itself"), run.err());
    assertTrue(Files.readString(svg).startsWith("<svg"));
    assertTrue(Files.readString(dot).startsWith("graph mesh {"));
  }

  @Test
  @Tag("slow")
  void shouldSayThatAPortIsInUse() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(taken.getLocalPort());
      Cli run = Cli.run("map", "--wait", "1", "--serve", port);

      assertEquals(1, run.status());
      assertTrue(run.err().contains("cannot serve at port " + port), run.err());
    }
  }

  @Test
  @Tag("slow")
  void shouldSayWhichFileItCannotWrite() {
    Cli run = Cli.run("map", "--wait", "1", "--json", folder.resolve("no/map.json").toString());

    assertEquals(1, run.status());
    assertTrue(run.err().contains("cannot write " + folder), run.err());
  }
}
