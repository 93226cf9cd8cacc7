// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.cli.map.MapSocket;
import io.meshtransport.cli.map.TerminalPicture;
import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.topology.Cable;
import io.meshtransport.topology.CableEnd;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Five nodes that know each other while cables and processes fail. Each step is over when the map
 * of every node that runs shows it. Used once, by one thread; the fabric is the caller's.
 */
final class MeshDemo implements AutoCloseable {
  /** A ring of five and one cable across. The addresses at c belong to each other's cable. */
  static final Topology TOPOLOGY =
      new Topology(
          "five",
          List.of("a", "b", "c", "d", "e"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("b", "10.77.2.1/24", "c", "10.77.3.1/24"),
              Cable.between("c", "10.77.2.2/24", "d", "10.77.3.2/24"),
              Cable.between("d", "10.77.4.1/24", "e", "10.77.4.2/24"),
              Cable.between("e", "10.77.5.1/24", "a", "10.77.5.2/24"),
              Cable.between("a", "10.77.6.1/24", "c", "10.77.6.2/24")));

  private static final List<Cable> CROSSED =
      List.of(TOPOLOGY.cables().get(1), TOPOLOGY.cables().get(2));

  /** JVMs that start on a busy host are the slowest of it. */
  private static final long START_LIMIT_MS = 60_000;

  /** Verdicts take 1.5 s; nodes that pause, a busy host and the way of a record may add to it. */
  private static final long LIMIT_MS = 30_000;

  private static final long POLL_MS = 20;
  private static final double MS_OF_SECOND = 1e3;
  private static final int MAP_INDENT = 9;

  private final Fabric fabric;
  private final DemoProgress progress;
  private final Map<String, Process> running = new TreeMap<>();
  private final List<MeshDemoReport.Step> steps = new ArrayList<>();
  private final Path folder;

  MeshDemo(Fabric fabric, DemoProgress progress) {
    this.fabric = fabric;
    this.progress = progress;
    try {
      this.folder = Files.createTempDirectory("mesh-demo");
    } catch (IOException e) {
      throw new FabricException("cannot make a folder: " + CliFailures.cause(e));
    }
  }

  /** All steps, until one fails. */
  MeshDemoReport run() {
    String result = failure().map(why -> "FAIL: " + why).orElse(MeshDemoReport.PASS);
    return new MeshDemoReport(result, steps);
  }

  private Optional<String> failure() {
    TOPOLOGY.cables().forEach(this::leaveLinkLocalOnly);
    TOPOLOGY.nodes().forEach(this::start);
    Cable ab = TOPOLOGY.cables().get(0);
    return Stream.<Step>of(
            new Step(
                "five nodes start, on cables without addresses but for the two crossed ones",
                START_LIMIT_MS,
                () -> {},
                map ->
                    isWhole(map)
                        && map.findings().stream()
                            .anyMatch(each -> each.kind() == FindingKind.CROSSED_CABLES)),
            new Step(
                "the crossed cables at c are put right",
                LIMIT_MS,
                this::uncross,
                map -> isWhole(map) && map.findings().isEmpty()),
            new Step(
                "the cable a - b is cut",
                LIMIT_MS,
                () -> ip(ab.a().node(), "link", "set", "to-b", "down"),
                map -> map.summary().equals("5 nodes, 6 cables: 5 up, 1 CUT") && areAlive(map, "")),
            new Step(
                "the cable a - b is plugged in again",
                LIMIT_MS,
                () -> ip(ab.a().node(), "link", "set", "to-b", "up"),
                MeshDemo::isWhole),
            new Step(
                "the process at e is stopped",
                LIMIT_MS,
                () -> signal("e", "STOP"),
                map -> isState(map, "e", NodeState.STUCK) && areAlive(map, "e"),
                "e"),
            new Step(
                "the process at e goes on", LIMIT_MS, () -> signal("e", "CONT"), MeshDemo::isWhole),
            new Step(
                "the process at d is killed",
                LIMIT_MS,
                () -> running.remove("d").destroyForcibly(),
                map -> isState(map, "d", NodeState.PROCESS_GONE) && areAlive(map, "d")),
            new Step("d is started again", START_LIMIT_MS, () -> start("d"), MeshDemo::isWhole))
        .map(this::perform)
        .flatMap(Optional::stream)
        .findFirst();
  }

  /**
   * Something that is done, and what all maps show then.
   *
   * @param silentNode one that cannot answer, being stopped
   */
  private record Step(
      String what, long limitMs, Runnable act, Predicate<MeshMap> isShown, String silentNode) {
    Step(String what, long limitMs, Runnable act, Predicate<MeshMap> isShown) {
      this(what, limitMs, act, isShown, "");
    }
  }

  /** Why it failed; empty if it did not. */
  private Optional<String> perform(Step step) {
    long beganNs = System.nanoTime();
    step.act().run();
    for (Map.Entry<String, Process> each : running.entrySet()) {
      boolean canAnswer = !each.getKey().equals(step.silentNode());
      if (canAnswer && await(each, step, beganNs).isEmpty()) {
        return Optional.of(
            "%s: not known to %s after %d s"
                .formatted(
                    step.what(), each.getKey(), TimeUnit.MILLISECONDS.toSeconds(step.limitMs())));
      }
    }
    long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
    MeshMap map = map(running.get("a")).orElseThrow();
    steps.add(new MeshDemoReport.Step(step.what(), tookMs, map));
    progress.step(
        "PASS  %s: known to all after %.2f s%n%n%s"
            .formatted(
                step.what(),
                tookMs / MS_OF_SECOND,
                TerminalPicture.of(map, MapCommand.charset()).indent(MAP_INDENT)));
    return Optional.empty();
  }

  private Optional<MeshMap> await(Map.Entry<String, Process> node, Step step, long beganNs) {
    Optional<MeshMap> map = Optional.empty();
    while (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs) < step.limitMs()) {
      if (!node.getValue().isAlive()) {
        throw new FabricException("./mesh up of " + node.getKey() + " has ended");
      }
      map = map(node.getValue());
      if (map.filter(step.isShown()).isPresent()) {
        return map;
      }
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        throw new FabricException("interrupted");
      }
    }
    map.ifPresent(each -> progress.print(TerminalPicture.of(each, MapCommand.charset())));
    return Optional.empty();
  }

  private Optional<MeshMap> map(Process node) {
    for (Map.Entry<String, Process> each : running.entrySet()) {
      if (each.getValue() == node) {
        try (Stream<Path> files = Files.walk(folder.resolve(each.getKey()))) {
          Optional<Path> socket =
              files.filter(file -> file.toString().endsWith(".sock")).findFirst();
          return socket.isEmpty() ? Optional.empty() : MapSocket.read(socket.get());
        } catch (IOException e) {
          return Optional.empty(); // Still being made, or stopped.
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isWhole(MeshMap map) {
    return map.summary().equals("5 nodes, 6 cables: 6 up") && areAlive(map, "");
  }

  private static boolean areAlive(MeshMap map, String except) {
    return map.nodes().size() == TOPOLOGY.nodes().size()
        && map.nodes().stream()
            .allMatch(each -> each.state() == NodeState.ALIVE || each.name().equals(except));
  }

  private static boolean isState(MeshMap map, String node, NodeState state) {
    return map.nodes().stream().anyMatch(each -> each.name().equals(node) && each.state() == state);
  }

  private void leaveLinkLocalOnly(Cable cable) {
    for (CableEnd end : List.of(cable.a(), cable.b())) {
      String name = TOPOLOGY.interfaceName(cable, end.node());
      if (!CROSSED.contains(cable)) {
        ip(end.node(), "addr", "flush", "dev", name);
      }
      ip(end.node(), "link", "set", name, "addrgenmode", "eui64");
    }
    for (CableEnd end : List.of(cable.a(), cable.b())) {
      String name = TOPOLOGY.interfaceName(cable, end.node());
      ip(end.node(), "link", "set", name, "down");
      ip(end.node(), "link", "set", name, "up");
    }
  }

  /** What the remedy says, as far as cables of software can be unplugged. */
  private void uncross() {
    ip("c", "addr", "flush", "scope", "global");
    ip("c", "addr", "add", "10.77.2.2/24", "dev", "to-b");
    ip("c", "addr", "add", "10.77.3.1/24", "dev", "to-d");
  }

  private void ip(String node, String... words) {
    List<String> command = new ArrayList<>(List.of("ip"));
    command.addAll(List.of(words));
    run(node, command);
  }

  private void run(String node, List<String> command) {
    try {
      Process process = fabric.start(node, new ProcessBuilder(command).redirectErrorStream(true));
      String said = new String(process.getInputStream().readAllBytes());
      if (process.waitFor() != 0) {
        throw new FabricException(String.join(" ", command) + " at " + node + ": " + said.strip());
      }
    } catch (IOException e) {
      throw new FabricException(command.get(0) + " at " + node + ": " + CliFailures.cause(e));
    } catch (InterruptedException e) {
      throw new FabricException("interrupted");
    }
  }

  private void signal(String node, String signal) {
    run(node, List.of("kill", "-" + signal, String.valueOf(running.get(node).pid())));
  }

  private void start(String node) {
    try {
      Path own = folder.resolve(node);
      if (Files.exists(own)) {
        delete(own);
      }
      Files.createDirectory(own);
      NodeJvm jvm =
          new NodeJvm(
                  Map.of(), List.of("-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + own), false)
              .running(MeshMain.class.getName(), "-Xmx64m");
      ProcessBuilder builder = jvm.command(node, fabric.settings(node), "up");
      builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
      builder.redirectError(ProcessBuilder.Redirect.DISCARD);
      running.put(node, fabric.start(node, builder));
    } catch (IOException e) {
      throw new FabricException("./mesh up at " + node + ": " + CliFailures.cause(e));
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }

  /** Ends the nodes and removes the folder. */
  @Override
  public void close() {
    running.values().forEach(Process::destroyForcibly);
    running.values().forEach(each -> each.onExit().join());
    try {
      delete(folder);
    } catch (IOException e) {
      throw new FabricException("cannot remove " + folder + ": " + CliFailures.cause(e));
    }
  }
}
