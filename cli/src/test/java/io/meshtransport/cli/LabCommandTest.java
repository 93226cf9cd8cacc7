// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * What the lab's commands make of their arguments, before any guest boots.
 *
 * <p>Also tests {@link LabPrepareCommand} and {@link LabRunCommand}.
 */
class LabCommandTest {
  @CommandLine.Command(name = "some")
  private static final class Some {
    @CommandLine.Mixin private LabTopology topology = LabTopology.byDefault("triangle");
  }

  private static Topology topology(String... arguments) {
    Some some = new Some();
    CommandLine commandLine = new CommandLine(some);
    commandLine.parseArgs(arguments);
    return some.topology.topology(commandLine);
  }

  @Test
  void shouldNameTheTopologiesThereAre() {
    Cli run = Cli.run("lab", "run", "--topology", "moebius", "--", "true");

    assertEquals(2, run.status());
    assertTrue(run.err().contains("'moebius'; there are pair, triangle, "), run.err());
    assertTrue(run.err().contains("mesh-of-4"), run.err());
    assertEquals(2, Cli.run("lab", "demo", "--topology", "loopback").status());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1279", "9001", "-1", "large"})
  void shouldRefuseAnMtuThatNoGuestHas(String mtu) {
    Cli run = Cli.run("lab", "run", "--guest-mtu", mtu, "--", "true");

    assertEquals(2, run.status());
    assertTrue(run.err().contains(mtu), run.err());
  }

  @ParameterizedTest
  @CsvSource({"triangle,4200,4200", "pair,4200,4200", "mesh-of-4,4200,4200", "mtu-mix,1500,9000"})
  void shouldGiveInterfacesAnMtuForWholeRdmaPackets(String name, int atA, int atB) {
    Topology topology = topology("--topology", name);

    assertEquals(atA, topology.cables().get(0).a().mtuBytes());
    assertEquals(atB, topology.cables().get(0).b().mtuBytes());
  }

  @Test
  void shouldGiveEveryInterfaceTheRequestedMtu() {
    Topology topology = topology("--guest-mtu", "1500");

    assertEquals("triangle", topology.name());
    topology
        .cables()
        .forEach(
            cable -> {
              assertEquals(1500, cable.a().mtuBytes());
              assertEquals(1500, cable.b().mtuBytes());
            });
  }

  @Test
  void shouldRefuseAProviderThatIsNone() {
    Cli run = Cli.run("lab", "demo", "--provider", "wishes");

    assertEquals(2, run.status());
    assertTrue(run.err().contains("wishes"), run.err());
  }

  @Test
  void shouldRefuseToPutFilesIntoAFile(@TempDir Path folder) throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    Cli run = Cli.run("lab", "run", "--out", file.toString(), "--", "true");

    assertEquals(2, run.status());
    assertTrue(run.err().contains(file + " is no folder"), run.err());
  }

  @Test
  void shouldRequireACommand() {
    Cli run = Cli.run("lab", "run");

    assertEquals(2, run.status());
    assertTrue(run.err().contains("COMMAND"), run.err());
  }

  @Test
  void shouldExplainItselfAndEachOfItsCommands() {
    for (String command : new String[] {"demo", "run", "test", "prepare"}) {
      assertTrue(Cli.run("lab", "--help").out().contains("  " + command + " "), command);
      assertEquals(0, Cli.run("lab", command, "--help").status(), command);
    }
    String help = Cli.run("lab", "run", "--help").out();
    for (String name : new String[] {"MESH_NODE", "MESH_NODES", "LAB_PEER_b", "LAB_OUT"}) {
      assertTrue(help.contains(name), help);
    }
    assertEquals(2, Cli.run("lab").status());
  }
}
