// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.cli.map.MapSocket;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.NeighbourListener;
import io.meshtransport.neighbours.NodeIdentity;
import io.meshtransport.neighbours.agent.NeighbourAgent;
import io.meshtransport.neighbours.map.MeshMap;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Where a command gets maps from: the agent of {@code mesh up}, or one of its own. The command that
 * opened it closes it. One thread.
 */
interface MapSource extends AutoCloseable {
  /** The map of now. */
  MeshMap map() throws IOException;

  @Override
  void close() throws IOException;

  /**
   * The agent that runs here, or else an agent that joins until nothing new comes.
   *
   * @param maxSeconds for joining
   * @throws IOException if there is none and the port is in use, by another user's agent say
   */
  static MapSource open(MeshConfig config, double maxSeconds, PrintWriter err)
      throws IOException, InterruptedException {
    Path socket = MapSocket.path(config.neighbourPort());
    if (MapSocket.read(socket).isPresent()) {
      return new OfAgent(socket);
    }
    err.println("mesh: no ./mesh up of this user runs here, so this command joins the mesh itself");
    err.flush();
    NodeIdentity identity = identity(config);
    NeighbourAgent agent = join(identity, config);
    OwnAgent own = new OwnAgent(agent);
    try {
      own.awaitQuiet(maxSeconds);
    } catch (InterruptedException e) {
      own.close();
      throw e;
    }
    return own;
  }

  private static NeighbourAgent join(NodeIdentity identity, MeshConfig config) throws IOException {
    try {
      return NeighbourAgent.start(identity, config, NeighbourListener.NONE);
    } catch (IOException e) {
      String programs = e.getCause() instanceof BindException ? programs(e) : "";
      throw programs.isEmpty() ? e : new IOException(e.getMessage() + programs, e);
    }
  }

  /** Which programs may be the node of this host; empty if none, or if that cannot be read. */
  private static String programs(IOException cause) {
    try {
      List<MeshProcess> all = MeshProcess.all();
      return all.isEmpty()
          ? ""
          : all.stream()
              .map(each -> each.pid() + " (" + each.program() + ")")
              .collect(
                  Collectors.joining(
                      ", ",
                      " Transports are open in ",
                      ". If one of these is the node: what it knows is in its Mesh.nodes() and"
                          + " links(), its connections in ./mesh stat PID, and a host without such a"
                          + " program draws the map of all."));
    } catch (IOException e) {
      cause.addSuppressed(e);
      return "";
    }
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
