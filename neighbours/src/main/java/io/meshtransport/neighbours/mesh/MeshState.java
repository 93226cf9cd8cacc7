// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.NeighbourListener;
import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.CableCut;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.ServiceEntry;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.time.WaitTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The other nodes, as the agent reports them. Its monitor guards everything; listeners are called
 * by the executor, without it.
 */
final class MeshState implements NeighbourListener {
  private static final Logger LOG = LogManager.getLogger(MeshState.class);

  private final NodeId self;
  private final String selfName;
  private final Executor events;
  private final TransportListener transport;
  private final List<MeshSubscription> subscriptions = new ArrayList<>();

  /** Replaced under the monitor, before subscriptions hear of it; read by any thread. */
  private volatile MeshSnapshot present = MeshSnapshot.EMPTY;

  /** Programs poll it. Any thread may replace it. */
  private volatile Listed listed = new Listed(MeshSnapshot.EMPTY, List.of());

  /** How often a node has come within reach. Written under the monitor. */
  private volatile long arrivals;

  /** When each node that is known came within reach last. Guarded by the monitor. */
  private final Map<NodeId, Long> arrivedNs = new HashMap<>();

  /** Nodes that are removed because they have left, until the agent's verdict says so too. */
  private final Set<NodeId> left = new HashSet<>();

  private boolean isClosed;

  /**
   * @param events calls listeners, one at a time and in order
   * @param transport is told, on the agent's thread
   */
  MeshState(NodeId self, String selfName, Executor events, TransportListener transport) {
    this.self = self;
    this.selfName = selfName;
    this.events = events;
    this.transport = transport;
  }

  /** The nodes of a snapshot, by name. */
  private record Listed(MeshSnapshot of, List<MeshNode> nodes) {}

  /** What a transport acts on. Called on the agent's thread; never blocks. */
  interface TransportListener {
    /** Ends what leads to a node whose life is over. */
    void nodeGone(NodeId node, String evidence);

    /** Takes what leads to a living node off a cable. */
    default void cableCut(CableCut cut) {}

    /** A node is heard over a cable: for the first time, or again. */
    default void cableUp(AdjacencyId cable) {}
  }

  synchronized Mesh.Subscription subscribe(MeshEventListener listener) {
    MeshSubscription added = new MeshSubscription(listener, events, () -> present, this::remove);
    subscriptions.add(added);
    added.offer(present);
    return added;
  }

  private synchronized void remove(MeshSubscription ended) {
    subscriptions.remove(ended);
  }

  /** Called with the monitor. */
  private void become(MeshSnapshot next) {
    present = next;
    notifyAll();
    subscriptions.forEach(each -> each.offer(next));
  }

  @Override
  public synchronized void nodeAppeared(NodeRecord record) {
    if (!record.origin().equals(self)) {
      countArrival(record.origin(), present.withRecord(record));
      become(present.withRecord(record));
    }
  }

  @Override
  public void nodeChanged(NodeRecord before, NodeRecord now) {
    nodeAppeared(now);
  }

  @Override
  public synchronized void nodeGone(NodeRecord record) {
    boolean isNews = record.left() && present.state(record.origin()) != MeshNodeState.LEFT;
    if (isNews) {
      become(present.withVerdict(NodeVerdict.left(record)));
      left.add(record.origin());
    }
    arrivedNs.remove(record.origin());
    become(present.without(record.origin()));
  }

  @Override
  public void verdict(NodeVerdict verdict) {
    judge(verdict);
    boolean isGone =
        verdict.state() == NodeState.PROCESS_GONE || verdict.state() == NodeState.NODE_GONE;
    if (isGone && !verdict.isSucceeded()) {
      transport.nodeGone(verdict.node(), verdict.evidence());
    }
  }

  private synchronized void judge(NodeVerdict verdict) {
    if (left.remove(verdict.node()) && verdict.state() == NodeState.LEFT) {
      return;
    }
    countArrival(verdict.node(), present.withVerdict(verdict));
    become(present.withVerdict(verdict));
  }

  private void countArrival(NodeId node, MeshSnapshot next) {
    if (next.isWithinReach(node) && !present.isWithinReach(node)) {
      arrivals++;
      arrivedNs.put(node, System.nanoTime());
    }
  }

  /** How often a node has come within reach, for the first time or again. Never blocks. */
  long arrivals() {
    return arrivals;
  }

  @Override
  public void cableCut(CableCut cut) {
    tellOf(cut);
    transport.cableCut(cut);
  }

  @Override
  public void adjacencyUp(Adjacency adjacency) {
    transport.cableUp(adjacency.id());
  }

  private synchronized void tellOf(CableCut cut) {
    Peer peer = new Peer(cut.peerName(), cut.cable().peer().toString());
    subscriptions.forEach(each -> each.offer(to -> to.linkCut(peer, cut.evidence())));
  }

  @Override
  public synchronized void cablesChanged(MeshGraph graph) {
    become(present.withCables(graph));
  }

  @Override
  public void found(Finding finding) {
    Optional<Finding> told = present.findings().stream().filter(finding::isAlike).findFirst();
    LOG.warn(
        "{}",
        told.isPresent()
            ? "%s: the same as at %s.".formatted(finding.subject(), told.get().subject())
            : finding);
    synchronized (this) {
      become(present.withFinding(finding));
    }
  }

  @Override
  public synchronized void reworded(Finding finding) {
    become(present.withFinding(finding));
  }

  @Override
  public void cleared(Finding finding) {
    LOG.info("no longer: {}: {}", finding.subject(), finding.text());
    synchronized (this) {
      become(present.withoutFinding(finding));
    }
  }

  List<MeshNode> nodes() {
    MeshSnapshot now = present;
    Listed last = listed;
    if (last.of != now) {
      last =
          new Listed(
              now,
              now.nodes().stream()
                  .sorted(
                      Comparator.comparing((MeshNode each) -> each.peer().name())
                          .thenComparing(each -> each.peer().id()))
                  .toList());
      listed = last;
    }
    return last.nodes;
  }

  List<MeshFinding> findings() {
    return present.findings().stream().map(MeshSnapshot::finding).toList();
  }

  /**
   * The handle of a service of the only living node of this name, as soon as there is one.
   *
   * @param settleNs how long a verdict on the earlier life of a node may take
   */
  synchronized byte[] awaitHandle(String name, String service, long settleNs, Duration timeout)
      throws TransportException {
    long deadlineNs = WaitTimes.endNs(timeout);
    while (true) {
      List<NodeRecord> living = living(name);
      Optional<byte[]> handle = handle(living, service);
      if (handle.isPresent()) {
        return handle.get();
      }
      boolean isDoubled = isDoubled(living);
      long settledNs = isDoubled ? lastArrivalNs(living) + settleNs : deadlineNs;
      if (!awaitChange(earlier(settledNs, deadlineNs))) {
        boolean isSettled = settledNs - System.nanoTime() <= 0;
        throw isDoubled && isSettled
            ? doubled(name, living)
            : new TransportException(Reason.PEER_UNREACHABLE, missing(name, service));
      }
    }
  }

  /**
   * An attempt to connect that has failed.
   *
   * @param arrivals as they were when it began
   */
  record Failed(byte[] handle, long arrivals, TransportException why) {}

  /**
   * How long verdicts may take.
   *
   * @param handleNs on a node whose handle has failed, from the failure on
   * @param nameNs on an earlier life of a node, once its next one is within reach
   */
  record SettleTimes(long handleNs, long nameNs) {}

  /**
   * The handle to try once one has failed, if the node has restarted or published another one, or
   * the same if nodes have come within reach meanwhile. While no node within reach has the service
   * it is awaited until the deadline, as at first. While the same handle is published, or two nodes
   * within reach have the name, the verdict may not be there yet.
   *
   * @param failed whose failure is thrown if there is no other
   */
  synchronized byte[] awaitAnother(
      String name, String service, Failed failed, SettleTimes settle, long deadlineNs)
      throws TransportException {
    long settledNs = earlier(System.nanoTime() + settle.handleNs, deadlineNs);
    while (true) {
      List<NodeRecord> living = living(name);
      Optional<byte[]> next = isNear(living) ? handle(living, service) : Optional.empty();
      boolean isNews = arrivals != failed.arrivals;
      if (next.isPresent() && (isNews || !Arrays.equals(next.get(), failed.handle))) {
        return next.get();
      }
      if (isDoubled(living)) {
        awaitVerdict(name, living, failed, settle.nameNs, deadlineNs);
      } else if (!awaitChange(next.isPresent() ? settledNs : deadlineNs)) {
        throw failed.why;
      }
    }
  }

  private void awaitVerdict(
      String name, List<NodeRecord> living, Failed failed, long settleNs, long deadlineNs)
      throws TransportException {
    if (awaitChange(earlier(lastArrivalNs(living) + settleNs, deadlineNs))) {
      return;
    }
    if (deadlineNs - System.nanoTime() <= 0) {
      throw failed.why;
    }
    TransportException doubled = doubled(name, living);
    doubled.addSuppressed(failed.why);
    throw doubled;
  }

  /** When the last of some nodes within reach came there. */
  private long lastArrivalNs(List<NodeRecord> near) {
    long nowNs = System.nanoTime();
    long youngestNs = Long.MAX_VALUE;
    for (NodeRecord each : near) {
      youngestNs = Math.min(youngestNs, nowNs - arrivedNs.getOrDefault(each.origin(), nowNs));
    }
    return nowNs - youngestNs;
  }

  private static long earlier(long oneNs, long otherNs) {
    return oneNs - otherNs < 0 ? oneNs : otherNs;
  }

  /** The handle of a service of the only living node of this name, if there is one now. */
  synchronized Optional<byte[]> lookup(String name, String service) {
    return handle(living(name), service).map(byte[]::clone);
  }

  /** The handle of a service of a node of this id, if it has one now. */
  synchronized Optional<byte[]> lookup(Peer node, String service) {
    return present.records().values().stream()
        .filter(each -> each.origin().toString().equals(node.id()))
        .findFirst()
        .flatMap(each -> handle(each, service))
        .map(byte[]::clone);
  }

  /** A node with its name, if that is known now. Never blocks. */
  Peer peer(NodeId node) {
    return present.peer(node);
  }

  /** Whether another living node within reach has this name now. */
  synchronized boolean hasNear(String name) {
    return isNear(living(name));
  }

  /** The only living node of this name, if there is one now. */
  synchronized Optional<NodeId> find(String name) {
    List<NodeRecord> living = living(name);
    return living.size() == 1 ? Optional.of(living.get(0).origin()) : Optional.empty();
  }

  /**
   * Whether the only living node of this name is within reach, and no cable leads to it directly:
   * then a node that answers on a cable with its link-local address is another one.
   */
  synchronized boolean isBehindOthers(String name) {
    List<NodeRecord> living = living(name);
    return living.size() == 1 && isNear(living) && !present.isCabled(self, living.get(0).origin());
  }

  private static Optional<byte[]> handle(NodeRecord node, String service) {
    return node.services().stream()
        .filter(each -> each.name().equals(service))
        .map(ServiceEntry::handle)
        .findFirst();
  }

  /** Of the only one, if there is only one. */
  private static Optional<byte[]> handle(List<NodeRecord> living, String service) {
    return living.size() == 1 ? handle(living.get(0), service) : Optional.empty();
  }

  /** As {@link MeshSnapshot#living}: all are within reach, or none is. */
  private List<NodeRecord> living(String name) {
    return present.living(name);
  }

  private boolean isNear(List<NodeRecord> living) {
    return !living.isEmpty() && present.isWithinReach(living.get(0).origin());
  }

  /** Whether several nodes within reach have the name; of several out of reach one may be left. */
  private boolean isDoubled(List<NodeRecord> living) {
    return living.size() > 1 && isNear(living);
  }

  private TransportException doubled(String name, List<NodeRecord> living) {
    return new TransportException(
        Reason.CONFIGURATION,
        "%d nodes are named '%s': %s. Give each a name of its own with MESH_NODE."
            .formatted(living.size(), name, descriptions(living)));
  }

  private String descriptions(List<NodeRecord> nodes) {
    return nodes.stream()
        .map(each -> present.node(each).description())
        .sorted()
        .collect(Collectors.joining("; "));
  }

  private String missing(String name, String service) {
    List<NodeRecord> living = living(name);
    if (isDoubled(living)) {
      return "%d nodes are named '%s': %s. One may be the earlier life of another, which is not judged yet."
          .formatted(living.size(), name, descriptions(living));
    }
    if (living.size() > 1) {
      return "No path leads to any of the %d nodes named '%s': %s. Check their cables."
          .formatted(living.size(), name, descriptions(living));
    }
    if (!living.isEmpty()) {
      return "Node '%s' has published no service '%s'; its services: %s"
          .formatted(
              name,
              service,
              MeshSnapshot.services(living.get(0)).keySet().stream().sorted().toList());
    }
    String none =
        name.equals(selfName)
            ? "'%s' is this node itself, and no other living node has the name"
            : "No living node is named '%s'";
    return "%s; known nodes: %s%s"
        .formatted(
            none.formatted(name),
            nodes().stream().map(each -> each.peer().name() + " " + each.state()).toList(),
            MeshFinding.merged(findings()).stream()
                .map(each -> ".\n  " + each)
                .collect(Collectors.joining()));
  }

  synchronized boolean awaitLiving(int others, Duration timeout) throws TransportException {
    long deadlineNs = WaitTimes.endNs(timeout);
    while (nodes().stream().filter(each -> each.state() == MeshNodeState.ALIVE).count() < others) {
      if (!awaitChange(deadlineNs)) {
        return false;
      }
    }
    return true;
  }

  /** Waits for a change; false if the time has passed. */
  private boolean awaitChange(long deadlineNs) throws TransportException {
    if (isClosed) {
      throw new TransportException(Reason.CLOSED, "the mesh is closed");
    }
    long leftNs = deadlineNs - System.nanoTime();
    if (leftNs <= 0) {
      return false;
    }
    try {
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(leftNs, TimeUnit.MILLISECONDS.toNanos(1)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TransportException(Reason.INTERRUPTED, "interrupted while waiting for a node", e);
    }
    return true;
  }

  /** Ends all waiting. */
  synchronized void close() {
    isClosed = true;
    notifyAll();
  }
}
