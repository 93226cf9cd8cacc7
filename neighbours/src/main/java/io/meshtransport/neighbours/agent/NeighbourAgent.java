// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.neighbours.CablePicture;
import io.meshtransport.neighbours.NeighbourListener;
import io.meshtransport.neighbours.NeighbourNode;
import io.meshtransport.neighbours.NodeIdentity;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.map.MapKeeper;
import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.stats.NeighbourCounters;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.verdict.ProbeAnswer;
import io.meshtransport.threads.ServiceThread;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A node of the mesh on this host: sends hellos from every interface that may be an end of a cable,
 * and knows all nodes and cables. Owns one thread its sockets until {@link #close()}. Any thread
 * may call it; the listener is called on the agent's thread and must not block.
 */
public final class NeighbourAgent implements Closeable {
  private static final Logger LOG = LogManager.getLogger(NeighbourAgent.class);
  private static final long CALL_TIMEOUT_MS = 15_000;

  private final long originNs = System.nanoTime();
  private final NeighbourSockets sockets;
  private final LivenessConnections liveness;
  private final InterfaceWatch watch;
  private final NeighbourNode node;
  private final MapKeeper maps;
  private final ServiceThread thread;
  private final Queue<Runnable> calls = new ConcurrentLinkedQueue<>();
  private volatile CablePicture cables;
  private long dueNs;

  private NeighbourAgent(
      NodeIdentity identity, MeshConfig config, NeighbourListener listener, NeighbourSockets udp)
      throws IOException {
    this.sockets = udp;
    this.liveness =
        new LivenessConnections(
            config.neighbourPort(), udp.selector(), this::nowNs, udp::isOnLink, new HostAnswers());
    this.watch = new InterfaceWatch(config.ifname());
    this.node =
        new NeighbourNode(
            identity,
            config.secret().map(secret -> SharedSecret.of(secret.key())),
            new SecureRandom(),
            udp,
            liveness,
            listener);
    this.maps = new MapKeeper(identity.id());
    maps.observe(node.graph(), List.of(), List.of());
    this.cables = node.cables(nowNs());
    this.thread =
        new ServiceThread(
            "mesh-neighbours", this::turn, (text, failure) -> LOG.warn(text, failure));
  }

  /**
   * Joins the mesh.
   *
   * @param identity who this node is
   * @param config MESH_NEIGHBOUR_PORT, MESH_IFNAME, MESH_SECRET
   * @param listener receives what changes, on the agent's thread
   * @throws IOException if the port of UDP and TCP cannot be used; the text says why and what to do
   */
  public static NeighbourAgent start(
      NodeIdentity identity, MeshConfig config, NeighbourListener listener) throws IOException {
    NeighbourSockets sockets = new NeighbourSockets(config.neighbourPort());
    try {
      NeighbourAgent agent = new NeighbourAgent(identity, config, listener, sockets);
      agent.thread.start();
      return agent;
    } catch (IOException e) {
      sockets.close();
      throw e;
    }
  }

  private long nowNs() {
    return System.nanoTime() - originNs;
  }

  /** One turn: what has arrived, what others called, what is due. */
  private void turn() throws IOException {
    long nextNs = Math.min(dueNs, Math.min(watch.nextDueNs(), liveness.nextDueNs()));
    long waitNs = calls.isEmpty() ? nextNs - nowNs() : 0;
    // What has arrived comes before the tick: after a pause of this process, hellos of its
    // neighbours are waiting, and those are not silent.
    int events =
        sockets.poll(
            Math.max(1, TimeUnit.NANOSECONDS.toMillis(waitNs + 999_999)),
            (interfaceIndex, source, datagram) ->
                node.receive(interfaceIndex, source, datagram, nowNs()));
    for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
      call.run();
      events++;
    }
    Optional<List<CableInterface>> interfaces = watch.poll(nowNs());
    if (interfaces.isPresent()) {
      sockets.interfaces(interfaces.get());
      node.interfaces(interfaces.get(), nowNs());
      events++;
    }
    // Half of all turns poll the carriers and find nothing.
    if (events > 0 || nowNs() >= Math.min(dueNs, liveness.nextDueNs())) {
      tick();
    }
  }

  private void tick() throws IOException {
    liveness.tick(nowNs());
    dueNs = node.tick(nowNs());
    if (node.hasLeft()) {
      thread.end();
      return;
    }
    maps.observe(node.graph(), node.verdicts(), node.findings());
    cables = node.cables(nowNs());
  }

  /** Passes on what hosts answer. */
  private final class HostAnswers implements LivenessConnections.Answers {
    @Override
    public void answered(AdjacencyId cable, ProbeAnswer answer) {
      node.answered(cable, answer, nowNs());
    }

    @Override
    public void ended(AdjacencyId cable) {
      node.ended(cable, nowNs());
    }
  }

  /** All nodes that are known and the cables between them, as of now. */
  public MeshGraph graph() {
    return maps.graph();
  }

  /** What is wrong with this node's cables. */
  public List<Finding> findings() {
    return maps.findings();
  }

  /** The last verdict on each other node; the evidence went to the listener. */
  public List<NodeVerdict> verdicts() {
    return maps.verdicts();
  }

  /**
   * The map of now, with cables that worked before and are cut; the same object while nothing
   * changes. Made by the calling thread; the agent does not wait for it.
   */
  public MeshMap map() {
    return maps.map();
  }

  /** What was sent, received and refused. */
  public NeighbourCounters counters() {
    return node.counters();
  }

  /**
   * Makes a service known to all nodes, or changes its handle.
   *
   * @see NeighbourNode#publish
   * @throws IllegalArgumentException if it does not fit
   * @throws IllegalStateException if the agent is closed, or its listener blocks
   */
  public void publish(String name, byte[] handle) {
    byte[] copy = handle.clone();
    call(() -> node.publish(name, copy, nowNs()));
  }

  /** A service is there no longer. */
  public void withdraw(String name) {
    call(() -> node.withdraw(name, nowNs()));
  }

  /**
   * As {@link NeighbourNode#linkLocalAddress}.
   *
   * @throws IllegalStateException if the agent is closed, or its listener blocks
   */
  public Optional<InetAddress> linkLocalAddress(NodeId neighbour) {
    return call(() -> node.linkLocalAddress(neighbour));
  }

  /** As {@link CablePicture#offLink}, now. Never blocks. */
  public Optional<String> offLink(NodeId node, int interfaceIndex, InetAddress address) {
    return cables.offLink(node, interfaceIndex, address, nowNs());
  }

  private void call(Runnable what) {
    call(
        () -> {
          what.run();
          return null;
        });
  }

  private <T> T call(Supplier<T> what) {
    if (thread.isEnding()) {
      throw new IllegalStateException("the agent is closed");
    }
    CompletableFuture<T> done = new CompletableFuture<>();
    calls.add(
        () -> {
          try {
            done.complete(what.get());
          } catch (RuntimeException e) {
            done.completeExceptionally(e);
          }
        });
    sockets.wakeUp();
    try {
      return done.get(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted before the agent's thread was there", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IllegalArgumentException refused) {
        throw refused;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("the agent is closed, or its listener blocks", e);
    }
  }

  /**
   * Says goodbye to the mesh and ends the thread: within milliseconds, or after a second where a
   * neighbour does not acknowledge it. A second call has no effect.
   */
  @Override
  public void close() throws IOException {
    if (!thread.isEnding()) {
      calls.add(() -> node.leave(nowNs()));
      sockets.wakeUp();
      thread.awaitEnd();
      liveness.close();
      sockets.close();
    }
  }
}
