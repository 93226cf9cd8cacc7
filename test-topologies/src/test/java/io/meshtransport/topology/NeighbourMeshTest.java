// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.neighbours.agent.NeighbourAgent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link NeighbourAgent}s on real cables, a JVM per node. */
@RequiresNamespaces
class NeighbourMeshTest {

  /** Bounds of verdicts, and what the machine and the lines' way here may add. */
  private static final long LIMIT_MS = 1500;

  private static final long PROCESS_MS = 100;

  /** A node whose cables have changed often says the next change so much later, at most. */
  private static final long PACE_MS = 5000;

  /** Not so much that the silence of a connection is taken for a verdict. */
  private static final long SLACK_MS = 8000;

  /** A busy host may make a stop longer than it is to be, but not each time. */
  private static final int ATTEMPTS = 4;

  /** Connections bear silence for far longer than a verdict takes. */
  private static final Map<String, String> SOFT =
      Map.of("MESH_PROVIDER", "soft", "MESH_SILENCE_MS", "60000");

  private static final int NEIGHBOUR_PORT = MeshConfig.load(Map.of()).neighbourPort();

  private static final long SOAK_S = 600;
  private static final int BUSY_LOOPS = 4;

  private static final Topology LINE =
      new Topology(
          "line",
          List.of("a", "b", "c"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("b", "10.77.2.1/24", "c", "10.77.2.2/24")));

  private final Map<String, LineProgram> agents = new HashMap<>();

  private void start(Fabric fabric, String node) {
    start(fabric, node, Map.of());
  }

  private void start(Fabric fabric, String node, Map<String, String> settings) {
    start(fabric, node, settings, NeighbourProgram.class);
  }

  private void start(
      Fabric fabric,
      String node,
      Map<String, String> settings,
      Class<?> program,
      String... arguments) {
    NodeJvm jvm = NodeJvm.withSettings(settings).running(program.getName(), "-Xmx64m");
    try {
      ProcessBuilder builder = jvm.command(node, fabric.settings(node), arguments);
      builder.redirectError(ProcessBuilder.Redirect.INHERIT);
      agents.put(node, new LineProgram(fabric.start(node, builder)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void startAll(Fabric fabric) {
    fabric.topology().nodes().forEach(node -> start(fabric, node));
  }

  private void awaitAll(String line) throws InterruptedException {
    for (LineProgram each : agents.values()) {
      each.await(line);
    }
  }

  private void awaitAllAlive() throws InterruptedException {
    for (String node : agents.keySet()) {
      for (Map.Entry<String, LineProgram> other : agents.entrySet()) {
        if (!other.getKey().equals(node)) {
          other.getValue().await("verdict " + node + " ALIVE");
        }
      }
    }
  }

  /** Lets time pass where its length is what is tested: of a stop, of silence. */
  private static void pause(long ms) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(ms);
  }

  private static void awaitSockets(LineProgram at, Predicate<TcpTable> isSo) {
    Awaitility.await()
        .atMost(Scenario.STEP)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> TcpTable.of(at.process), isSo);
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
      for (LineProgram each : agents.values()) {
        assertFalse(each.seen.stream().anyMatch(line -> line.startsWith("found")), "" + each.seen);
      }
    }
  }

  static List<Topology> shapes() {
    Cable across = Cable.between("a", "10.77.6.1/24", "c", "10.77.6.2/24");
    List<Cable> ring =
        List.of(
            Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
            Cable.between("b", "10.77.2.1/24", "c", "10.77.2.2/24"),
            Cable.between("c", "10.77.3.1/24", "d", "10.77.3.2/24"),
            Cable.between("d", "10.77.4.1/24", "a", "10.77.4.2/24"));
    List<Cable> partial = new ArrayList<>(ring);
    partial.add(across);
    partial.add(Cable.between("d", "10.77.7.1/24", "e", "10.77.7.2/24"));
    List<String> four = List.of("a", "b", "c", "d");
    return List.of(
        new Topology("ring", four, ring),
        Topologies.fullMesh(4),
        new Topology("partial", List.of("a", "b", "c", "d", "e"), partial));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void shouldKnowEveryShapeAtEveryNode(Topology topology) throws Exception {
    try (Fabric fabric = Fabric.namespaces(topology)) {
      startAll(fabric);
      int nodes = topology.nodes().size();
      awaitAll("graph %d nodes %d cables".formatted(nodes, topology.cables().size()));
      awaitAllAlive();
      agents.get("d").process.destroyForcibly();
      for (String node : List.of("a", "b", "c")) {
        agents.get(node).await("verdict d PROCESS_GONE");
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
      agents.get("a").await("cut b");
      agents.get("b").await("cut a");
      fabric.ip("a", "link", "set", name, "up");
      awaitAll("graph 3 nodes 3 cables");
    }
  }

  @Test
  void shouldNoticeADeadProcessAndKeepOneThatPauses() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.PAIR)) {
      startAll(fabric);
      awaitAll("graph 2 nodes 1 cables");
      LineProgram a = agents.get("a");
      LineProgram b = agents.get("b");
      a.await("verdict b ALIVE");
      b.await("verdict a ALIVE");
      assertUnnoticed(b, 3, 700, 500, each -> each.startsWith("down"));
      assertUnnoticed(b, 5, 800, 300, LineProgram::isVerdict);
      long beganNs = System.nanoTime();
      b.process.destroyForcibly();
      // By a refused connection, or, where a machine has held a for a second, by silence.
      a.await("down b ");
      a.await("verdict b PROCESS_GONE");
      report("a killed process is known to its neighbour", beganNs, PROCESS_MS);
      start(fabric, "b");
      a.await("up b");
      a.await("verdict b ALIVE");
    }
  }

  /** Stops a process for a while, some times in a row, of which no agent says such a line. */
  private void assertUnnoticed(
      LineProgram stopped, int stops, long stopMs, long pauseMs, Predicate<String> isNoticed)
      throws InterruptedException {
    List<String> noticed = List.of();
    for (int attempt = 0; attempt == 0 || !noticed.isEmpty(); attempt++) {
      assertTrue(attempt < ATTEMPTS, "" + noticed);
      agents.values().forEach(each -> each.lines.clear());
      for (int i = 0; i < stops; i++) {
        stopped.signal("STOP");
        pause(stopMs);
        stopped.signal("CONT");
        pause(pauseMs);
      }
      noticed =
          agents.values().stream().flatMap(each -> each.lines.stream()).filter(isNoticed).toList();
      noticed.forEach(each -> System.out.println("noticed: " + each));
    }
  }

  /** Prints how long something took, and fails where a busy machine does not explain it. */
  private static void report(String what, long beganNs, long limitMs) {
    long tookMs = Duration.ofNanos(System.nanoTime() - beganNs).toMillis();
    System.out.printf("%s after %d ms, at most %d%n", what, tookMs, limitMs);
    assertTrue(tookMs < limitMs + SLACK_MS, tookMs + " ms");
  }

  @Test
  void shouldDistinguishStoppedAndDeadProcessesInALine() throws Exception {
    try (Fabric fabric = Fabric.namespaces(LINE)) {
      startAll(fabric);
      awaitAll("graph 3 nodes 2 cables");
      LineProgram a = agents.get("a");
      LineProgram b = agents.get("b");
      LineProgram c = agents.get("c");
      a.await("verdict c ALIVE");
      b.await("verdict c ALIVE");
      long beganNs = System.nanoTime();
      c.signal("STOP");
      b.await("verdict c STUCK");
      report("a stopped process is known to its neighbour", beganNs, LIMIT_MS);
      a.await("verdict c STUCK");
      report("a stopped process is known two cables away", beganNs, LIMIT_MS);
      c.signal("CONT");
      a.await("verdict c ALIVE");
      b.await("verdict c ALIVE");
      c.end();
      a.await("verdict c LEFT");
      b.await("verdict c LEFT");
      start(fabric, "c");
      a.await("verdict c ALIVE");
      b.await("verdict c ALIVE");
      LineProgram next = agents.get("c");
      next.await("verdict a ALIVE");
      // On which its end is seen.
      awaitSockets(next, sockets -> sockets.hasConnectionTo(NEIGHBOUR_PORT));
      beganNs = System.nanoTime();
      next.process.destroyForcibly();
      b.await("verdict c PROCESS_GONE");
      report("a killed process is known to its neighbour", beganNs, PROCESS_MS);
      a.await("verdict c PROCESS_GONE");
      report("a killed process is known two cables away", beganNs, PROCESS_MS + PACE_MS);
    }
  }

  @Test
  void shouldDistinguishACutCableFromADeadNode() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.relayed(Topologies.TRIANGLE, 1)) {
      startAll(fabric);
      awaitAll("graph 3 nodes 3 cables 3 services");
      awaitAllAlive();
      Cable ab = fabric.topology().cables().get(0);
      LineProgram a = agents.get(ab.a().node());
      LineProgram b = agents.get(ab.b().node());
      agents.values().forEach(each -> each.lines.clear());
      long beganNs = System.nanoTime();
      fabric.relay(ab).blackHole(Duration.ofHours(1));
      a.await("cut " + ab.b().node());
      b.await("cut " + ab.a().node());
      report("a silent cut is known to both ends", beganNs, LIMIT_MS);
      // A wrong verdict would come within the time that a right one may take.
      pause(LIMIT_MS);
      for (LineProgram each : agents.values()) {
        assertFalse(each.lines.stream().anyMatch(LineProgram::isVerdict), "" + each.lines);
        assertFalse(each.seen.stream().anyMatch(line -> line.contains("_GONE")), "" + each.seen);
      }
    }
  }

  @Test
  void shouldSayThatANodeIsGoneWhenNobodyHearsIt() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.relayed(Topologies.TRIANGLE, 1)) {
      startAll(fabric);
      awaitAll("graph 3 nodes 3 cables 3 services");
      awaitAllAlive();
      long beganNs = System.nanoTime();
      cutOff(fabric, "c");
      agents.get("a").await("verdict c NODE_GONE");
      agents.get("b").await("verdict c NODE_GONE");
      report("a node that nobody hears is known to be gone", beganNs, LIMIT_MS);
      LineProgram a = agents.get("a");
      assertFalse(a.seen.stream().anyMatch(each -> each.startsWith("cut")), "" + a.seen);
    }
  }

  /** The SPI's {@link io.meshtransport.spi.Mesh}, between programs. */
  @Test
  void shouldConnectNodesByTheirNames() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      startNamedPrograms(fabric);
      String refusal = agents.get("a").await("refused PEER_UNREACHABLE");
      assertTrue(refusal.contains("b") && refusal.contains("c"), refusal);
      awaitAll("all cables are known");
      agents.get("c").process.destroyForcibly();
      agents.get("a").await("verdict c PROCESS_GONE");
      agents.get("b").await("verdict c PROCESS_GONE");
      // Another process is another node, of the same name.
      start(fabric, "c", Map.of("MESH_PROVIDER", "soft"), NamedProgram.class, "1");
      agents.get("a").await("appeared c");
    }
  }

  private void startNamedPrograms(Fabric fabric) throws InterruptedException {
    for (String node : fabric.topology().nodes()) {
      start(fabric, node, SOFT, NamedProgram.class, "3");
    }
    agents.get("a").await("greeted by [b, c]");
    agents.get("b").await("greeted by [a, c]");
    agents.get("c").await("greeted by [a, b]");
    agents.get("a").await("answered by [b, c]");
    agents.get("b").await("answered by [a, c]");
    agents.get("c").await("answered by [a, b]");
  }

  @Test
  void shouldConnectNodesByTheirNamesWithoutAnyConfiguredAddress() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.namespaces(Topologies.TRIANGLE)) {
      leaveLinkLocalOnly(fabric);
      startNamedPrograms(fabric);
      awaitAll("all cables are known");
    }
  }

  @Test
  void shouldConnectNodesByTheirNamesWhereAllCablesHaveTheSameAddresses() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.LINK_LOCAL)) {
      startNamedPrograms(fabric);
      awaitAll("all cables are known");
    }
  }

  /** Nothing in the far node's handle says so. */
  @Test
  void shouldSayThatNoCableJoinsTheEndsOfALineOfLinkLocalAddresses() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.namespaces(LINE)) {
      leaveLinkLocalOnly(fabric);
      Map<String, String> soft = Map.of("MESH_PROVIDER", "soft");
      start(fabric, "b", soft, FarNodeProgram.class, "3");
      start(fabric, "c", soft, FarNodeProgram.class, "3");
      start(fabric, "a", soft, FarNodeProgram.class, "3", "c");
      String why = agents.get("a").await("failed ");
      assertTrue(why.startsWith("failed NO_ROUTE No cable joins this node and node c ("), why);
      assertTrue(why.contains(" leads to b/"), why);
    }
  }

  /** Its connections by themselves would be silent for a minute first. */
  @Test
  void shouldFailCallsToANodeThatIsGone() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.relayed(Topologies.TRIANGLE, 1)) {
      for (String node : fabric.topology().nodes()) {
        start(fabric, node, SOFT, NamedProgram.class, "3");
      }
      awaitAll("all cables are known");
      long beganNs = System.nanoTime();
      cutOff(fabric, "c");
      for (String node : List.of("a", "b")) {
        String lost = agents.get(node).await("lost c (");
        // The session's text, or that of the connection which the same verdict ended first.
        assertTrue(
            lost.contains("counts as gone, though it may live behind a cut cable: ")
                || lost.contains(": the node counts as gone: no sign of life"),
            lost);
      }
      report("a call to a node that is gone fails", beganNs, LIMIT_MS);
    }
  }

  /** Plain connections, which silence alone would end after a minute. */
  @Test
  void shouldFailRequestsToANodeThatIsGone() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.relayed(Topologies.TRIANGLE, 1)) {
      startNamedPrograms(fabric);
      awaitAll("all cables are known");
      long beganNs = System.nanoTime();
      cutOff(fabric, "c");
      for (String node : List.of("a", "b")) {
        String ended = agents.get(node).await("ended c: receive PEER_GONE");
        report("what waits for a node that is cut off fails", beganNs, LIMIT_MS);
        assertTrue(ended.contains("the node counts as gone: no sign of life"), ended);
        assertTrue(ended.contains(" send PEER_GONE"), ended);
        List<String> seen = agents.get(node).seen;
        assertTrue(seen.stream().noneMatch(each -> each.startsWith("ended a:")), "" + seen);
        assertTrue(seen.stream().noneMatch(each -> each.startsWith("ended b:")), "" + seen);
      }
    }
  }

  /** The cables stay, so connections of others do; the other end of this one waits for nobody. */
  @Test
  void shouldFailRequestsToAProcessThatIsKilled() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      startNamedPrograms(fabric);
      awaitAll("all cables are known");
      long beganNs = System.nanoTime();
      agents.get("c").process.destroyForcibly();
      for (String node : List.of("a", "b")) {
        String ended = agents.get(node).await("ended c: receive PEER_GONE");
        report("what waits for a process that is killed fails", beganNs, PROCESS_MS);
        assertTrue(ended.contains(" send PEER_GONE"), ended);
      }
    }
  }

  /**
   * Its kernel accepts the handshake, and nobody answers it; then it is killed, and starts anew.
   */
  @Test
  void shouldConnectToANodeThatRestartsInTheMiddleOfIt() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.PAIR)) {
      Map<String, String> settings = Map.of("MESH_PROVIDER", "soft");
      start(fabric, "a", settings, ConnectingProgram.class, "b");
      start(fabric, "b", settings, ConnectingProgram.class, "a");
      LineProgram a = agents.get("a");
      LineProgram b = agents.get("b");
      String before = a.await("published b");
      // Else b may stop before its record has the cable, and no end of it is reported.
      a.await("link up");
      b.signal("STOP");
      a.process.getOutputStream().write('\n');
      a.process.getOutputStream().flush();
      a.await("connecting");
      // The handshake is accepted by the kernel, and not by the program.
      awaitSockets(b, sockets -> sockets.hasWaitingExceptTo(NEIGHBOUR_PORT));
      b.process.destroyForcibly();
      a.await("link down");
      a.await("verdict b PROCESS_GONE");
      start(fabric, "b", settings, ConnectingProgram.class, "a");
      String after = a.await("connected to b");
      assertFalse(after.endsWith(before.substring("published ".length())), after);
    }
  }

  /** Busy loops take the processors away, and each node in turn is stopped for 0.8 s. */
  @Test
  @EnabledIfSystemProperty(
      named = "mesh.test.long",
      matches = "true",
      disabledReason = "ten minutes, so -Dmesh.test.limit=900; -Dmesh.test.soak=SECONDS for less")
  void shouldJudgeNobodyFalselyBesideBusyLoops() throws Exception {
    long seconds = Long.getLong("mesh.test.soak", SOAK_S);
    List<Process> loops = new ArrayList<>();
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      startAll(fabric);
      awaitAll("graph 3 nodes 3 cables 3 services");
      awaitAllAlive();
      agents.values().forEach(each -> each.lines.clear());
      for (int i = 0; i < BUSY_LOOPS; i++) {
        loops.add(busyLoop(seconds));
      }
      long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      int stops = 0;
      while (System.nanoTime() < endNs) {
        LineProgram stopped = agents.get(fabric.topology().nodes().get(stops % 3));
        stopped.signal("STOP");
        pause(800);
        stopped.signal("CONT");
        stops++;
        pause(5000);
        for (Map.Entry<String, LineProgram> each : agents.entrySet()) {
          assertFalse(
              each.getValue().lines.stream().anyMatch(LineProgram::isVerdict),
              each.getKey() + " after " + stops + " stops: " + each.getValue().lines);
        }
      }
      System.out.printf(
          "no verdict in %d s beside %d busy loops, with %d stops of 0.8 s%n",
          seconds, BUSY_LOOPS, stops);
    } finally {
      loops.forEach(Process::destroy); // Which timeout(1) passes on.
    }
  }

  /** Ends by itself if the test cannot end it. */
  private static Process busyLoop(long seconds) throws IOException {
    String limit = String.valueOf(2 * seconds);
    return new ProcessBuilder("timeout", limit, "sh", "-c", "while :; do :; done").start();
  }

  private static void cutOff(NamespaceFabric fabric, String node) {
    for (Cable each : fabric.topology().cables()) {
      if (each.a().node().equals(node) || each.b().node().equals(node)) {
        fabric.relay(each).blackHole(Duration.ofHours(1));
      }
    }
  }

  @Test
  void shouldKnowNodesOfTheSameSecretOnly() throws Exception {
    try (Fabric fabric = Fabric.namespaces(LINE)) {
      start(fabric, "a", Map.of("MESH_SECRET", "sixteen bytes or more"));
      start(fabric, "b", Map.of("MESH_SECRET", "sixteen bytes or more"));
      start(fabric, "c", Map.of("MESH_SECRET", "another secret of bytes"));
      for (String each : List.of("a", "b")) {
        agents.get(each).await("graph 2 nodes 1 cables 2 services");
      }
      // It may have heard c before a.
      String found = agents.get("b").awaitEver("found");
      assertTrue(found.contains("secret"), found);
      assertTrue(agents.get("c").await("found").contains("secret"));
      assertFalse(agents.get("c").seen.stream().anyMatch(each -> each.startsWith("up")));
      agents.get("a").process.destroyForcibly();
      agents.get("b").await("verdict a PROCESS_GONE");
    }
  }
}
