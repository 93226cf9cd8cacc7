// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.cli.map.MapReader;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.neighbours.map.MapNode;
import io.meshtransport.spi.FreePorts;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Maps of a program that is this host's node: {@link MapSource} and {@link WatchedProcess}. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ProgramMapTest {
  private static final String PORT = "mesh.neighbour_port";
  private static final String ATTACH_WAIT = "sun.tools.attach.attachTimeout";

  private final int port = FreePorts.next();

  @TempDir private Path folder;

  @BeforeEach
  void choosePort() {
    System.setProperty(PORT, String.valueOf(port));
  }

  @AfterEach
  void clearPort() {
    System.clearProperty(PORT);
    System.clearProperty(ATTACH_WAIT);
  }

  @Test
  void shouldShowTheMeshAsTheProgramKnowsIt() throws Exception {
    try (MeshProgram program = MeshProgram.start(port, "prog")) {
      Path json = folder.resolve("map.json");
      Cli map = Cli.run("map", "--json", json.toString());

      assertEquals(0, map.status(), map.err());
      assertTrue(map.out().contains("prog (this node, alive)"), map.out());
      String source = "as process " + program.pid() + " (" + MeshProgram.class.getName() + " ";
      assertTrue(map.err().contains(source), map.err());
      MapNode node = MapReader.read(Files.readString(json)).nodes().get(0);
      assertEquals(program.node(), node.id());

      Cli up = Cli.run("up", "--for", "0.5");
      assertEquals(1, up.status());
      assertTrue(up.err().contains("It is process " + program.pid()), up.err());
    }
  }

  @Test
  void shouldSayWhyAProgramCannotBeRead() throws Exception {
    System.setProperty(ATTACH_WAIT, "300");
    try (MeshProgram program = MeshProgram.start(port, "deaf", "-XX:+DisableAttachMechanism")) {
      Cli map = Cli.run("map");

      assertEquals(1, map.status());
      assertTrue(map.err().contains("It is process " + program.pid()), map.err());
      assertTrue(map.err().contains("./mesh stat " + program.pid()), map.err());
      assertTrue(map.err().contains("cannot attach to process " + program.pid()), map.err());
      assertTrue(map.err().contains("DisableAttachMechanism"), map.err());

      program.signal("STOP");
      Cli stopped = Cli.run("map");
      program.signal("CONT");
      assertEquals(1, stopped.status());
      assertTrue(stopped.err().contains("kill -CONT " + program.pid()), stopped.err());
    }
  }

  @Test
  void shouldFollowTheProgramUntilItEnds() throws Exception {
    MeshConfig config = MeshConfig.load(Map.of());
    StringWriter err = new StringWriter();
    MeshProgram program = MeshProgram.start(port, "prog");
    try (program;
        MapSource source = MapSource.open(config, 1, new PrintWriter(err))) {
      assertEquals(program.node(), source.map().nodes().get(0).id());
      program.signal("STOP");
      IOException stopped = assertThrows(IOException.class, source::map);
      program.signal("CONT");
      assertTrue(stopped.getMessage().contains("is stopped"), stopped.getMessage());
      assertEquals(program.node(), source.map().nodes().get(0).id());
      program.close();
      IOException ended = assertThrows(IOException.class, source::map);
      assertTrue(ended.getMessage().contains("process " + program.pid()), ended.getMessage());
    }
    assertTrue(err.toString().contains("read by JMX"), err.toString());
  }
}
