// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.cli.map.MapReader;
import io.meshtransport.cli.map.MapSocket;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.NeighbourListener;
import io.meshtransport.neighbours.NodeIdentity;
import io.meshtransport.neighbours.agent.NeighbourAgent;
import io.meshtransport.neighbours.map.MeshMap;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Where a command gets maps from: the agent of {@code mesh up}, a program that is this host's node,
 * or an agent of the command's own. The command that opened it closes it. One thread.
 */
interface MapSource extends AutoCloseable {
  /**
   * The map of now.
   *
   * @throws IOException if what knows it has ended, or does not answer
   */
  MeshMap map() throws IOException;

  @Override
  void close() throws IOException;

  /**
   * The agent that runs here; else the program that is this host's node; else an agent that joins
   * until nothing new comes.
   *
   * @param maxSeconds for joining
   * @param err gets a line that says which it is, unless it is the first
   * @throws IOException if there is none and the port is in use, by another user's program say
   */
  static MapSource open(MeshConfig config, double maxSeconds, PrintWriter err)
      throws IOException, InterruptedException {
    Path socket = MapSocket.path(config.neighbourPort());
    if (MapSocket.read(socket).isPresent()) {
      return new OfAgent(socket);
    }
    Optional<MeshProcess> program = HostNode.program(config.neighbourPort());
    if (program.isEmpty()) {
      err.println(
          "mesh: no ./mesh up of this user runs here, so this command joins the mesh itself");
      err.flush();
      return join(config, maxSeconds, HostNode::taken);
    }
    try {
      return OfProgram.open(program.get(), config.neighbourPort(), err);
    } catch (IOException obstacle) {
      return join(config, maxSeconds, why -> HostNode.taken(why, program.get(), obstacle));
    }
  }

  /**
   * @param taken adds to what joining failed with who is the node
   */
  private static MapSource join(
      MeshConfig config, double maxSeconds, UnaryOperator<IOException> taken)
      throws IOException, InterruptedException {
    OwnAgent own;
    try {
      own = new OwnAgent(NeighbourAgent.start(identity(config), config, NeighbourListener.NONE));
    } catch (IOException e) {
      throw taken.apply(e);
    }
    try {
      own.awaitQuiet(maxSeconds);
    } catch (InterruptedException e) {
      own.close();
      throw e;
    }
    return own;
  }

  /** A new node with the name of this host's settings. */
  static NodeIdentity identity(MeshConfig config) {
    return new NodeIdentity(
        NodeId.random(new SecureRandom()), config.node(), "", System.currentTimeMillis());
  }

  /** Another process' agent. */
  record OfAgent(Path socket) implements MapSource {
    @Override
    public MeshMap map() throws IOException {
      Optional<MeshMap> map = MapSocket.read(socket);
      if (map.isEmpty()) {
        throw new IOException("the agent of ./mesh up has ended");
      }
      return map.get();
    }

    @Override
    public void close() {}
  }

  /** A program that is this host's node. */
  record OfProgram(WatchedProcess process, int port) implements MapSource {
    static OfProgram open(MeshProcess program, int port, PrintWriter err) throws IOException {
      OfProgram source = new OfProgram(WatchedProcess.attach(program), port);
      try {
        source.process.meshMap(port);
      } catch (IOException e) {
        source.close();
        throw e;
      }
      err.printf(
          "mesh: this is the mesh as process %d (%s) knows it, which is this host's node; read by JMX%n",
          program.pid(), program.program());
      err.flush();
      return source;
    }

    @Override
    public MeshMap map() throws IOException {
      return MapReader.read(process.meshMap(port));
    }

    @Override
    public void close() {
      process.close();
    }
  }

  /** An agent of this process. */
  record OwnAgent(NeighbourAgent agent) implements MapSource {
    private static final long POLL_MS = 50;

    /** A hello a second to neighbours that are not known, and a summary every 2 s. */
    private static final long MIN_NS = TimeUnit.SECONDS.toNanos(3);

    private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(2);

    /** Waits until no node and no cable has come for a while. */
    private void awaitQuiet(double maxSeconds) throws InterruptedException {
      long beganNs = System.nanoTime();
      long changedNs = beganNs;
      int before = 0;
      while (true) {
        long nowNs = System.nanoTime();
        int now = agent.graph().nodes().size() + agent.graph().edges().size();
        changedNs = now == before ? changedNs : nowNs;
        before = now;
        boolean isQuiet = nowNs - changedNs >= QUIET_NS && nowNs - beganNs >= MIN_NS;
        if (isQuiet || nowNs - beganNs >= maxSeconds * TimeUnit.SECONDS.toNanos(1)) {
          return;
        }
        Thread.sleep(POLL_MS);
      }
    }

    @Override
    public MeshMap map() {
      return agent.map();
    }

    @Override
    public void close() throws IOException {
      agent.close();
    }
  }
}
