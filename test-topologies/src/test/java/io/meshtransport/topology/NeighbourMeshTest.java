// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.neighbours.agent.NeighbourAgent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@link NeighbourAgent}s on real cables, a JVM per node. */
@RequiresNamespaces
class NeighbourMeshTest {
  private static final long LIMIT_S = 20;

  /** A program at a node, and the lines that it has printed. */
  private static final class Agent {
    final Process process;
    final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    final List<String> seen = new ArrayList<>();

    Agent(Process process) {
      this.process = process;
      Thread reader = new Thread(this::read, "lines");
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader from =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        from.lines().forEach(lines::add);
      } catch (IOException | UncheckedIOException e) {
        lines.add("stream: " + e);
      }
    }

    /** Waits for a line that begins so. */
    String await(String start) throws InterruptedException {
      long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
      while (true) {
        String line = lines.poll(endNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (line == null) {
          throw new AssertionError("no '" + start + "' in " + LIMIT_S + " s, but " + seen);
        }
        seen.add(line);
        if (line.startsWith(start)) {
          return line;
        }
      }
    }

    void signal(String signal) {
      new Command(List.of("kill", "-" + signal, String.valueOf(process.pid()))).run();
    }

    void end() throws Exception {
      process.getOutputStream().close();
      assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS));
    }
  }

  private final Map<String, Agent> agents = new HashMap<>();

  private void start(Fabric fabric, String node) {
    NodeJvm jvm =
        NodeJvm.withSettings(Map.of()).running(NeighbourProgram.class.getName(), "-Xmx64m");
    try {
      ProcessBuilder builder = jvm.command(node, fabric.settings(node));
      builder.redirectError(ProcessBuilder.Redirect.INHERIT);
      agents.put(node, new Agent(fabric.start(node, builder)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void startAll(Fabric fabric) {
    fabric.topology().nodes().forEach(node -> start(fabric, node));
  }

  private void awaitAll(String line) throws InterruptedException {
    for (Agent each : agents.values()) {
      each.await(line);
    }
  }

  /** Takes all configured addresses away and lets the kernel make its fe80:: ones. */
  private static void leaveLinkLocalOnly(NamespaceFabric fabric) {
    for (Cable cable : fabric.topology().cables()) {
      for (CableEnd end : List.of(cable.a(), cable.b())) {
        String name = fabric.topology().interfaceName(cable, end.node());
        fabric.ip(end.node(), "addr", "flush", "dev", name);
        fabric.ip(end.node(), "link", "set", name, "addrgenmode", "eui64");
        fabric.ip(end.node(), "link", "set", name, "down");
        fabric.ip(end.node(), "link", "set", name, "up");
      }
    }
  }

  @Test
  void shouldFindAllNodesAndCablesByIpv4() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      startAll(fabric);
      awaitAll("graph 3 nodes 3 cables 3 services");
      assertTrue(agents.get("a").seen.stream().anyMatch(each -> each.endsWith("IPv4")));
      agents.get("c").end();
      agents.get("a").await("gone c");
      agents.get("b").await("gone c");
      for (Agent each : agents.values()) {
        assertFalse(each.seen.stream().anyMatch(line -> line.startsWith("found")), "" + each.seen);
      }
    }
  }

  @Test
  void shouldNeedNoAddressesButThoseOfTheKernel() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.namespaces(Topologies.TRIANGLE)) {
      leaveLinkLocalOnly(fabric);
      startAll(fabric);
      awaitAll("graph 3 nodes 3 cables 3 services");
      assertTrue(agents.get("a").seen.stream().anyMatch(each -> each.endsWith("IPv6")));
      Cable cable = fabric.topology().cables().get(0);
      String name = fabric.topology().interfaceName(cable, "a");
      long beganNs = System.nanoTime();
      fabric.ip("a", "link", "set", name, "down");
      awaitAll("graph 3 nodes 2 cables");
      System.out.printf(
          "a cut with its carrier is known to three nodes after %d ms%n",
          Duration.ofNanos(System.nanoTime() - beganNs).toMillis());
      fabric.ip("a", "link", "set", name, "up");
      awaitAll("graph 3 nodes 3 cables");
    }
  }

  @Test
  void shouldNoticeADeadProcessAndKeepOneThatPauses() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.PAIR)) {
      startAll(fabric);
      awaitAll("graph 2 nodes 1 cables");
      Agent a = agents.get("a");
      Agent b = agents.get("b");
      for (int i = 0; i < 3; i++) {
        b.signal("STOP");
        Thread.sleep(700);
        b.signal("CONT");
        Thread.sleep(500);
      }
      assertFalse(a.lines.stream().anyMatch(each -> each.startsWith("down")), "" + a.lines);
      assertFalse(b.lines.stream().anyMatch(each -> each.startsWith("down")), "" + b.lines);
      long cpuNs = cpuNs(a);
      Thread.sleep(5000);
      System.out.printf(
          "idle agent with one cable: %.2f %% of a core%n", (cpuNs(a) - cpuNs) / 5e9 * 100);
      long beganNs = System.nanoTime();
      b.process.destroyForcibly();
      a.await("down b SILENT");
      long tookMs = Duration.ofNanos(System.nanoTime() - beganNs).toMillis();
      System.out.printf("a killed process is silent after %d ms%n", tookMs);
      assertTrue(tookMs < 3000, tookMs + " ms");
      start(fabric, "b");
      a.await("up b");
    }
  }

  private static long cpuNs(Agent of) {
    return of.process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }
}
