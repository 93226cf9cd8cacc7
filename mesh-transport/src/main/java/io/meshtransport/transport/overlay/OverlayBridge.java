// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.OverlayFlow;
import io.meshtransport.threads.ServiceThread;
import io.meshtransport.transport.connect.OverlayRoutes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Carries the handshakes of connections over the overlay: has a door for each far node, a port of
 * its own at that node's overlay address, and takes the TCP connections there over a flow to the
 * far node's bridge, which connects to that node from this one's address. So both ends see the
 * overlay addresses that they would see on a cable. Flows of queue pairs go to the {@link
 * FlowNetwork} (docs/decisions/0079). Its thread does all that is done; {@link #prepare}, {@link
 * #door}, {@link #path} and {@link #later} are for any.
 */
final class OverlayBridge implements OverlayRoutes, AutoCloseable {
  /** What a flow is for; docs/WIRE-RELAY.md. */
  static final int HANDSHAKE = 1;

  private static final Logger LOG = LogManager.getLogger(OverlayBridge.class);
  private static final long PROBE_MS = 1000;
  private static final int MAX_SPLICES = 4096;

  /** A path may be lost for a moment. */
  private static final int MAX_MISSES = 3;

  private final Overlay overlay;
  private final FlowNetwork network;
  private final InetAddress self;
  private final IntSupplier handshakePort;
  private final Selector selector;
  private final ServiceThread thread;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Where it stands in for others; guarded by itself. */
  private final Map<NodeId, Door> doors = new HashMap<>();

  private final Set<FlowSplice> splices = new HashSet<>();
  private long probedNs = System.nanoTime();
  private volatile boolean isClosed;

  /** Where connections to a far node arrive. */
  private static final class Door {
    final ServerSocketChannel socket;
    final NodeId node;
    final InetSocketAddress at;

    /** How often no path has led to the node since one did; guarded by the map of doors. */
    int misses;

    Door(ServerSocketChannel socket, NodeId node, InetSocketAddress at) {
      this.socket = socket;
      this.node = node;
      this.at = at;
    }
  }

  /**
   * @param handshakePort of this node
   */
  private OverlayBridge(
      Overlay overlay,
      FlowNetwork network,
      NodeId self,
      IntSupplier handshakePort,
      Selector selector) {
    this.overlay = overlay;
    this.network = network;
    this.self = OverlayAddress.of(self);
    this.handshakePort = handshakePort;
    this.selector = selector;
    thread = new ServiceThread("mesh-overlay", this::turn, LOG::warn);
  }

  static OverlayBridge open(
      Overlay overlay, FlowNetwork network, NodeId self, IntSupplier handshakePort)
      throws IOException {
    OverlayBridge bridge =
        new OverlayBridge(overlay, network, self, handshakePort, Selector.open());
    bridge.thread.start();
    overlay.listen(bridge::accept);
    return bridge;
  }

  @Override
  public boolean prepare(NodeId node) {
    if (isClosed || !overlay.reaches(node.toString())) {
      return false;
    }
    network.know(node);
    return standIn(node);
  }

  @Override
  public Optional<InetSocketAddress> door(NodeId node) {
    synchronized (doors) {
      return Optional.ofNullable(doors.get(node)).map(door -> door.at);
    }
  }

  @Override
  public String path(NodeId node) {
    return overlay.path(node.toString());
  }

  /** Whether there is a door to the node now. */
  private boolean standIn(NodeId node) {
    synchronized (doors) {
      if (isClosed || doors.containsKey(node)) {
        return !isClosed;
      }
      ServerSocketChannel socket = null;
      try {
        socket = ServerSocketChannel.open();
        socket.configureBlocking(false);
        socket.bind(new InetSocketAddress(OverlayAddress.of(node), 0));
        Door door = new Door(socket, node, (InetSocketAddress) socket.getLocalAddress());
        doors.put(node, door);
        later(() -> register(door));
        return true;
      } catch (IOException e) {
        closeQuietly(socket);
        LOG.warn(
            "node {} is not reached over the overlay: no port at its address here: {}",
            overlay.peer(node.toString()),
            e.getMessage());
        return false;
      }
    }
  }

  private void register(Door door) {
    try {
      door.socket.register(selector, SelectionKey.OP_ACCEPT, door);
    } catch (IOException e) {
      LOG.warn("cannot stand in for node {}", overlay.peer(door.node.toString()), e);
    }
  }

  /** Runs a task soon, on this thread. */
  void later(Runnable task) {
    tasks.add(task);
    selector.wakeup();
  }

  private void turn() throws IOException {
    selector.select(PROBE_MS);
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
    for (SelectionKey key : selector.selectedKeys()) {
      if (!key.isValid()) {
        continue;
      }
      if (key.attachment() instanceof Door door) {
        enter(door);
      } else {
        ((FlowSplice) key.attachment()).ready(key);
      }
    }
    selector.selectedKeys().clear();
    long nowNs = System.nanoTime();
    if (nowNs - probedNs >= TimeUnit.MILLISECONDS.toNanos(PROBE_MS)) {
      probedNs = nowNs;
      // An end that has restarted answers that it does not know the flow.
      splices.forEach(FlowSplice::probe);
      closeUnused();
    }
  }

  /** Nodes come with new ids whenever they restart; what stood in for the former ones goes. */
  private void closeUnused() {
    synchronized (doors) {
      doors
          .values()
          .removeIf(
              door -> {
                door.misses = overlay.reaches(door.node.toString()) ? 0 : door.misses + 1;
                boolean isUnused = door.misses == MAX_MISSES;
                if (isUnused) {
                  closeQuietly(door.socket);
                }
                return isUnused;
              });
    }
  }

  /** A connection of this node to a far one. */
  private void enter(Door door) throws IOException {
    SocketChannel socket = door.socket.accept();
    if (socket == null) {
      return;
    }
    if (splices.size() >= MAX_SPLICES) {
      LOG.warn("{} connections over the overlay are open; one more is refused", MAX_SPLICES);
      closeQuietly(socket);
      return;
    }
    FlowSplice splice = new FlowSplice(this, socket);
    splices.add(splice);
    splice.begin(overlay.open(door.node.toString(), HANDSHAKE, splice));
    splice.register(selector, SelectionKey.OP_READ);
  }

  /** A flow of a far node to this one; on a thread of the overlay. */
  private OverlayFlow.Listener accept(OverlayFlow flow, String nodeId, int port) {
    if (isClosed || port != HANDSHAKE && port != FlowNetwork.FLOW_PORT) {
      return null;
    }
    if (port == FlowNetwork.FLOW_PORT) {
      return network.accept(flow, nodeId);
    }
    NodeId node = NodeId.parse(nodeId);
    network.know(node);
    SocketChannel socket = null;
    try {
      socket = SocketChannel.open();
      socket.bind(new InetSocketAddress(OverlayAddress.of(node), 0));
      socket.configureBlocking(false);
      boolean isConnected = socket.connect(new InetSocketAddress(self, handshakePort.getAsInt()));
      FlowSplice splice = new FlowSplice(this, socket);
      splice.begin(flow);
      later(
          () -> {
            splices.add(splice);
            splice.register(selector, isConnected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT);
          });
      return splice;
    } catch (IOException e) {
      LOG.warn("node {} cannot be connected to itself here", overlay.peer(nodeId), e);
      closeQuietly(socket);
      return null;
    }
  }

  void ended(FlowSplice splice) {
    splices.remove(splice);
  }

  static void closeQuietly(Channel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        LOG.debug("closing {} failed", channel, e);
      }
    }
  }

  /** Ends all connections over the overlay. */
  @Override
  public void close() {
    overlay.listen(null);
    synchronized (doors) {
      isClosed = true;
      doors.values().forEach(door -> closeQuietly(door.socket));
      doors.clear();
    }
    later(() -> List.copyOf(splices).forEach(FlowSplice::abort));
    thread.end();
    selector.wakeup();
    thread.awaitEnd();
    // A turn that has ended early leaves some.
    List.copyOf(splices).forEach(FlowSplice::abort);
    try {
      selector.close();
    } catch (IOException e) {
      LOG.debug("closing a selector failed", e);
    }
  }
}
