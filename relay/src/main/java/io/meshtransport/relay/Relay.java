// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.config.Setting;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.OverlayFlow;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RelayServices;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Flows between nodes of a mesh that no cable joins, over up to {@value #MAX_HOPS} cables. Each
 * node that takes part has one; those that are willing (MESH_RELAY) also pass on what others send
 * to others. Created by {@link #start} and closed by its creator. Any thread may call it; only
 * {@link #start} and {@link #close} block.
 *
 * <p>A node that passes chunks on can read and change them, as a router can. Its memory is bounded:
 * 10.5 MiB for each of its neighbours, 8.5 of them for what others send.
 */
public final class Relay implements Overlay, AutoCloseable {
  /** Most cables between two nodes. */
  public static final int MAX_HOPS = ChunkHeader.MAX_HOPS;

  /** First port of flows of programs; those below are the transport's. */
  public static final int FIRST_PORT = 16;

  private static final Logger LOG = LogManager.getLogger(Relay.class);

  private final Mesh mesh;
  private final boolean isWilling;
  private final RelayNode node;
  private final RelayThread thread;
  private final Listener listener;
  private final NicListener cables = now -> publish();

  /** Held while the service is published or withdrawn. */
  private final Object publication = new Object();

  /** Guarded by {@link #publication}. */
  private boolean isWithdrawn;

  private Mesh.Subscription subscription;
  private volatile Acceptor ofTransport;
  private volatile Acceptor ofProgram;

  /**
   * Whether a program has used flows of its own: callers of the transport, which hold its locks, do
   * not call its listeners.
   */
  private volatile boolean hasPrograms;

  private Overlay.Attachment attachment;
  private boolean isClosed;

  private Relay(
      Mesh mesh, boolean isWilling, RelayNode node, RelayThread thread, Listener listener) {
    this.mesh = mesh;
    this.isWilling = isWilling;
    this.node = node;
    this.thread = thread;
    this.listener = listener;
  }

  /** As {@link #start(Mesh, Map)}, with the settings of the mesh's transport. */
  public static Relay start(Mesh mesh) throws TransportException {
    return start(mesh, Map.of());
  }

  /**
   * Takes part: publishes a service in the mesh, connects to the neighbours that do, and attaches
   * itself to the mesh's transport, so that this one connects to nodes without a common cable, too.
   * Handles of listeners that were taken before do not say so: publish after this, or whenever the
   * transport's NICs change ({@link Transport#addNicListener}).
   *
   * @param mesh open for as long as this is
   * @param settings values by their names in the environment (MESH_RELAY, MESH_RELAY_SHARE); they
   *     override those that the transport was opened with, which override system properties and the
   *     environment
   * @return the caller's to close, before the mesh
   * @throws TransportException CONFIGURATION for a bad setting; NO_RESOURCES if the listener or the
   *     poller cannot be made; a retry helps where the text says so
   * @throws IllegalStateException if the mesh has a relay that is not closed, or is closed itself
   * @throws IllegalArgumentException if the mesh has no room for one more service
   */
  public static Relay start(Mesh mesh, Map<String, String> settings) throws TransportException {
    MeshConfig config;
    try {
      config = MeshConfig.load(withThoseOf(mesh.transport(), settings));
    } catch (IllegalArgumentException e) {
      throw new TransportException(TransportException.Reason.CONFIGURATION, e.getMessage(), e);
    }
    requireNone(mesh);
    boolean isWilling = config.relay();
    Transport transport = mesh.transport();
    NodeNumber self = NodeNumber.of(mesh.self().peer().id());
    Listener listener = transport.listen(ConnectionHop.OPTIONS.unlisted());
    Poller poller;
    try {
      poller = transport.newPoller();
    } catch (TransportException e) {
      listener.close();
      throw e;
    }
    SecureRandom random = new SecureRandom();
    RelayThread[] thread = new RelayThread[1];
    RelayNode node =
        new RelayNode(
            self,
            isWilling,
            System::nanoTime,
            random::nextLong,
            ConnectionHop.CHUNK_BYTES,
            config.relaySharePercent(),
            () -> thread[0].driver().wakeUp());
    thread[0] = new RelayThread(mesh, self, node, listener, poller);
    thread[0].start();
    Relay relay = new Relay(mesh, isWilling, node, thread[0], listener);
    try {
      relay.publish();
    } catch (IllegalArgumentException | IllegalStateException e) {
      thread[0].close();
      throw e;
    }
    transport.addNicListener(relay.cables);
    relay.subscription = mesh.subscribe(new Changes(thread[0]));
    node.accept(relay::accept);
    relay.attach();
    return relay;
  }

  private String service() {
    return isWilling ? RelayServices.RELAY : RelayServices.END;
  }

  private static Map<String, String> withThoseOf(
      Transport transport, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>();
    for (String name : List.of(Setting.RELAY.name(), Setting.RELAY_SHARE.name())) {
      transport.setting(name).ifPresent(value -> all.put(name, value));
    }
    settings.forEach(
        (name, value) -> {
          if (value != null && !value.isBlank()) {
            all.put(name, value);
          }
        });
    return all;
  }

  private static void requireNone(Mesh mesh) {
    Set<String> services = mesh.self().services();
    if (services.contains(RelayServices.RELAY) || services.contains(RelayServices.END)) {
      throw new IllegalStateException(
          "this mesh has a relay already, whose service a second one would take: use that, or close"
              + " it first");
    }
  }

  /** What is published after it is withdrawn would lead others to a relay that is not there. */
  private void publish() {
    synchronized (publication) {
      if (!isWithdrawn) {
        mesh.publish(service(), listener.handle());
      }
    }
  }

  private void withdraw() {
    synchronized (publication) {
      isWithdrawn = true;
      mesh.withdraw(service());
    }
  }

  private void attach() {
    try {
      attachment = mesh.transport().attach(new OfTransport());
    } catch (TransportException e) {
      LOG.info("connections go over cables only, and flows over relays, too: {}", e.getMessage());
    }
  }

  /** Tells the thread what has changed in the mesh. */
  private static final class Changes implements MeshEventListener {
    private final RelayThread thread;

    Changes(RelayThread thread) {
      this.thread = thread;
    }

    @Override
    public void nodeAppeared(MeshNode node) {
      thread.graphChanged();
    }

    @Override
    public void verdict(MeshNode node) {
      thread.graphChanged();
      if (node.state().isGone()) {
        thread.cut(node.peer().id());
      }
    }

    @Override
    public void nodeRemoved(MeshNode node) {
      thread.graphChanged();
    }

    @Override
    public void servicePublished(MeshNode node, String service) {
      thread.graphChanged();
    }

    @Override
    public void serviceWithdrawn(MeshNode node, String service) {
      thread.graphChanged();
    }

    @Override
    public void linkCut(Peer peer, String evidence) {
      thread.graphChanged();
      thread.cut(peer.id());
    }

    @Override
    public void linkUp(MeshLink link) {
      thread.graphChanged();
    }

    @Override
    public void linkDown(MeshLink link) {
      thread.graphChanged();
    }
  }

  private OverlayFlow.Listener accept(OverlayFlow flow, String nodeId, int port) {
    Acceptor acceptor = port < FIRST_PORT ? ofTransport : ofProgram;
    return acceptor == null ? null : acceptor.accept(flow, nodeId, port);
  }

  /** What the transport sees: flows of ports of its own. */
  private final class OfTransport implements Overlay {
    @Override
    public void listen(Acceptor acceptor) {
      ofTransport = acceptor;
    }

    @Override
    public OverlayFlow open(String nodeId, int port, OverlayFlow.Listener listener) {
      return node.open(NodeNumber.of(nodeId), port, listener);
    }

    @Override
    public boolean reaches(String nodeId) {
      return Relay.this.reaches(nodeId);
    }

    @Override
    public String path(String nodeId) {
      return Relay.this.path(nodeId);
    }

    @Override
    public Peer peer(String nodeId) {
      return Relay.this.peer(nodeId);
    }

    @Override
    public boolean drive() {
      return !hasPrograms && thread.driver().drive();
    }

    @Override
    public void leave() {
      thread.driver().leave();
    }

    @Override
    public void await(BooleanSupplier isOver, long timeoutNs) {
      if (hasPrograms) {
        Overlay.super.await(isOver, timeoutNs);
      } else {
        thread.driver().await(isOver, timeoutNs);
      }
    }

    @Override
    public void wakeWaiters() {
      thread.driver().wakeWaiters();
    }

    @Override
    public void endOwnWait() {
      thread.driver().endOwnWait();
    }
  }

  /** Whether this node passes on what others send to others. */
  public boolean isWilling() {
    return isWilling;
  }

  /** How often something has happened since the start. */
  public long count(RelayCounter counter) {
    return node.count(counter);
  }

  @Override
  public void listen(Acceptor acceptor) {
    hasPrograms = true;
    ofProgram = acceptor;
  }

  @Override
  public OverlayFlow open(String nodeId, int port, OverlayFlow.Listener listener) {
    if (port < FIRST_PORT || port > 0xFFFF) {
      throw new IllegalArgumentException("port " + port + "; it is " + FIRST_PORT + " to 65535");
    }
    hasPrograms = true;
    return node.open(NodeNumber.of(nodeId), port, listener);
  }

  @Override
  public boolean reaches(String nodeId) {
    return node.reaches(NodeNumber.of(nodeId));
  }

  @Override
  public String path(String nodeId) {
    SourceRoute route = node.route(NodeNumber.of(nodeId));
    if (route == null) {
      return "";
    }
    if (route.hops() == 1) {
      return "over one cable";
    }
    List<MeshNode> nodes = mesh.nodes();
    return route.between().stream()
        .map(id -> shortName(peer(nodes, id.toString())))
        .collect(Collectors.joining(", ", "over ", ""));
  }

  private static String shortName(Peer peer) {
    return peer.name().isEmpty() ? peer.shortId() : peer.name();
  }

  @Override
  public Peer peer(String nodeId) {
    return peer(mesh.nodes(), nodeId);
  }

  private static Peer peer(List<MeshNode> nodes, String id) {
    for (MeshNode each : nodes) {
      if (each.peer().id().equals(id)) {
        return each.peer();
      }
    }
    return new Peer("", id);
  }

  /** Leaves: flows end with OVERLAY_CLOSED. A second call has no effect. */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    // Detaching changes the NICs, of which this relay must not hear any more.
    mesh.transport().removeNicListener(cables);
    try {
      if (attachment != null) {
        attachment.close();
      }
    } finally {
      end();
    }
  }

  private void end() {
    subscription.close();
    try {
      withdraw();
    } finally {
      thread.close();
    }
  }
}
