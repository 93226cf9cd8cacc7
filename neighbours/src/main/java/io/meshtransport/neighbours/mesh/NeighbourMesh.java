// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.config.VerdictDelay;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.NodeIdentity;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.agent.NeighbourAgent;
import io.meshtransport.neighbours.verdict.CableCut;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshKnowledge;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A mesh over an agent: the agent's thread changes the {@link MeshState}, which all calls read. */
final class NeighbourMesh implements Mesh {
  private final Transport transport;
  private final NodeIdentity identity;
  private final ExecutorService events;
  private final MeshState state;
  private final NeighbourAgent agent;
  private final Map<String, byte[]> published = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  /** Programs poll it. Any thread may replace it. */
  private volatile Described described = new Described(null, List.of());

  /** The interfaces of this node, by a record of its own; null before the first. */
  private record Described(NodeRecord of, List<String> interfaces) {}

  private NeighbourMesh(
      Transport transport,
      NodeIdentity identity,
      ExecutorService events,
      MeshState state,
      NeighbourAgent agent) {
    this.transport = transport;
    this.identity = identity;
    this.events = events;
    this.state = state;
    this.agent = agent;
  }

  static NeighbourMesh start(Transport transport, NodeIdentity identity, MeshConfig config)
      throws IOException {
    ExecutorService events =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread thread = new Thread(work, "mesh-events");
              thread.setDaemon(true);
              return thread;
            });
    MeshState state =
        new MeshState(
            identity.id(),
            identity.name(),
            events,
            new MeshState.TransportListener() {
              @Override
              public void nodeGone(NodeId node, String evidence) {
                transport.peerGone(node.toString(), evidence);
              }

              @Override
              public void cableCut(CableCut cut) {
                transport.cableCut(
                    cut.cable().peer().toString(), cut.cable().interfaceIndex(), cut.evidence());
              }

              @Override
              public void cableUp(AdjacencyId cable) {
                transport.cableMended(cable.peer().toString(), cable.interfaceIndex());
              }
            });
    try {
      NeighbourAgent agent = NeighbourAgent.start(identity, config, state);
      transport.consult(new Knowledge(state, agent, config.neighbourPort()));
      return new NeighbourMesh(transport, identity, events, state, agent);
    } catch (IOException | RuntimeException e) {
      events.shutdown();
      throw e;
    }
  }

  /** What the transport asks; any thread. */
  private record Knowledge(MeshState state, NeighbourAgent agent, int port)
      implements MeshKnowledge {
    @Override
    public Optional<String> offLink(String node, int interfaceIndex, InetAddress address) {
      return agent.offLink(NodeId.parse(node), interfaceIndex, address);
    }

    @Override
    public Peer peer(String node) {
      return state.peer(NodeId.parse(node));
    }

    @Override
    public String map() {
      return agent.map().json();
    }
  }

  @Override
  public Transport transport() {
    return transport;
  }

  @Override
  public MeshNode self() {
    return new MeshNode(
        new Peer(identity.name(), identity.id().toString()),
        identity.incarnation(),
        MeshNodeState.ALIVE,
        "",
        published.keySet(),
        interfaces());
  }

  private List<String> interfaces() {
    NodeRecord now = agent.graph().nodes().get(identity.id());
    Described last = described;
    if (last.of != now && now != null) {
      last = new Described(now, MeshSnapshot.interfaces(now));
      described = last;
    }
    return last.interfaces;
  }

  @Override
  public List<MeshNode> nodes() {
    return state.nodes();
  }

  @Override
  public List<MeshLink> links() {
    return List.copyOf(MeshSnapshot.links(agent.graph()).values());
  }

  @Override
  public List<MeshFinding> findings() {
    return state.findings();
  }

  @Override
  public Subscription subscribe(MeshEventListener listener) {
    return state.subscribe(listener);
  }

  @Override
  public void publish(String service, byte[] handle) {
    if (isClosed) {
      throw new IllegalStateException("the mesh is closed: nothing can be published any more");
    }
    agent.publish(service, handle);
    published.put(service, handle.clone());
  }

  @Override
  public void withdraw(String service) {
    if (isClosed) {
      return;
    }
    try {
      agent.withdraw(service);
    } catch (IllegalStateException e) {
      // Closed by another thread meanwhile, and nothing of it is published any more.
      if (!isClosed) {
        throw e;
      }
    }
    published.remove(service);
  }

  @Override
  public Optional<byte[]> lookup(String node, String service) {
    if (!node.equals(identity.name())) {
      return state.lookup(node, service);
    }
    return state.hasNear(node) ? Optional.empty() : own(service);
  }

  @Override
  public Optional<byte[]> lookup(MeshNode node, String service) {
    return node.peer().id().equals(identity.id().toString())
        ? own(service)
        : state.lookup(node.peer(), service);
  }

  private Optional<byte[]> own(String service) {
    return Optional.ofNullable(published.get(service)).map(byte[]::clone);
  }

  @Override
  public Connection connect(String node, String service, ConnectOptions options, Duration timeout)
      throws TransportException {
    return new ConnectByName(
            state,
            VerdictDelay.MAX_NS,
            (handle, left) -> transport.connect(handle, withWay(node, options), left))
        .connect(node, service, timeout);
  }

  /** Names the cable where no subnet does: all cables with link-local addresses look alike. */
  private ConnectOptions withWay(String node, ConnectOptions options) {
    if (options.preferredAddress().isPresent()) {
      return options;
    }
    try {
      return state
          .find(node)
          .flatMap(agent::linkLocalAddress)
          .map(options::preferredAddress)
          .orElse(options);
    } catch (IllegalStateException e) {
      // The mesh is being closed, or this thread is interrupted: connecting says so itself.
      return options;
    }
  }

  @Override
  public boolean awaitNodes(int count, Duration timeout) throws TransportException {
    return state.awaitLiving(count - 1, timeout);
  }

  @Override
  public void close() {
    isClosed = true;
    published.clear();
    state.close();
    transport.consult(MeshKnowledge.NONE);
    try {
      agent.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      events.shutdown();
    }
  }
}
