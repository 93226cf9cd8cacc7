package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class MeshMainTest {
  @Test
  void shouldRefuseUnknownCommandsWithStatusTwo() {
    Cli run = Cli.run("dance");

    assertEquals(2, run.status());
    assertTrue(run.err().startsWith("mesh: unknown command 'dance'"), run.err());
    assertTrue(run.err().contains("  listen "), run.err());
  }

  @Test
  void shouldHelpAndTellItsVersionWhereverItIsAsked() {
    for (String command : List.of("demo", "nics", "listen", "ping")) {
      for (String option : List.of("-h", "--help")) {
        Cli run = Cli.run(command, option);
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().startsWith("Usage: mesh " + command), run.out());
      }
      assertTrue(Cli.run(command, "--version").out().startsWith("mesh "));
    }
    assertTrue(Cli.run("--help").out().contains("  listen "));
    assertEquals(0, Cli.run("-h").status());
    assertEquals(0, Cli.run("--version").status());
  }

  @Test
  void shouldNameEveryCommandInTheHelp() {
    Cli run = Cli.run("help");

    assertEquals(0, run.status());
    for (String command : new String[] {"demo", "test", "nics", "listen", "ping"}) {
      assertTrue(run.out().contains("  " + command + " "), run.out());
    }
  }

  @Test
  void shouldSayMoreWithMeshDebug() {
    assertEquals("info", MeshMain.level(null));
    assertEquals("info", MeshMain.level("0"));
    assertEquals("debug", MeshMain.level("1"));
    assertEquals("trace", MeshMain.level("2"));
  }
}
