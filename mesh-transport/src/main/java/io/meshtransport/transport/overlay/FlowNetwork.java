// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.rc.DeviceTimers;
import io.meshtransport.softverbs.rc.EventWaiter;
import io.meshtransport.softverbs.rc.FrameStream;
import io.meshtransport.softverbs.rc.Network;
import io.meshtransport.softverbs.rc.PeerLoss;
import io.meshtransport.softverbs.rc.ProgressEngine;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.SoftMemoryRegion;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.StreamListener;
import io.meshtransport.softverbs.rc.WireProof;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.OverlayFlow;
import io.meshtransport.spi.Peer;
import io.meshtransport.threads.ServiceThread;
import io.meshtransport.verbs.WireKey;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * What the device of an overlay's NIC is attached to: carries the frames of each queue pair over a
 * flow of the overlay (docs/decisions/0079). A caller that polls or waits drives the overlay
 * itself; else the overlay's thread calls {@link FlowConnection}s, and this object's own runs the
 * timers. Guarded by the device's lock, except where it says otherwise.
 */
final class FlowNetwork implements Network, ProgressEngine {
  /** What such flows are for; docs/WIRE-RELAY.md. */
  static final int FLOW_PORT = 2;

  /** In the addresses of queue pairs, where a port has no meaning here. */
  static final int WIRE_PORT = 4792;

  private static final Logger LOG = LogManager.getLogger(FlowNetwork.class);

  /** An end that has restarted answers that it does not know the flow. */
  private static final long PROBE_NS = 1_000_000_000L;

  /** How long a flow waits for its stream, whose set-up ends earlier. */
  private static final long MAX_WAIT_NS = 10_000_000_000L;

  private static final int MAX_WAITING = 1024;

  /** How long last frames may take when the device closes. */
  private static final long DRAIN_NS = 1_000_000_000L;

  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);

  private final Overlay overlay;
  private final GidEntry gid;
  private final int mtuBytes;
  private final boolean isDetour;
  private final SecureRandom random = new SecureRandom();
  private final ServiceThread thread;
  private final Runnable timers = this::runTimersLocked;

  private final KnownNodes nodes = new KnownNodes();
  private final Map<WireProof.Id, FlowStream> streams = new HashMap<>();
  private final List<FlowStream> streamList = new ArrayList<>();
  private final List<FlowConnection> connections = new ArrayList<>();

  /** A thread of the program that takes in what has come, and looks for it then. */
  private Thread taker;

  /** What that thread waits for; null if it polls. */
  private EventWaiter awaited;

  private SoftDevice device;
  private DeferredFlows deferred;
  private Condition flowEnded;
  private int liveFlows;
  private long probeNs = DeviceTimers.NEVER;
  private boolean isClosed;

  /** When the device's timers are due; written with the lock, read without. */
  private volatile long timerNs = DeviceTimers.NEVER;

  /**
   * @param isDetour whether what this end sends is to avoid cables that join its nodes
   */
  FlowNetwork(Overlay overlay, String deviceName, GidEntry gid, int mtuBytes, boolean isDetour) {
    this.isDetour = isDetour;
    this.overlay = overlay;
    this.gid = gid;
    this.mtuBytes = mtuBytes;
    thread = new ServiceThread("mesh-soft-" + deviceName, this::turn, LOG::warn);
  }

  @Override
  public void attach(SoftDevice newDevice) {
    device = newDevice;
    deferred = new DeferredFlows(device.timers());
    flowEnded = device.lock().newCondition();
    thread.start();
  }

  SoftDevice device() {
    return device;
  }

  /** Queue pairs may connect to a node for the next {@link KnownNodes#KNOWN_NS}. Any thread. */
  void know(NodeId node) {
    nodes.add(node, nowNs());
  }

  /** A node as people know it. */
  Peer peer(String nodeId) {
    return overlay.peer(nodeId);
  }

  String path(String nodeId) {
    return overlay.path(nodeId);
  }

  /** Bytes that cannot be predicted. */
  byte[] nonce() {
    byte[] nonce = new byte[WireProof.NONCE_BYTES];
    random.nextBytes(nonce);
    return nonce;
  }

  @Override
  public FrameStream connect(StreamListener listener, StreamAddress ends, WireKey key) {
    FlowStream stream =
        new FlowStream(this, listener, ends, new WireProof(key, ends, ends.isDialler()));
    streams.put(stream.id(), stream);
    streamList.add(stream);
    search(stream);
    armProbes();
    return stream;
  }

  private void armProbes() {
    if (probeNs == DeviceTimers.NEVER) {
      probeNs = nowNs() + PROBE_NS;
      device.timers().arm(probeNs);
    }
  }

  /** The stream has no flow: dials one, or has one that the peer has begun. */
  void search(FlowStream stream) {
    long dueNs = stream.dialIfDue(nowNs());
    if (dueNs != DeviceTimers.NEVER) {
      device.timers().arm(dueNs);
    }
    for (int i = connections.size() - 1; i >= 0 && stream.isAccepting(); i--) {
      FlowConnection waiting = connections.get(i);
      if (stream.id().equals(waiting.wanted()) && isPeer(waiting, stream)) {
        waiting.carry(stream);
      }
    }
  }

  private static boolean isPeer(FlowConnection connection, FlowStream stream) {
    return connection.peer().equals(stream.ends().remoteGid());
  }

  /** The peer has begun a flow for a stream that it names. */
  void match(FlowConnection connection) {
    FlowStream stream = streams.get(connection.wanted());
    if (stream != null && stream.isAccepting() && isPeer(connection, stream)) {
      connection.carry(stream);
    }
  }

  /**
   * Begins a flow for a stream.
   *
   * @return false if nothing leads to the peer
   */
  boolean dial(FlowStream stream) {
    String node = nodes.find(stream.ends().remoteGid()).map(NodeId::toString).orElse(null);
    if (isClosed || node == null || !overlay.reaches(node)) {
      return false;
    }
    FlowConnection connection = FlowConnection.dialled(this, node, stream);
    stream.moveTo(connection);
    add(connection);
    connection.begin(detoured(overlay.open(node, FLOW_PORT, connection)));
    return true;
  }

  private OverlayFlow detoured(OverlayFlow flow) {
    if (isDetour) {
      flow.takeDetour();
    }
    return flow;
  }

  private void add(FlowConnection connection) {
    connections.add(connection);
    liveFlows++;
  }

  /** A node has begun a flow to this one; null refuses it. Any thread, without the lock. */
  OverlayFlow.Listener accept(OverlayFlow flow, String nodeId) {
    NodeId node = NodeId.parse(nodeId);
    know(node);
    device.lock().lock();
    try {
      if (isClosed || waiting() >= MAX_WAITING) {
        return null;
      }
      long deadlineNs = nowNs() + MAX_WAIT_NS;
      FlowConnection connection =
          FlowConnection.accepted(
              this, nodeId, Gid.of(OverlayAddress.of(node)), detoured(flow), deadlineNs);
      add(connection);
      armProbes();
      return connection;
    } finally {
      device.lock().unlock();
    }
  }

  private int waiting() {
    return Math.max(0, connections.size() - streamList.size());
  }

  void onEnded(FlowStream stream) {
    streams.remove(stream.id(), stream);
    streamList.remove(stream);
  }

  void onEnded(FlowConnection connection) {
    deferred.remove(connection);
    connections.remove(connection);
  }

  /** The overlay has nothing more to do for a flow. */
  void flowEnded() {
    liveFlows--;
    flowEnded.signalAll();
  }

  @Override
  public void detach(SoftMemoryRegion region) {
    for (int i = connections.size() - 1; i >= 0; i--) {
      if (i < connections.size()) {
        connections.get(i).detach(region);
      }
    }
  }

  @Override
  public List<GidEntry> gidTable() {
    return List.of(gid);
  }

  @Override
  public PortState portState() {
    return PortState.ACTIVE;
  }

  @Override
  public int activeMtuBytes() {
    return mtuBytes;
  }

  @Override
  public int wirePort() {
    return WIRE_PORT;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public long nowNs() {
    return System.nanoTime();
  }

  /** Of this device alone; others of the same overlay are driven with it. */
  @Override
  public ProgressEngine progress() {
    return this;
  }

  @Override
  public boolean drive() {
    awaited = null;
    taker = Thread.currentThread();
    boolean isDriven = overlay.drive();
    taker = null;
    runTimersIfDue();
    return isDriven;
  }

  /**
   * Whether the caller is a thread of the program that will poll now: what it sends then can carry
   * acknowledgements. One that waits and sleeps on will not. The fields are a hint: two threads at
   * once make each send its own.
   */
  boolean mayDefer() {
    EventWaiter waiter = awaited;
    return taker == Thread.currentThread() && (waiter == null || waiter.isOver());
  }

  /** A connection has acknowledgements to send, and nothing else. */
  void defer(FlowConnection connection) {
    deferred.add(connection, nowNs());
  }

  /** A connection sends what it has. */
  void flushing(FlowConnection connection) {
    deferred.remove(connection);
  }

  @Override
  public boolean hasDeferred() {
    return !deferred.isEmpty();
  }

  /** What arrives comes by driving alone. */
  @Override
  public int pollsPerDrive() {
    return 1;
  }

  @Override
  public void polled() {}

  @Override
  public boolean isLongUndriven() {
    return false;
  }

  /**
   * A poll has found nothing, so no answer comes soon. The overlay itself defers what a caller
   * posts that comes back to {@link #drive}.
   */
  @Override
  public void flushDeferred() {
    deferred.flush();
  }

  @Override
  public boolean await(EventWaiter waiter, long timeoutNs) {
    long endNs = System.nanoTime() + timeoutNs;
    long leftNs = timeoutNs;
    while (!waiter.isOver() && leftNs > 0 && !Thread.currentThread().isInterrupted()) {
      awaited = waiter;
      taker = Thread.currentThread();
      overlay.await(waiter, leftNs);
      taker = null;
      leftNs = endNs - System.nanoTime();
    }
    return waiter.isOver();
  }

  @Override
  public void leave() {
    overlay.leave();
  }

  @Override
  public void wakeWaiters() {
    overlay.wakeWaiters();
  }

  @Override
  public void endOwnWait() {
    overlay.endOwnWait();
  }

  private void turn() {
    long dueNs = timerNs;
    long leftNs = dueNs == DeviceTimers.NEVER ? LONG_NS : dueNs - System.nanoTime();
    if (leftNs > 0) {
      LockSupport.parkNanos(this, leftNs);
    } else {
      runTimers();
    }
  }

  private void runTimersIfDue() {
    long dueNs = timerNs;
    if (dueNs != DeviceTimers.NEVER && dueNs - System.nanoTime() <= 0) {
      runTimers();
    }
  }

  private void runTimers() {
    device.locked(timers);
  }

  private void runTimersLocked() {
    device.timers().run(nowNs());
    timerNs = device.timers().earliestNs();
  }

  @Override
  public void timerArmed(long atNs) {
    timerNs = atNs;
    if (Thread.currentThread() != thread.thread()) {
      LockSupport.unpark(thread.thread());
    }
  }

  @Override
  public long onTimer(long nowNs) {
    long nextNs = DeviceTimers.NEVER;
    // Backwards, since one that ends leaves its list.
    for (int i = streamList.size() - 1; i >= 0; i--) {
      nextNs = Math.min(nextNs, streamList.get(i).dialIfDue(nowNs));
    }
    if (probeNs != DeviceTimers.NEVER && probeNs - nowNs <= 0) {
      probeAll(nowNs);
    }
    long deferredNs = deferred.onTimer(nowNs);
    return Math.min(nextNs, Math.min(probeNs, deferredNs));
  }

  private void probeAll(long nowNs) {
    for (int i = connections.size() - 1; i >= 0; i--) {
      FlowConnection connection = connections.get(i);
      if (connection.isOverdue(nowNs)) {
        connection.abort(PeerLoss.NOT_CONNECTED, "its stream did not come");
      } else {
        connection.probe();
      }
    }
    for (int i = 0; i < streamList.size(); i++) {
      nodes.keep(streamList.get(i).ends().remoteGid(), nowNs);
    }
    probeNs = connections.isEmpty() && streamList.isEmpty() ? DeviceTimers.NEVER : nowNs + PROBE_NS;
  }

  @Override
  public void close() {
    awaitDrained();
    device.locked(this::closeAll);
    thread.end();
    thread.awaitEnd();
  }

  /** Threads of the overlay send them meanwhile. */
  private void awaitDrained() {
    long leftNs = DRAIN_NS;
    device.lock().lock();
    try {
      isClosed = true;
      while (liveFlows > 0 && leftNs > 0) {
        leftNs = flowEnded.awaitNanos(leftNs);
      }
    } catch (InterruptedException e) {
      // An interrupted close does not wait for the last frames.
      Thread.currentThread().interrupt();
    } finally {
      device.lock().unlock();
    }
  }

  private void closeAll() {
    for (FlowConnection connection : List.copyOf(connections)) {
      connection.abort(PeerLoss.CLOSED_HERE, "the device is closed");
    }
  }
}
