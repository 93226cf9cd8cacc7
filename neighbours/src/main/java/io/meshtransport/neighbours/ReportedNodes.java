// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The nodes that a listener knows of. A life of another node is reported with the first verdict on
 * it: the record of a process that has ended stays in databases for up to 100 s, and a node that
 * starts in that time must not take it for a living one. Confined to the thread of the node.
 */
final class ReportedNodes {
  private final NeighbourListener listener;
  private final Consumer<NodeRecord> seen;
  private final Map<NodeId, NodeRecord> reported = new HashMap<>();

  /** The newest record of each node without a verdict on that life: no more than the database. */
  private final Map<NodeId, NodeRecord> unjudged = new HashMap<>();

  /**
   * @param seen gets each record that is reported, those without news included
   */
  ReportedNodes(NeighbourListener listener, Consumer<NodeRecord> seen) {
    this.listener = listener;
    this.seen = seen;
  }

  /**
   * A record of another node is new, and the node has not left.
   *
   * @param isJudged whether there is a verdict on the life that it is about
   */
  void stored(NodeRecord record, boolean isJudged) {
    if (isJudged) {
      unjudged.remove(record.origin());
      report(record);
    } else {
      unjudged.put(record.origin(), record);
    }
  }

  /** There is a verdict; the listener hears of it next. */
  void judged(NodeVerdict verdict) {
    NodeRecord record = unjudged.get(verdict.node());
    if (record != null && record.incarnation() == verdict.incarnation()) {
      unjudged.remove(verdict.node());
      report(record);
    }
  }

  private void report(NodeRecord record) {
    seen.accept(record);
    NodeRecord before = reported.put(record.origin(), record);
    if (before == null) {
      listener.nodeAppeared(record);
    } else if (!before.isRefreshedBy(record)) {
      listener.nodeChanged(before, record);
    }
  }

  /** A node has left, or its record has expired. */
  void removed(NodeRecord record) {
    unjudged.remove(record.origin());
    if (reported.remove(record.origin()) != null) {
      listener.nodeGone(record);
    }
  }
}
