// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.OverlayFlow;
import io.meshtransport.threads.ServiceThread;
import io.meshtransport.transport.connect.OverlayRoutes;
import java.io.IOException;
import java.net.BindException;
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
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Stands in for far nodes at their addresses in this host: takes the TCP connections of handshakes
 * and of software queue pairs, and carries each over a flow of the overlay to the far node's
 * bridge, which connects to that node from this one's address. So both ends see the addresses and
 * ports that they would see on a cable (docs/decisions/0079). Its thread does all that is done;
 * {@link #prepare}, {@link #path} and {@link #later} are for any.
 */
final class OverlayBridge implements OverlayRoutes, AutoCloseable {
  /** What a flow is for; docs/WIRE-RELAY.md. */
  static final int HANDSHAKE = 1;

  static final int DATA = 2;

  /** Where queue pairs connect to at an address of the overlay. */
  static final int DATA_PORT = 4792;

  private static final Logger LOG = LogManager.getLogger(OverlayBridge.class);
  private static final long PROBE_MS = 1000;
  private static final int MAX_SPLICES = 4096;

  /** A path may be lost for a moment. */
  private static final int MAX_MISSES = 3;

  private final Overlay overlay;
  private final InetAddress self;
  private final IntSupplier handshakePort;
  private final Selector selector;
  private final ServiceThread thread;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Where it stands in for others; guarded by itself. */
  private final Map<InetSocketAddress, Door> doors = new HashMap<>();

  private final Set<FlowSplice> splices = new HashSet<>();
  private long probedNs = System.nanoTime();
  private volatile boolean isClosed;

  /** Where connections to a far node arrive. */
  private static final class Door {
    final ServerSocketChannel socket;
    final NodeId node;
    final int port;

    /** How often no path has led to the node since one did; guarded by the map of doors. */
    int misses;

    Door(ServerSocketChannel socket, NodeId node, int port) {
      this.socket = socket;
      this.node = node;
      this.port = port;
    }
  }

  /**
   * @param handshakePort of this node
   */
  private OverlayBridge(
      Overlay overlay, NodeId self, IntSupplier handshakePort, Selector selector) {
    this.overlay = overlay;
    this.self = OverlayAddress.of(self);
    this.handshakePort = handshakePort;
    this.selector = selector;
    thread = new ServiceThread("mesh-overlay", this::turn, LOG::warn);
  }

  static OverlayBridge open(Overlay overlay, NodeId self, IntSupplier handshakePort)
      throws IOException {
    OverlayBridge bridge = new OverlayBridge(overlay, self, handshakePort, Selector.open());
    bridge.thread.start();
    overlay.listen(bridge::accept);
    return bridge;
  }

  @Override
  public boolean prepare(NodeId node, int nodeHandshakePort) {
    String id = node.toString();
    if (isClosed || !overlay.reaches(id)) {
      return false;
    }
    standIn(node, nodeHandshakePort, HANDSHAKE);
    standIn(node, DATA_PORT, DATA);
    return true;
  }

  @Override
  public String path(NodeId node) {
    return overlay.path(node.toString());
  }

  private void standIn(NodeId node, int tcpPort, int flowPort) {
    InetSocketAddress at = new InetSocketAddress(OverlayAddress.of(node), tcpPort);
    synchronized (doors) {
      if (isClosed || doors.containsKey(at)) {
        return;
      }
      ServerSocketChannel socket = null;
      try {
        socket = ServerSocketChannel.open();
        socket.configureBlocking(false);
        socket.bind(at);
        Door door = new Door(socket, node, flowPort);
        doors.put(at, door);
        later(() -> register(door));
      } catch (IOException e) {
        closeQuietly(socket);
        // The node itself may be on this host, or another transport stands in for it.
        LOG.log(
            e instanceof BindException ? Level.DEBUG : Level.WARN,
            "cannot stand in for node {} at {}",
            node.shortId(),
            at,
            e);
      }
    }
  }

  private void register(Door door) {
    try {
      door.socket.register(selector, SelectionKey.OP_ACCEPT, door);
    } catch (IOException e) {
      LOG.warn("cannot stand in for node {}", door.node.shortId(), e);
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
    splice.begin(overlay.open(door.node.toString(), door.port, splice));
    splice.register(selector, SelectionKey.OP_READ);
  }

  /** A flow of a far node to this one; on a thread of the overlay. */
  private OverlayFlow.Listener accept(OverlayFlow flow, String nodeId, int port) {
    if (isClosed || port != HANDSHAKE && port != DATA) {
      return null;
    }
    NodeId node = NodeId.parse(nodeId);
    standIn(node, DATA_PORT, DATA);
    SocketChannel socket = null;
    try {
      socket = SocketChannel.open();
      socket.bind(new InetSocketAddress(OverlayAddress.of(node), 0));
      socket.configureBlocking(false);
      int tcpPort = port == HANDSHAKE ? handshakePort.getAsInt() : DATA_PORT;
      boolean isConnected = socket.connect(new InetSocketAddress(self, tcpPort));
      FlowSplice splice = new FlowSplice(this, socket);
      splice.begin(flow);
      later(
          () -> {
            splices.add(splice);
            splice.register(selector, isConnected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT);
          });
      return splice;
    } catch (IOException e) {
      LOG.warn("node {} cannot be connected to itself here", node.shortId(), e);
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
