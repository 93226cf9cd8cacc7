// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.NeighbourListener;
import io.meshtransport.neighbours.verdict.CableCut;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.ServiceEntry;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
  private final Executor events;
  private final GoneListener gone;
  private final Map<NodeId, NodeRecord> records = new HashMap<>();

  /** The last verdict on each node; it may come before the node's record. */
  private final Map<NodeId, NodeVerdict> verdicts = new HashMap<>();

  private final List<MeshSubscription> subscriptions = new ArrayList<>();
  private boolean isClosed;

  /**
   * @param events calls listeners, one at a time and in order
   * @param gone is told first, on the agent's thread
   */
  MeshState(NodeId self, Executor events, GoneListener gone) {
    this.self = self;
    this.events = events;
    this.gone = gone;
  }

  /** Ends what leads to nodes whose life is over. Called on the agent's thread; never blocks. */
  interface GoneListener {
    void nodeGone(NodeId node, String evidence);
  }

  /** A listener until it is closed. */
  private final class MeshSubscription implements Mesh.Subscription {
    private final MeshEventListener listener;
    private volatile boolean isEnded;

    MeshSubscription(MeshEventListener listener) {
      this.listener = listener;
    }

    void report(Consumer<MeshEventListener> event) {
      try {
        events.execute(() -> call(event));
      } catch (RejectedExecutionException e) {
        LOG.debug("the mesh is closed: an event is not reported");
      }
    }

    private void call(Consumer<MeshEventListener> event) {
      if (isEnded) {
        return;
      }
      try {
        event.accept(listener);
      } catch (RuntimeException e) {
        LOG.warn("a listener of the mesh failed; it will get the next event", e);
      }
    }

    @Override
    public void close() {
      isEnded = true;
      synchronized (MeshState.this) {
        subscriptions.remove(this);
      }
    }
  }

  synchronized Mesh.Subscription subscribe(MeshEventListener listener) {
    MeshSubscription added = new MeshSubscription(listener);
    for (NodeRecord each : records.values()) {
      MeshNode node = node(each);
      added.report(to -> to.nodeAppeared(node));
      each.services().forEach(one -> added.report(to -> to.servicePublished(node, one.name())));
    }
    subscriptions.add(added);
    return added;
  }

  private void report(Consumer<MeshEventListener> event) {
    subscriptions.forEach(each -> each.report(event));
  }

  private MeshNode node(NodeRecord record) {
    NodeVerdict verdict = verdicts.get(record.origin());
    boolean isJudged = verdict != null && verdict.incarnation() >= record.incarnation();
    return new MeshNode(
        new Peer(record.name(), record.origin().toString()),
        record.incarnation(),
        isJudged ? MeshNodeState.valueOf(verdict.state().name()) : MeshNodeState.ALIVE,
        isJudged ? verdict.evidence() : "",
        services(record).keySet());
  }

  private static Map<String, ServiceEntry> services(NodeRecord record) {
    return record.services().stream().collect(Collectors.toMap(ServiceEntry::name, each -> each));
  }

  @Override
  public synchronized void nodeAppeared(NodeRecord record) {
    if (record.origin().equals(self)) {
      return;
    }
    records.put(record.origin(), record);
    notifyAll();
    MeshNode node = node(record);
    report(to -> to.nodeAppeared(node));
    record.services().forEach(each -> report(to -> to.servicePublished(node, each.name())));
  }

  @Override
  public synchronized void nodeChanged(NodeRecord before, NodeRecord now) {
    if (now.origin().equals(self)) {
      return;
    }
    records.put(now.origin(), now);
    notifyAll();
    MeshNode node = node(now);
    Map<String, ServiceEntry> had = services(before);
    Map<String, ServiceEntry> has = services(now);
    had.keySet().stream()
        .filter(each -> !has.containsKey(each))
        .forEach(each -> report(to -> to.serviceWithdrawn(node, each)));
    has.values().stream()
        .filter(each -> !each.equals(had.get(each.name())))
        .forEach(each -> report(to -> to.servicePublished(node, each.name())));
  }

  @Override
  public synchronized void nodeGone(NodeRecord record) {
    NodeRecord before = records.remove(record.origin());
    if (before != null) {
      MeshNode node = node(before);
      report(to -> to.nodeRemoved(node));
    }
    verdicts.remove(record.origin());
    notifyAll();
  }

  @Override
  public void verdict(NodeVerdict verdict) {
    change(verdict);
    boolean isGone =
        verdict.state() == NodeState.PROCESS_GONE || verdict.state() == NodeState.NODE_GONE;
    if (isGone && !verdict.isSucceeded()) {
      gone.nodeGone(verdict.node(), verdict.evidence());
    }
  }

  private synchronized void change(NodeVerdict verdict) {
    verdicts.put(verdict.node(), verdict);
    notifyAll();
    NodeRecord record = records.get(verdict.node());
    if (record != null) {
      MeshNode node = node(record);
      report(to -> to.verdict(node));
    }
  }

  @Override
  public synchronized void cableCut(CableCut cut) {
    Peer peer = new Peer(cut.peerName(), cut.cable().peer().toString());
    report(to -> to.linkCut(peer, cut.evidence()));
  }

  synchronized List<MeshNode> nodes() {
    return records.values().stream()
        .map(this::node)
        .sorted(
            Comparator.comparing((MeshNode each) -> each.peer().name())
                .thenComparing(each -> each.peer().id()))
        .toList();
  }

  /** The handle of a service of the only living node of this name, as soon as there is one. */
  synchronized byte[] awaitHandle(String name, String service, Duration timeout)
      throws TransportException {
    long deadlineNs = System.nanoTime() + timeout.toNanos();
    Optional<byte[]> handle = handle(name, service);
    while (handle.isEmpty()) {
      if (!awaitChange(deadlineNs)) {
        throw new TransportException(Reason.PEER_UNREACHABLE, missing(name, service));
      }
      handle = handle(name, service);
    }
    return handle.get();
  }

  /** The handle of a service of the only living node of this name, if there is one now. */
  synchronized Optional<byte[]> lookup(String name, String service) {
    List<NodeRecord> living = living(name);
    return living.size() == 1
        ? handle(living.get(0), service).map(byte[]::clone)
        : Optional.empty();
  }

  /** The handle of a service of a node of this id, if it has one now. */
  synchronized Optional<byte[]> lookup(Peer node, String service) {
    return records.values().stream()
        .filter(each -> each.origin().toString().equals(node.id()))
        .findFirst()
        .flatMap(each -> handle(each, service))
        .map(byte[]::clone);
  }

  /** The only living node of this name, if there is one now. */
  synchronized Optional<NodeId> find(String name) {
    List<NodeRecord> living = living(name);
    return living.size() == 1 ? Optional.of(living.get(0).origin()) : Optional.empty();
  }

  private static Optional<byte[]> handle(NodeRecord node, String service) {
    return node.services().stream()
        .filter(each -> each.name().equals(service))
        .map(ServiceEntry::handle)
        .findFirst();
  }

  private List<NodeRecord> living(String name) {
    return records.values().stream()
        .filter(each -> each.name().equals(name) && !node(each).state().isGone())
        .toList();
  }

  private Optional<byte[]> handle(String name, String service) throws TransportException {
    List<NodeRecord> living = living(name);
    if (living.size() > 1) {
      throw new TransportException(
          Reason.CONFIGURATION,
          "%d nodes are named '%s': %s. Give each a name of its own with MESH_NODE."
              .formatted(
                  living.size(),
                  name,
                  living.stream()
                      .map(each -> each.origin().toString())
                      .sorted()
                      .collect(Collectors.joining(", "))));
    }
    return living.isEmpty() ? Optional.empty() : handle(living.get(0), service);
  }

  private String missing(String name, String service) {
    List<NodeRecord> living = living(name);
    if (!living.isEmpty()) {
      return "Node '%s' has published no service '%s'; its services: %s"
          .formatted(name, service, services(living.get(0)).keySet().stream().sorted().toList());
    }
    return "No living node is named '%s'; known nodes: %s"
        .formatted(
            name, nodes().stream().map(each -> each.peer().name() + " " + each.state()).toList());
  }

  synchronized boolean awaitLiving(int others, Duration timeout) throws TransportException {
    long deadlineNs = System.nanoTime() + timeout.toNanos();
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
