// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import io.meshtransport.handshake.NodeId;

/** Receives what {@link Verdicts} find, on the thread of the node. */
public interface VerdictListener {
  /** A node is in another state than before, or in another life. */
  void verdict(NodeVerdict verdict);

  /** A cable works no longer, and the node behind it lives. */
  void cut(CableCut cut);

  /** What this node can tell others of a cable has changed, or is to be said once more. */
  void conditionChanged(long nowNs);

  /** A neighbour's host says that its process is gone, though its hellos are not overdue yet. */
  void processGone(NodeId node, long incarnation, long nowNs);
}
