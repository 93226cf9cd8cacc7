// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.cli.routes.KernelRoutes;
import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link RoutesCommand} and {@link KernelRoutes} on a line of three namespaces. */
class RoutesCommandTest {
  private static final Topology LINE =
      new Topology(
          "line",
          List.of("a", "b", "c"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("b", "10.77.2.1/24", "c", "10.77.2.2/24")));

  private static final String LISTEN =
      "import java.net.*; public class Listen { public static void main(String[] a) throws Exception {"
          + " try (ServerSocket s = new ServerSocket(7777)) { System.out.println(\"listening\");"
          + " try (Socket c = s.accept()) {"
          + " c.getInputStream().transferTo(c.getOutputStream()); } } } }";

  private static final String DIAL =
      "import java.net.*; public class Dial { public static void main(String[] a) throws Exception {"
          + " try (Socket s = new Socket(a[0], 7777)) {"
          + " s.getOutputStream().write(\"hello over b\".getBytes()); s.shutdownOutput();"
          + " System.out.println(new String(s.getInputStream().readAllBytes())); } } }";

  @TempDir private Path folder;

  private static String run(Fabric fabric, String node, String... words)
      throws IOException, InterruptedException {
    Process process =
        fabric.start(
            node, new ProcessBuilder(new ArrayList<>(List.of(words))).redirectErrorStream(true));
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }

  private static void awaitListening(Process listener) {
    assertEquals(
        "listening",
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> listener.inputReader().readLine()));
  }

  private Process mesh(Fabric fabric, String node, String... words) throws IOException {
    Path own = Files.createDirectories(folder.resolve(node));
    NodeJvm jvm =
        new NodeJvm(Map.of(), List.of("-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + own), false)
            .running(MeshMain.class.getName(), "-Xmx64m");
    ProcessBuilder builder = jvm.command(node, fabric.settings(node), words);
    builder.redirectOutput(folder.resolve(node + words.length + ".log").toFile());
    return fabric.start(node, builder.redirectErrorStream(true));
  }

  @Test
  void shouldRefuseToApplyAndRemoveAtOnce() {
    assertEquals(2, Cli.run("routes", "--apply", "--remove").status());
  }

  @Test
  @Tag("slow")
  void shouldCarryUnmodifiedTcpOverAMiddleNodeAndLeaveNoTrace() throws Exception {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    Path listen = Files.writeString(folder.resolve("Listen.java"), LISTEN);
    Path dial = Files.writeString(folder.resolve("Dial.java"), DIAL);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    try (Fabric fabric = Fabric.namespaces(LINE)) {
      List<Process> routes = applyRoutes(fabric);
      String address = addressOf("c", "a");
      awaitListening(fabric.start("c", new ProcessBuilder(java, listen.toString())));
      assertTrue(run(fabric, "a", java, dial.toString(), address).contains("hello over b"));

      removeRoutes(fabric, routes);
    }
  }

  /** While it runs: a route follows the cables, and is back on its own one when that is back. */
  @Test
  @Tag("slow")
  void shouldMoveARouteWhileACableIsCut() throws Exception {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    Path listen = Files.writeString(folder.resolve("Listen.java"), LISTEN);
    Path dial = Files.writeString(folder.resolve("Dial.java"), DIAL);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      List<Process> routes = applyRoutes(fabric);
      String address = addressOf("c", "a");
      awaitRoute(fabric, address, "to-c");
      run(fabric, "a", "ip", "link", "set", "to-c", "down");
      awaitRoute(fabric, address, "to-b");
      awaitListening(fabric.start("c", new ProcessBuilder(java, listen.toString())));
      assertTrue(run(fabric, "a", java, dial.toString(), address).contains("hello over b"));
      run(fabric, "a", "ip", "link", "set", "to-c", "up");
      awaitRoute(fabric, address, "to-c");
      removeRoutes(fabric, routes);
    }
  }

  private static void awaitRoute(Fabric fabric, String address, String netdev) {
    Awaitility.await()
        .atMost(20, TimeUnit.SECONDS)
        .until(
            () ->
                run(fabric, "a", "ip", "-6", "route", "get", address)
                    .contains(" dev " + netdev + " "));
  }

  /** Leaves link-local addresses alone, starts an agent at each node, and awaits all routes. */
  private List<Process> applyRoutes(Fabric fabric) throws Exception {
    for (Cable cable : fabric.topology().cables()) {
      for (String node : List.of(cable.a().node(), cable.b().node())) {
        String netdev = fabric.topology().interfaceName(cable, node);
        run(fabric, node, "ip", "addr", "flush", "dev", netdev);
        run(fabric, node, "ip", "link", "set", netdev, "addrgenmode", "eui64");
        run(fabric, node, "ip", "link", "set", netdev, "down");
        run(fabric, node, "ip", "link", "set", netdev, "up");
      }
    }
    for (String node : fabric.topology().nodes()) {
      mesh(fabric, node, "up");
    }
    for (String node : fabric.topology().nodes()) {
      Awaitility.await()
          .atMost(30, TimeUnit.SECONDS)
          .until(
              () -> {
                try (var files = Files.walk(folder.resolve(node))) {
                  return files.anyMatch(file -> file.toString().endsWith(".sock"));
                }
              });
    }
    List<Process> routes = new ArrayList<>();
    for (String node : fabric.topology().nodes()) {
      routes.add(mesh(fabric, node, "routes", "--apply"));
    }
    for (String node : fabric.topology().nodes()) {
      for (String other : fabric.topology().nodes()) {
        if (!other.equals(node)) {
          addressOf(other, node);
        }
      }
    }
    return routes;
  }

  /** The address of a node, as soon as another has a route to it. */
  private String addressOf(String node, String other) throws IOException {
    Path shown = folder.resolve(other + "2.log");
    Awaitility.await()
        .atMost(40, TimeUnit.SECONDS)
        .until(() -> Files.readString(shown).lines().anyMatch(line -> line.startsWith(node + " ")));
    return Files.readString(shown)
        .lines()
        .filter(line -> line.startsWith(node + " "))
        .findFirst()
        .orElseThrow()
        .split(" +")[1];
  }

  private static void removeRoutes(Fabric fabric, List<Process> routes) throws Exception {
    for (Process each : routes) {
      each.destroy();
      assertTrue(each.waitFor(20, TimeUnit.SECONDS));
    }
    for (String node : fabric.topology().nodes()) {
      assertFalse(run(fabric, node, "ip", "link").contains(KernelRoutes.INTERFACE), node);
      assertEquals("", run(fabric, node, "ip", "-6", "route", "show", "proto", "77"), node);
      String forwarding = run(fabric, node, "cat", "/proc/sys/net/ipv6/conf/all/forwarding");
      assertEquals("0", forwarding.strip(), node);
    }
  }
}
