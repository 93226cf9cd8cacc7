// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.cli.map.MapSocket;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.neighbours.NodeIdentity;
import io.meshtransport.neighbours.agent.NeighbourAgent;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh up}: a node of the mesh, for as long as it runs. */
@Command(
    name = "up",
    description =
        "Joins the mesh and stays until Ctrl-C: sends hellos on every cable of this host, and prints a line when"
            + " a cable works or fails, when a node lives, is stuck or gone and by what evidence, and what is"
            + " wrong with the cabling. Cables need no addresses but the kernel's own fe80:: ones.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:the time of --for has passed",
      "1:the port is in use: one node runs per host",
      "2:an option or a setting is wrong",
      "130:Ctrl-C"
    })
final class UpCommand implements Callable<Integer> {
  private static final long WAIT_MS = 500;
  private static final double MAX_SECONDS = 1e6;

  @Option(
      names = "--for",
      paramLabel = "SECONDS",
      description = "Leave after this time. Default: never.")
  private Double seconds;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (seconds != null && !(seconds >= 0 && seconds <= MAX_SECONDS)) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--for: 0 to 1000000 seconds are possible");
    }
    MeshConfig config = MeshConfig.load(Map.of());
    config.warnings().forEach(warning -> spec.commandLine().getErr().println("mesh: " + warning));
    return stay(config);
  }

  private int stay(MeshConfig config) throws IOException, InterruptedException {
    NodeIdentity identity = MapSource.identity(config);
    MeshEvents events = new MeshEvents(LocalTime::now);
    PrintWriter out = spec.commandLine().getOut();
    try (NeighbourAgent agent = start(identity, config, events)) {
      // A signal ends the process without returning here, so a hook says goodbye to the others.
      Thread goodbye = new Thread(() -> leave(agent), "mesh-goodbye");
      Runtime.getRuntime().addShutdownHook(goodbye);
      out.printf(
          "node %s (%s) says hello on UDP port %d of every cable%n",
          identity.name(), identity.id(), config.neighbourPort());
      out.flush();
      serve(agent, config, out, events);
      remove(goodbye);
    }
    return CommandLine.ExitCode.OK;
  }

  private static NeighbourAgent start(NodeIdentity identity, MeshConfig config, MeshEvents events)
      throws IOException {
    try {
      return NeighbourAgent.start(identity, config, events);
    } catch (IOException e) {
      throw HostNode.named(e, config.neighbourPort());
    }
  }

  /** Prints events; other commands can read the map meanwhile. */
  private void serve(NeighbourAgent agent, MeshConfig config, PrintWriter out, MeshEvents events)
      throws InterruptedException {
    Optional<MapSocket> readers = readers(config, agent);
    try {
      print(events, out);
    } finally {
      readers.ifPresent(MapSocket::close);
    }
  }

  /** Empty, with a warning, where no socket can be made: the node works without. */
  private Optional<MapSocket> readers(MeshConfig config, NeighbourAgent agent) {
    try {
      return Optional.of(MapSocket.open(MapSocket.path(config.neighbourPort()), agent::map));
    } catch (IOException e) {
      spec.commandLine()
          .getErr()
          .println("mesh: ./mesh map will not find this agent: " + CliFailures.cause(e));
      spec.commandLine().getErr().flush();
      return Optional.empty();
    }
  }

  /** Prints until the time has passed, or the reader has closed the pipe. */
  private void print(MeshEvents events, PrintWriter out) throws InterruptedException {
    long beganNs = System.nanoTime();
    while (!out.checkError() && !System.out.checkError()) {
      String line = events.next(WAIT_MS);
      if (line != null) {
        out.println(line);
      }
      long tookNs = System.nanoTime() - beganNs;
      if (seconds != null && tookNs >= seconds * TimeUnit.SECONDS.toNanos(1)) {
        return;
      }
    }
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook runs.
    }
  }

  private static void leave(NeighbourAgent agent) {
    try {
      agent.close();
    } catch (IOException e) {
      // The sockets close with the process.
    }
  }
}
