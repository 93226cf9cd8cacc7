// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The nodes that a path leads to, and what their records say of their links: who reports which link
 * is looked up once for all nodes, and not once for each. For one thread and one moment.
 */
final class ReachableNodes {
  private final Map<NodeId, NodeRecord> records;
  private final Map<LinkCondition, Map<NodeId, NodeRecord>> reporters =
      new EnumMap<>(LinkCondition.class);

  /**
   * @param records by their nodes, which must not change any more
   */
  ReachableNodes(Map<NodeId, NodeRecord> records) {
    this.records = records;
  }

  boolean contains(NodeId node) {
    return records.containsKey(node);
  }

  /** The first node that says of a link to this one that it is in such a condition. */
  Optional<NodeRecord> reporter(NodeId of, LinkCondition condition) {
    return Optional.ofNullable(reporters.computeIfAbsent(condition, this::reportersOf).get(of));
  }

  /** Whether a node says anything of a link to this one. */
  boolean isReported(NodeId node) {
    return Arrays.stream(LinkCondition.values()).anyMatch(each -> reporter(node, each).isPresent());
  }

  private Map<NodeId, NodeRecord> reportersOf(LinkCondition condition) {
    Map<NodeId, NodeRecord> found = new HashMap<>();
    for (NodeRecord each : records.values()) {
      for (LinkEntry link : each.links()) {
        if (link.condition() == condition) {
          found.putIfAbsent(link.peer(), each);
        }
      }
    }
    return found;
  }
}
