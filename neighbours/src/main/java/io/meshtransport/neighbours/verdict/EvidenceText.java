// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import io.meshtransport.neighbours.wire.LinkCondition;
import java.util.Locale;
import java.util.Optional;

/** The evidence of a verdict, for people. */
final class EvidenceText {
  private EvidenceText() {}

  /** What a verdict rests on. */
  static String of(WatchedNode node, NodeState state, ReachableNodes reachable, long nowNs) {
    return switch (state) {
      case ALIVE -> aliveBy(node, reachable);
      case STUCK ->
          "%s, but its host accepts connections%s"
              .formatted(silence(node, nowNs), seenBy(node, LinkCondition.ACCEPTED, reachable));
      case PROCESS_GONE ->
          "its host refuses connections" + seenBy(node, LinkCondition.REFUSED, reachable);
      case NODE_GONE ->
          "%s, its host answers no connection, and no node that can be reached hears it"
              .formatted(silence(node, nowNs));
      case UNREACHABLE ->
          node.cables.isEmpty()
              ? "no path leads to it, and no node that it was cabled to can be reached"
              : "no cable of this node works";
      case LEFT -> NodeVerdict.LEFT_EVIDENCE;
    };
  }

  private static String silence(WatchedNode node, long nowNs) {
    if (node.cables.isEmpty()) {
      return "its neighbours no longer hear it";
    }
    return String.format(Locale.ROOT, "no sign of life for %.1f s", (nowNs - node.lifeNs) / 1e9);
  }

  private static String seenBy(
      WatchedNode node, LinkCondition condition, ReachableNodes reachable) {
    Optional<WatchedCable> own = node.cable(condition);
    if (own.isPresent()) {
      return " on " + own.get().label;
    }
    return reachable
        .reporter(node.id, condition)
        .map(each -> ", as " + each.name() + " reports")
        .orElse("");
  }

  /** What proves that a node lives. */
  static String aliveBy(WatchedNode node, ReachableNodes reachable) {
    Optional<WatchedCable> own = node.cables.values().stream().filter(one -> one.isUp).findFirst();
    if (own.isPresent()) {
      return "its hellos arrive on " + own.get().label;
    }
    return reachable
        .reporter(node.id, LinkCondition.UP)
        .map(each -> each.name() + " hears it")
        .orElse("a path leads to it");
  }
}
