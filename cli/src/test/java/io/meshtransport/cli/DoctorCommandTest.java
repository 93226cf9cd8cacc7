// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.nic.Inventory;
import io.meshtransport.nic.Rejection;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link DoctorCommand}. */
class DoctorCommandTest {
  private static final NodeJvm JVM =
      NodeJvm.withSettings(Map.of()).running(MeshMain.class.getName(), "-Xmx64m");

  @Test
  void shouldRefuseATimeThatIsNone() {
    assertEquals(2, Cli.run("doctor", "--wait", "601").status());
  }

  @Test
  void shouldReportRdmaPortsThatAreLeftOut() {
    Inventory inventory =
        new Inventory(
            List.of(),
            List.of(),
            List.of(
                new Rejection("mlx5_0", 1, "eth0", "no RoCE v2 GID", "Assign an address"),
                new Rejection("eth9", 0, "eth9", "no address", "Assign one")));

    assertEquals(1, DoctorCommand.gidRows(inventory).size());
    assertEquals("mlx5_0 port 1", DoctorCommand.gidRows(inventory).get(0).where());
  }

  private static Process startDoctor(Fabric fabric) throws IOException {
    ProcessBuilder builder = JVM.command("a", fabric.settings("a"), "doctor");
    return fabric.start("a", builder.redirectErrorStream(true));
  }

  private static String said(Process doctor) throws IOException {
    return new String(doctor.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static String doctorAt(Fabric fabric, int expectedStatus)
      throws IOException, InterruptedException {
    Process doctor = startDoctor(fabric);
    String said = said(doctor);
    assertEquals(expectedStatus, doctor.waitFor(), said);
    return said;
  }

  @Test
  @Tag("slow")
  void shouldFindAnMtuThatDiffersBetweenNamespaces() throws IOException, InterruptedException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    try (Fabric fabric = Fabric.namespaces(Topologies.PAIR)) {
      ProcessBuilder up = JVM.command("b", fabric.settings("b"), "up");
      awaitLine(fabric.start("b", up.redirectError(ProcessBuilder.Redirect.DISCARD)));
      assertTrue(doctorAt(fabric, 0).contains("2 nodes, 1 cable: 1 up"));

      fabric.start("b", new ProcessBuilder("ip", "link", "set", "to-a", "mtu", "1400")).waitFor();
      String said = doctorAt(fabric, 1);
      assertTrue(said.contains("BLOCKS  cabling at a, to-b - b/to-a: The MTU is 1500"), said);
    }
  }

  /** As where a program has joined the mesh: it is this host's node. */
  @Test
  @Tag("slow")
  void shouldExamineTheHostWhereItCannotReadTheMesh(@TempDir Path elsewhere)
      throws IOException, InterruptedException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    try (Fabric fabric = Fabric.namespaces(Topologies.PAIR)) {
      NodeJvm withoutSocket =
          JVM.running(MeshMain.class.getName(), "-Xmx64m", "-Djava.io.tmpdir=" + elsewhere);
      awaitLine(fabric.start("a", withoutSocket.command("a", fabric.settings("a"), "up")));
      ProcessBuilder program = JVM.command("a", fabric.settings("a"), "listen");
      Process listening = fabric.start("a", program);
      awaitLine(listening);

      String said = doctorAt(fabric, 1);

      assertTrue(said.contains("this host alone"), said);
      assertTrue(said.contains("warns   the mesh: It cannot be read. UDP port 4793"), said);
      assertTrue(said.contains(listening.pid() + " (io.meshtransport.cli.MeshMain listen)"), said);
    }
  }

  /** No map is drawn before the cable is cut: the program's node remembers it all the same. */
  @Test
  @Tag("slow")
  void shouldReadTheMeshOfTheProgramThatIsTheNode() throws IOException, InterruptedException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      for (String each : List.of("b", "c")) {
        ProcessBuilder up = JVM.command(each, fabric.settings(each), "up");
        up.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        fabric.start(each, up.redirectError(ProcessBuilder.Redirect.DISCARD));
      }
      try (MeshProgram program =
          MeshProgram.start("a", fabric.settings("a"), 3, each -> fabric.start("a", each))) {
        fabric.cut(fabric.topology().cables().get(0));

        String said =
            Awaitility.await()
                .atMost(MeshProgram.LIMIT)
                .until(() -> said(startDoctor(fabric)), each -> each.contains("CUT"));

        assertTrue(said.contains("3 nodes, 3 cables: 2 up, 1 CUT"), said);
        assertTrue(said.contains("as process " + program.pid()), said);
        assertTrue(said.contains("it worked and is cut, though both nodes live"), said);
      }
    }
  }

  private static void awaitLine(Process program) throws IOException {
    int first = program.getInputStream().read();
    assertTrue(first >= 0, "it has ended");
  }
}
