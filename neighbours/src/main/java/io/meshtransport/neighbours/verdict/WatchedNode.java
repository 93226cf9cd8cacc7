// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Another node, what was seen of its life, and the last verdict. */
final class WatchedNode {
  static final long NOT_IN_DOUBT = -1;

  /** Signs of life that were on their way when the host refused a connection come within this. */
  private static final long IN_FLIGHT_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /** What others report that long after a doubt began, or later, confirms it. */
  private static final long CONFIRM_NS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Where a node on the way has paused, newer reports come so soon behind those that confirm. */
  private static final long BURST_NS = TimeUnit.MILLISECONDS.toNanos(20);

  final NodeId id;
  final Map<AdjacencyId, WatchedCable> cables = new LinkedHashMap<>();
  String name;
  long incarnation;
  NodeRecord record;
  NodeState state;
  boolean hasLeft;

  /** Since when it is neither heard nor reachable. */
  long doubtNs = NOT_IN_DOUBT;

  /** When its present life was seen first. */
  long bornNs;

  /** When a hello or a new record of it arrived last. */
  long lifeNs;

  /** The life that the state is about, once there is one. */
  private long judgedIncarnation;

  /** The record when this life was found to be over. */
  private NodeRecord lastRecord;

  /** Whether another node has said late in the doubt that it does not hear it either. */
  private boolean isConfirmed;

  private long confirmedNs;
  private boolean isRefused;
  private long refusedNs;

  WatchedNode(NodeId id, String name, long incarnation, long nowNs) {
    this.id = id;
    this.name = name;
    this.incarnation = incarnation;
    this.bornNs = nowNs;
  }

  void moveTo(NodeState next) {
    state = next;
    judgedIncarnation = incarnation;
    lastRecord = next.isGone() ? record : null;
  }

  /** Whether the last verdict is about this life, and not about one before. */
  boolean isJudged(long life) {
    return state != null && judgedIncarnation == life;
  }

  /**
   * Whether a path that leads to it proves anything: once it is gone only a record of a later
   * moment does, since its neighbours may count a link to its next life before that says a word.
   */
  boolean hasLifeSign() {
    return state == null || !state.isGone() || record != null && record != lastRecord;
  }

  boolean isInDoubt() {
    return doubtNs != NOT_IN_DOUBT;
  }

  void beginDoubt(long nowNs) {
    doubtNs = nowNs;
    isConfirmed = false;
  }

  /** Another node says that it does not hear it. */
  void reportedSilent(long nowNs) {
    if (isInDoubt() && !isConfirmed && nowNs - doubtNs >= CONFIRM_NS) {
      isConfirmed = true;
      confirmedNs = nowNs;
    }
  }

  /** Until when reports of others are awaited, where it is in doubt. */
  long reportsDueNs() {
    long maxNs = doubtNs + Verdicts.MAX_DOUBT_NS;
    return isConfirmed ? Math.min(maxNs, confirmedNs + BURST_NS) : maxNs;
  }

  /** This process was stopped, and what it waited for may have been on its way. */
  void beginWaitsAnew(long nowNs) {
    if (isInDoubt()) {
      doubtNs = nowNs;
    }
    cables.values().stream()
        .filter(each -> !each.isUp && !each.isCutReported)
        .forEach(each -> each.downNs = nowNs);
  }

  /** Whether this node sees nothing of its life or death itself. */
  boolean isJudgedByReports() {
    return (state == null || !state.isGone())
        && cables.values().stream().allMatch(each -> each.isCutReported);
  }

  void refused(long nowNs) {
    isRefused = true;
    refusedNs = nowNs;
  }

  void alive(long nowNs) {
    lifeNs = nowNs;
    if (isRefused && nowNs - refusedNs >= IN_FLIGHT_NS) {
      isRefused = false;
    }
  }

  /** Another life of it has begun: what was seen of the one before counts no longer. */
  void restarted(long next, long nowNs) {
    incarnation = next;
    bornNs = nowNs;
    hasLeft = false;
    isRefused = false;
    record = null;
    cables
        .values()
        .removeIf(
            each -> {
              boolean isOld = each.incarnation < next;
              if (isOld) {
                each.release();
              }
              return isOld;
            });
  }

  boolean isRefused() {
    return isRefused;
  }

  boolean isHeard() {
    return cables.values().stream().anyMatch(each -> each.isUp);
  }

  /** Whether one of its cables is down and may be found cut. */
  boolean hasDoubtfulCable() {
    return cables.values().stream().anyMatch(each -> !each.isUp && !each.isCutReported);
  }

  boolean isProbing() {
    return cables.values().stream().anyMatch(each -> !each.isUp && each.isProbing());
  }

  /** A cable of this node that is in some condition. */
  Optional<WatchedCable> cable(LinkCondition condition) {
    return cables.values().stream().filter(each -> each.condition == condition).findFirst();
  }

  /** Its links, as it says. */
  List<LinkEntry> links() {
    return record == null ? List.of() : record.links();
  }

  /** Whether it says of a cable to this node that it is up. */
  boolean lists(AdjacencyId cable, NodeId self) {
    return links().stream()
        .anyMatch(
            each ->
                each.condition() == LinkCondition.UP
                    && each.peer().equals(self)
                    && each.interfaceIndex() == cable.peerInterfaceIndex()
                    && each.peerInterfaceIndex() == cable.interfaceIndex());
  }
}
