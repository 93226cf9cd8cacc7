// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RelayServices;
import io.meshtransport.spi.TransportException;
import io.meshtransport.threads.ServiceThread;
import io.meshtransport.time.PausingWait;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Runs a {@link RelayNode} over connections to the neighbours: one connection to each that takes
 * chunks, opened by the node with the lower id, and again when it is lost. Which thread does what
 * the node does, {@link RelayDriver} decides; any thread may call {@link #later} and {@link
 * #graphChanged}.
 */
final class RelayThread implements RelayDriver.Work {
  private static final Logger LOG = LogManager.getLogger(RelayThread.class);
  private static final int COMPLETIONS = 128;
  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long END_LIMIT_S = 5;

  private final RelayLoad load = new RelayLoad();
  private long publishedLoad;

  /** When the thread looked last. */
  private long passedBytes;

  private volatile long loadDueNs = System.nanoTime();
  private final Mesh mesh;
  private final NodeNumber self;
  private final RelayNode node;
  private final Listener listener;
  private final Poller poller;

  /** Once the transport is closed, what is due is all that this relay does. */
  private final PausingWait pausingWait;

  private final RelayDriver driver;
  private final ServiceThread thread;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Completions completions = new Completions(COMPLETIONS);

  /** Closes connections, which may wait for their peers; its thread ends when it has none. */
  private final ThreadPoolExecutor closer;

  /** All that are not closed yet, and those whose memory others still have. */
  private final Map<Connection, ConnectionHop> hops = new HashMap<>();

  /** The same, to be looked through without garbage. */
  private ConnectionHop[] allHops = {};

  private final List<ConnectionHop> lent = new ArrayList<>();
  private final Map<NodeNumber, ConnectionHop> hopsByPeer = new HashMap<>();
  private final HopConnector connector;
  private volatile boolean isGraphDirty = true;
  private boolean isClosing;

  /** The thread is over: who has something for it does it. */
  private volatile boolean isOver;

  private volatile long dueNs = System.nanoTime();

  /**
   * @param listener and poller are this object's to close
   */
  RelayThread(Mesh mesh, NodeNumber self, RelayNode node, Listener listener, Poller poller) {
    this.mesh = mesh;
    this.self = self;
    this.node = node;
    this.listener = listener;
    this.poller = poller;
    pausingWait =
        new PausingWait(
            timeoutNs -> poller.await(completions, timeoutNs),
            why -> LOG.warn("the relay cannot wait for its connections: {}", why));
    String name = "mesh-relay-" + mesh.self().peer().name();
    connector = new HopConnector(mesh, self, this::later, this::attemptEnded);
    driver = new RelayDriver(this);
    thread = new ServiceThread(name, driver::serve, (text, why) -> LOG.error(text, why));
    driver.service(thread.thread());
    closer =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread made = new Thread(task, name + "-close");
              made.setDaemon(true);
              return made;
            });
    closer.allowCoreThreadTimeOut(true);
  }

  void start() {
    acceptNext();
    thread.start();
  }

  /** Runs a task soon, on the relay's own thread; after its end at once, on this one. */
  void later(Runnable task) {
    tasks.add(task);
    if (isOver) {
      runTasks();
      return;
    }
    driver.wakeUp();
    LockSupport.unpark(thread.thread());
  }

  RelayDriver driver() {
    return driver;
  }

  /** The mesh has changed. */
  void graphChanged() {
    isGraphDirty = true;
    driver.wakeUp();
    LockSupport.unpark(thread.thread());
  }

  @Override
  public void wakeUp() {
    poller.wakeup();
  }

  @Override
  public boolean isDue() {
    return node.isDue();
  }

  @Override
  public long takePassedBytes() {
    long before = passedBytes;
    passedBytes = node.count(RelayCounter.RELAYED_BYTES);
    return passedBytes - before;
  }

  @Override
  public long untilHousekeepingNs() {
    boolean isDue = isGraphDirty || !tasks.isEmpty();
    return isDue ? 0 : Math.min(dueNs, loadDueNs) - System.nanoTime();
  }

  private void acceptNext() {
    listener
        .acceptConnection()
        .whenComplete(
            (connection, why) -> {
              if (connection != null) {
                acceptNext();
                later(() -> accepted(connection));
              }
            });
  }

  @Override
  public void turn(long maxWaitNs, boolean isHousekeeping) {
    if (isHousekeeping) {
      keepHouse();
    }
    // The thread of this turn may wait for a flow that has ended just now: it is not to sleep.
    boolean isAny = node.turn();
    isAny |= endRefused();
    int count = pausingWait.await(isAny ? 0 : waitNs(maxWaitNs));
    for (int i = 0; i < count; i++) {
      completed(i);
    }
    if (count > 0) {
      // What was received is answered before others, or the next wait, have their turn.
      node.turn();
    }
  }

  private long waitNs(long maxWaitNs) {
    long idleNs = node.isWaiting() ? RelayNode.TICK_NS : IDLE_NS;
    return Math.max(0, Math.min(maxWaitNs, Math.min(idleNs, untilHousekeepingNs())));
  }

  private void keepHouse() {
    runTasks();
    long nowNs = System.nanoTime();
    if (isGraphDirty || nowNs - dueNs >= 0) {
      isGraphDirty = false;
      lookAtMesh(nowNs);
    }
    if (nowNs - loadDueNs >= 0) {
      publishLoad(load.at(node.count(RelayCounter.RELAYED_BYTES), nowNs));
      loadDueNs = nowNs + RelayLoad.INTERVAL_NS;
    }
  }

  private void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  /** Not on this thread: a publication waits for another. */
  private void publishLoad(long bytesPerSecond) {
    if (bytesPerSecond == publishedLoad || isClosing) {
      return;
    }
    publishedLoad = bytesPerSecond;
    closer.execute(
        () -> {
          try {
            if (bytesPerSecond == 0) {
              mesh.withdraw(RelayServices.LOAD);
            } else {
              mesh.publish(RelayServices.LOAD, RelayServices.handle(bytesPerSecond));
            }
          } catch (IllegalArgumentException | IllegalStateException e) {
            LOG.debug("the load of the relay is not shown", e);
          }
        });
  }

  private boolean endRefused() {
    boolean isAny = false;
    for (ConnectionHop hop : allHops) {
      isAny |= hop.endRefused();
    }
    for (int i = lent.size() - 1; i >= 0; i--) {
      isAny |= lent.get(i).endRefused();
      if (!lent.get(i).isLent()) {
        lent.remove(i);
      }
    }
    return isAny;
  }

  /** The next poll clears the others, so that each must be handled whatever becomes of one. */
  private void completed(int index) {
    Connection connection = completions.connection(index);
    try {
      completed(index, hops.get(connection));
    } catch (Throwable failure) {
      LOG.error("{}: no neighbour of the relay any more", connection.peer(), failure);
      takeDown(connection);
    }
  }

  /** What its requests hold comes back as they end. */
  private void takeDown(Connection connection) {
    try {
      ConnectionHop hop = hops.get(connection);
      if (hop != null) {
        hopsByPeer.remove(hop.peer(), hop);
        node.hopDown(hop);
      }
      close(connection);
    } catch (Throwable failure) {
      LOG.error("{}: stays a neighbour of the relay", connection.peer(), failure);
    }
  }

  private void completed(int index, ConnectionHop hop) {
    CompletionKind kind = completions.kind(index);
    if (hop == null) {
      return;
    }
    if (kind == CompletionKind.CLOSED) {
      lost(hop, completions.failure(index));
    } else {
      hop.completed(kind, completions.userData(index), completions.lengthBytes(index));
    }
  }

  private void lost(ConnectionHop hop, TransportException why) {
    LOG.info("{}: lost as a neighbour of the relay: {}", hop.connection.peer(), why.summary());
    hops.remove(hop.connection);
    allHops = hops.values().toArray(new ConnectionHop[0]);
    hopsByPeer.remove(hop.peer(), hop);
    hop.closed();
    lent.add(hop);
    close(hop.connection);
    graphChanged();
  }

  private void close(Connection connection) {
    closer.execute(connection::close);
  }

  private void accepted(Connection connection) {
    if (isClosing) {
      close(connection);
      return;
    }
    byte[] hello = ConnectionHop.OPTIONS.hello();
    if (!Arrays.equals(connection.hello(), hello)) {
      LOG.warn(
          "{}: refused as a neighbour of the relay: it says '{}' instead of '{}'",
          connection.peer(),
          new String(connection.hello(), StandardCharsets.ISO_8859_1),
          new String(hello, StandardCharsets.US_ASCII));
      close(connection);
      return;
    }
    use(connection);
  }

  /** A connection to a neighbour is a hop from now on. */
  void use(Connection connection) {
    if (connection.route().localNic().contains(Overlay.NIC)) {
      // A hop is a cable: what leads over other nodes is no hop of theirs.
      close(connection);
      return;
    }
    NodeNumber peer = NodeNumber.of(connection.peer().id());
    ConnectionHop before = hopsByPeer.get(peer);
    if (before != null) {
      // The peer has opened another one, so it has lost this.
      hopsByPeer.remove(peer);
      node.hopDown(before);
      close(before.connection);
    }
    ConnectionHop hop = null;
    try {
      hop = new ConnectionHop(peer, connection, node, mesh.transport());
      poller.add(connection);
    } catch (TransportException | IllegalStateException e) {
      LOG.warn("{}: no neighbour of the relay: {}", connection.peer(), e.getMessage());
      if (hop != null) {
        hop.closed();
      }
      close(connection);
      return;
    }
    hops.put(connection, hop);
    allHops = hops.values().toArray(new ConnectionHop[0]);
    hopsByPeer.put(peer, hop);
    hop.start();
    connector.connected(peer, System.nanoTime());
  }

  private void lookAtMesh(long nowNs) {
    RelayPicture seen = RelayPicture.of(mesh, self);
    node.graph(seen.graph());
    dueNs = connector.connect(seen.neighbours(), hopsByPeer::containsKey, nowNs, nowNs + IDLE_NS);
  }

  /** An attempt to connect to a neighbour has ended, with a connection or without. */
  private void attemptEnded(Optional<Connection> made) {
    isGraphDirty = true;
    made.ifPresent(isClosing ? this::close : this::use);
  }

  /** A neighbour cannot be reached any more, says the mesh, before the connection notices. */
  void cut(String peerId) {
    later(
        () -> {
          ConnectionHop hop = hopsByPeer.remove(NodeNumber.of(peerId));
          if (hop != null) {
            node.hopDown(hop);
            close(hop.connection);
          }
        });
  }

  /** Ends the thread, the connections and the flows. */
  void close() {
    listener.close();
    later(
        () -> {
          isClosing = true;
          node.close();
          connector.close();
          hops.keySet().forEach(this::close);
        });
    boolean hasEnded = false;
    try {
      closer.submit(() -> {}).get(END_LIMIT_S, TimeUnit.SECONDS);
      hasEnded = awaitEnd();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("connections of the relay close slowly", e);
    }
    if (!hasEnded) {
      LOG.warn("the relay ends with connections that have not closed");
    }
    thread.end();
    driver.close();
    thread.awaitEnd();
    poller.close();
    isOver = true;
    // Connections that came too late, and those that still come.
    runTasks();
    closer.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
  }

  /** Waits until the thread has seen the end of all connections. */
  private boolean awaitEnd() throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_LIMIT_S);
    AtomicBoolean hasEnded = new AtomicBoolean();
    while (!hasEnded.get() && System.nanoTime() - endNs < 0) {
      later(() -> hasEnded.set(hops.isEmpty()));
      Thread.sleep(10);
    }
    return hasEnded.get();
  }
}
