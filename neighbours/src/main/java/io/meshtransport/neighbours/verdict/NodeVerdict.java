// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.Objects;

/**
 * What has become of a node, and why this node says so. A value.
 *
 * @param node which one
 * @param name its name, for people
 * @param incarnation the life of it that this is about
 * @param state what it is now
 * @param evidence a clause that says what was seen
 * @param isSucceeded whether it is gone because a later life of the same id has begun: what has the
 *     id beside this protocol, as a transport does, lives on
 */
public record NodeVerdict(
    NodeId node,
    String name,
    long incarnation,
    NodeState state,
    String evidence,
    boolean isSucceeded) {
  static final String LEFT_EVIDENCE = "it said that it leaves";

  public NodeVerdict {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(evidence, "evidence");
  }

  /** One on a node without a later life. */
  public NodeVerdict(NodeId node, String name, long incarnation, NodeState state, String evidence) {
    this(node, name, incarnation, state, evidence, false);
  }

  /** The one on a node that says so in its last record. */
  public static NodeVerdict left(NodeRecord record) {
    return new NodeVerdict(
        record.origin(), record.name(), record.incarnation(), NodeState.LEFT, LEFT_EVIDENCE);
  }

  /** One line: name, state, evidence. */
  @Override
  public String toString() {
    return name + " " + state.description() + ": " + evidence;
  }
}
