// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.adjacency.DownReason;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Says of each node whether it lives, and of each cable of this node whether it is cut: each change
 * once, with its evidence. {@link NodeEvidence} has the table.
 *
 * <p>A node is in doubt from the moment when it is neither heard nor reachable. A refused
 * connection ends the doubt at once; else it lasts {@value #WINDOW_MS} ms, in which the host's
 * answer and the reports of other nodes arrive, and a node that was stopped for a moment says hello
 * again.
 *
 * <p>Where only other nodes say that a node is silent, one of them must say so once more, late in
 * the doubt: a node that has paused, or one on the way, may hold back that the silent one is back.
 * Each says it with its own verdict. Where no such record comes the doubt ends after {@value
 * #MAX_DOUBT_MS} ms.
 */
public final class Verdicts {
  static final long WINDOW_MS = 300;

  /** How long a node is in doubt before a verdict that rests on silence. */
  public static final long WINDOW_NS = TimeUnit.MILLISECONDS.toNanos(WINDOW_MS);

  static final long MAX_DOUBT_MS = 1000;

  /** How long a node is in doubt where nobody confirms it: longer than a pause of 0.8 s. */
  public static final long MAX_DOUBT_NS = TimeUnit.MILLISECONDS.toNanos(MAX_DOUBT_MS);

  /**
   * A node in a life that has just begun does not hear its neighbours yet, though their records
   * name it: so long its word against them counts for nothing. Hellos are four a second where a
   * cable has no neighbour, and hosts set up their ports one after the other.
   */
  static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(2);

  /** A cable whose node is still said to live after this long is cut. */
  static final long CUT_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * A sign of life that comes so long after a cable's last hello proves that not the node is
   * silent: longer than a pause between hellos and the way of a record over other nodes.
   */
  static final long LIFE_NS = TimeUnit.MILLISECONDS.toNanos(400);

  /** A tick that comes so late shows that this process was stopped: silence proves nothing then. */
  static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Max cables that are down and still watched; the oldest are removed. */
  static final int MAX_DOWN = 32;

  private final NodeId self;
  private final LivenessPort port;
  private final VerdictListener listener;
  private final Map<NodeId, WatchedNode> nodes = new LinkedHashMap<>();
  private MeshGraph judged;
  private boolean hasNews;
  private long dueNs = Long.MAX_VALUE;

  public Verdicts(NodeId self, LivenessPort port, VerdictListener listener) {
    this.self = self;
    this.port = port;
    this.listener = listener;
  }

  /** The last verdict on each node. */
  public List<NodeVerdict> all() {
    // A loop, since each turn of an agent comes here.
    List<NodeVerdict> judged = new ArrayList<>(nodes.size());
    for (WatchedNode each : nodes.values()) {
      if (each.state != null) {
        judged.add(new NodeVerdict(each.id, each.name, each.incarnation, each.state, ""));
      }
    }
    return judged;
  }

  /**
   * Whether there is a verdict on the life of a node that wrote a record. There is none on one that
   * was never seen alive here: its record may be older than this node.
   */
  public boolean isJudged(NodeRecord record) {
    WatchedNode node = nodes.get(record.origin());
    return node != null && node.isJudged(record.incarnation());
  }

  private WatchedNode watch(NodeId id, String name, long incarnation, long nowNs) {
    WatchedNode node =
        nodes.computeIfAbsent(id, none -> new WatchedNode(id, name, incarnation, nowNs));
    node.name = name;
    if (incarnation > node.incarnation) {
      if (node.state != null && node.state.canMoveTo(NodeState.PROCESS_GONE)) {
        succeeded(node, "another life of it has begun");
      }
      node.restarted(incarnation, nowNs);
    }
    hasNews = true;
    return node;
  }

  /**
   * A cable to a neighbour works.
   *
   * @param interfaceName of this node, for people
   */
  public void up(Adjacency adjacency, String interfaceName, long nowNs) {
    removeMoved(adjacency.id());
    WatchedNode node =
        watch(adjacency.id().peer(), adjacency.hello().name(), adjacency.incarnation(), nowNs);
    if (adjacency.incarnation() == node.incarnation) {
      node.alive(nowNs);
      node.cables
          .computeIfAbsent(adjacency.id(), none -> new WatchedCable(adjacency, interfaceName, port))
          .up(adjacency, nowNs);
    }
  }

  /** The other end of a cable that was cut is now elsewhere. */
  private void removeMoved(AdjacencyId now) {
    for (WatchedNode node : nodes.values()) {
      boolean isOver = node.state != null && node.state.isGone();
      node.cables
          .values()
          .removeIf(
              each -> {
                boolean isMoved =
                    !each.isUp
                        && each.id.interfaceIndex() == now.interfaceIndex()
                        && !each.id.equals(now)
                        && (each.isCutReported || isOver);
                if (isMoved) {
                  each.release();
                }
                return isMoved;
              });
    }
  }

  /** A cable to a neighbour works no longer. */
  public void down(Adjacency adjacency, DownReason reason, long nowNs) {
    WatchedNode node = nodes.get(adjacency.id().peer());
    WatchedCable cable = node == null ? null : node.cables.get(adjacency.id());
    if (cable == null || cable.incarnation != adjacency.incarnation()) {
      return;
    }
    hasNews = true;
    if (reason == DownReason.LEFT || reason == DownReason.RESTARTED) {
      node.cables.remove(adjacency.id());
      cable.release();
    }
    if (reason == DownReason.LEFT) {
      node.hasLeft = true;
    } else if (reason == DownReason.RESTARTED) {
      if (node.state != null && node.state.canMoveTo(NodeState.PROCESS_GONE)) {
        succeeded(node, "another life of it says hello");
      }
    } else {
      cable.down(reason, adjacency.heardNs(), nowNs);
      limitDown();
    }
  }

  private void limitDown() {
    List<WatchedCable> down = new ArrayList<>();
    nodes.values().forEach(node -> node.cables.values().forEach(down::add));
    down.removeIf(each -> each.isUp);
    if (down.size() > MAX_DOWN) {
      WatchedCable oldest = down.stream().min(Comparator.comparingLong(one -> one.downNs)).get();
      oldest.release();
      nodes.get(oldest.id.peer()).cables.remove(oldest.id);
    }
  }

  /** A hello of a neighbour that is up arrived. */
  public void heard(Adjacency adjacency, long nowNs) {
    WatchedNode node = nodes.get(adjacency.id().peer());
    if (node != null && node.incarnation == adjacency.incarnation()) {
      node.alive(nowNs);
      hasNews |= node.hasDoubtfulCable();
      WatchedCable cable = node.cables.get(adjacency.id());
      if (cable != null) {
        cable.address = adjacency.source();
      }
    }
  }

  /** A record of another node is new, or newer than the one before. */
  public void stored(NodeRecord record, long nowNs) {
    if (record.origin().equals(self)) {
      return;
    }
    WatchedNode node = watch(record.origin(), record.name(), record.incarnation(), nowNs);
    if (record.incarnation() == node.incarnation) {
      confirmDoubts(record, nowNs);
      node.record = record;
      node.hasLeft |= record.left();
      node.alive(nowNs);
      if (record.left()) {
        // Its last hello may be lost. What its host answers from now on is no news to anybody.
        node.cables.values().forEach(WatchedCable::release);
        node.cables.clear();
      }
    }
  }

  private void confirmDoubts(NodeRecord report, long nowNs) {
    Set<NodeId> heard =
        report.links().stream()
            .filter(each -> each.condition() == LinkCondition.UP)
            .map(LinkEntry::peer)
            .collect(Collectors.toSet());
    for (LinkEntry each : report.links()) {
      WatchedNode node = nodes.get(each.peer());
      if (node != null && !heard.contains(each.peer())) {
        node.reportedSilent(nowNs);
      }
    }
  }

  /** The record of a node was not refreshed in its lifetime: the node is known no longer. */
  public void expired(NodeRecord record) {
    WatchedNode node = nodes.get(record.origin());
    if (node != null && !node.isHeard()) {
      nodes.remove(record.origin());
      node.cables.values().forEach(WatchedCable::release);
    }
  }

  /** A connection attempt has an answer. */
  public void answered(AdjacencyId id, ProbeAnswer answer, long nowNs) {
    WatchedNode node = nodes.get(id.peer());
    WatchedCable cable = node == null ? null : node.cables.get(id);
    if (cable == null) {
      port.release(id);
      return;
    }
    hasNews = true;
    LinkCondition before = cable.condition;
    cable.answered(answer);
    // Where hellos arrive a refusal counts only if a connection was accepted before: a process that
    // could not listen is not gone.
    if (answer == ProbeAnswer.REFUSED && (!cable.isUp || cable.hadConnection)) {
      cable.condition = LinkCondition.REFUSED;
      node.refused(nowNs);
      if (node.isHeard()) {
        listener.processGone(node.id, node.incarnation, nowNs);
      }
    }
    if (cable.condition != before) {
      listener.conditionChanged(nowNs);
    }
  }

  /** A connection that was accepted has ended. */
  public void ended(AdjacencyId id, long nowNs) {
    WatchedNode node = nodes.get(id.peer());
    WatchedCable cable = node == null ? null : node.cables.get(id);
    if (cable != null) {
      hasNews = true;
      cable.ended(nowNs);
    }
  }

  /**
   * Does what is due.
   *
   * @param graph what all nodes say, as of now
   */
  public void tick(MeshGraph graph, long nowNs) {
    if (!hasNews && graph == judged && nowNs < dueNs) {
      return;
    }
    boolean isLate = dueNs != Long.MAX_VALUE && nowNs - dueNs >= LATE_NS;
    hasNews = false;
    judged = graph;
    ReachableNodes reachable = new ReachableNodes(graph.reachableOver(heard(), self));
    boolean isIsolated =
        nodes.values().stream().noneMatch(WatchedNode::isHeard)
            && nodes.values().stream().filter(each -> !each.cables.isEmpty()).count() > 1;
    for (WatchedNode each : List.copyOf(nodes.values())) {
      each.cables.values().forEach(one -> one.tick(nowNs));
      if (isLate) {
        each.beginWaitsAnew(nowNs);
      }
      judge(each, reachable, isIsolated, nowNs);
      reportCuts(each, reachable, nowNs);
    }
    nodes.values().removeIf(each -> each.record == null && each.cables.isEmpty());
    dueNs = nextNs(nowNs);
  }

  private Set<NodeId> heard() {
    Set<NodeId> heard = new HashSet<>();
    for (WatchedNode each : nodes.values()) {
      if (each.isHeard()) {
        heard.add(each.id);
      }
    }
    return heard;
  }

  private void judge(WatchedNode node, ReachableNodes reachable, boolean isIsolated, long nowNs) {
    boolean isReachable = reachable.contains(node.id);
    if (node.isHeard() || isReachable) {
      node.doubtNs = WatchedNode.NOT_IN_DOUBT;
    } else if (!node.isInDoubt()) {
      node.beginDoubt(nowNs);
    } else if (node.lifeNs - node.doubtNs > 0) {
      // Its record has come, and those of the nodes that hear it are on their way.
      node.beginDoubt(node.lifeNs);
    }
    NodeEvidence evidence =
        new NodeEvidence(
            node.hasLeft,
            node.isHeard(),
            isReachable && node.hasLifeSign(),
            node.isRefused(),
            node.cable(LinkCondition.ACCEPTED).isPresent(),
            reachable.reporter(node.id, LinkCondition.REFUSED).isPresent(),
            reachable.reporter(node.id, LinkCondition.ACCEPTED).isPresent(),
            hasWitness(node, reachable, isIsolated, nowNs),
            node.isInDoubt()
                && nowNs - node.doubtNs >= WINDOW_NS
                && !node.isProbing()
                && !lacksReport(node, reachable, nowNs));
    Optional<NodeState> state = evidence.state();
    if (state.isEmpty()) {
      return;
    }
    // What was never seen alive here, and is gone, is an old record.
    boolean isNews =
        node.state == null
            ? state.get() == NodeState.ALIVE || state.get() == NodeState.STUCK
            : node.state.canMoveTo(state.get());
    if (isNews) {
      move(node, state.get(), EvidenceText.of(node, state.get(), reachable, nowNs));
      if (node.isInDoubt() && !node.cables.isEmpty()) {
        // The record confirms to others what it says of the cables.
        listener.conditionChanged(nowNs);
      }
    }
  }

  /**
   * Whether a node is judged by the reports of others, and they are late. Of a node behind silent
   * ones nobody reports anything: it waits for those.
   */
  private boolean lacksReport(WatchedNode node, ReachableNodes reachable, long nowNs) {
    return node.isJudgedByReports()
        && nowNs - node.doubtNs < MAX_DOUBT_NS
        && (reachable.isReported(node.id)
            ? isUnconfirmed(node, nowNs)
            : nodes.values().stream()
                .anyMatch(each -> isUnconfirmed(each, nowNs) && reachable.isReported(each.id)));
  }

  private static boolean isUnconfirmed(WatchedNode node, long nowNs) {
    return node.isInDoubt() && node.isJudgedByReports() && nowNs < node.reportsDueNs();
  }

  private void succeeded(WatchedNode node, String evidence) {
    move(node, NodeState.PROCESS_GONE, evidence, true);
  }

  private void move(WatchedNode node, NodeState next, String evidence) {
    move(node, next, evidence, false);
  }

  /** The one place that changes the state. */
  private void move(WatchedNode node, NodeState next, String evidence, boolean isSucceeded) {
    node.moveTo(next);
    listener.verdict(
        new NodeVerdict(node.id, node.name, node.incarnation, next, evidence, isSucceeded));
  }

  private boolean hasWitness(
      WatchedNode node, ReachableNodes reachable, boolean isIsolated, long nowNs) {
    return !node.cables.isEmpty() && !isIsolated
        || node.links().stream()
            .anyMatch(
                each ->
                    each.condition() == LinkCondition.UP
                        && reachable.contains(each.peer())
                        && hasSettled(each.peer(), nowNs));
  }

  private boolean hasSettled(NodeId id, long nowNs) {
    WatchedNode node = nodes.get(id);
    return node == null || nowNs - node.bornNs >= SETTLE_NS;
  }

  private void reportCuts(WatchedNode node, ReachableNodes reachable, long nowNs) {
    if (node.state != NodeState.ALIVE || node.isInDoubt()) {
      return;
    }
    for (WatchedCable each : node.cables.values()) {
      if (!each.isUp && !each.isCutReported && isCut(node, each, nowNs)) {
        each.isCutReported = true;
        listener.cut(
            new CableCut(
                each.id,
                node.name,
                "%s: %s, and %s"
                    .formatted(
                        each.label,
                        each.reason.description(),
                        EvidenceText.aliveBy(node, reachable))));
      }
    }
  }

  /** Whether it is proved, or has lasted long enough, that the node lives behind a dead cable. */
  private boolean isCut(WatchedNode node, WatchedCable cable, long nowNs) {
    boolean knows = node.record != null && !node.lists(cable.id, self);
    boolean isWindowOver = nowNs - cable.downNs >= WINDOW_NS;
    if (cable.reason == DownReason.INTERFACE_GONE) {
      return knows || isWindowOver;
    }
    // A node that was stopped for a moment needs another one to say hello again.
    return isWindowOver && (knows || node.lifeNs - cable.lastHelloNs >= LIFE_NS)
        || nowNs - cable.downNs >= CUT_NS;
  }

  private long nextNs(long nowNs) {
    long nextNs = Long.MAX_VALUE;
    for (WatchedNode node : nodes.values()) {
      if (nowNs - node.bornNs < SETTLE_NS) {
        nextNs = Math.min(nextNs, node.bornNs + SETTLE_NS);
      }
      if (node.isInDoubt()) {
        boolean isWindowOver = nowNs - node.doubtNs >= WINDOW_NS;
        long judgedNs = isWindowOver ? node.reportsDueNs() : node.doubtNs + WINDOW_NS;
        nextNs = judgedNs > nowNs ? Math.min(nextNs, judgedNs) : nextNs;
      }
      for (WatchedCable each : node.cables.values()) {
        nextNs = Math.min(nextNs, each.nextDueNs());
        if (!each.isUp && !each.isCutReported && nowNs - each.downNs < CUT_NS) {
          boolean isWindowOver = nowNs - each.downNs >= WINDOW_NS;
          nextNs = Math.min(nextNs, each.downNs + (isWindowOver ? CUT_NS : WINDOW_NS));
        }
      }
    }
    return nextNs;
  }

  /** When {@link #tick} has something to do. */
  public long nextDueNs(long nowNs) {
    return hasNews ? nowNs : dueNs;
  }

  /** Links of this node that are down, for its record: what it knows of the hosts behind them. */
  public List<LinkEntry> downLinks() {
    List<LinkEntry> links = new ArrayList<>();
    for (WatchedNode node : nodes.values()) {
      for (WatchedCable each : node.cables.values()) {
        if (!each.isUp) {
          links.add(
              new LinkEntry(
                  each.id.peer(),
                  each.id.interfaceIndex(),
                  each.id.peerInterfaceIndex(),
                  0,
                  0,
                  0,
                  each.condition));
        }
      }
    }
    return links;
  }
}
