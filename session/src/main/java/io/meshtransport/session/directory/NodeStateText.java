// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;

/** The state of a node, in the text of a failure. Has no state of its own. */
final class NodeStateText {
  private NodeStateText() {}

  /** What the mesh says of a node, with its evidence, and what to do. */
  static String of(MeshNode node) {
    String evidence = node.evidence().isEmpty() ? "" : " (" + node.evidence() + ")";
    return "The mesh says that it is %s%s. %s"
        .formatted(node.state(), evidence, remedy(node.state()))
        .strip();
  }

  /** What that means, and what to do; empty for a node that lives. */
  static String remedy(MeshNodeState state) {
    return switch (state) {
      case ALIVE -> "";
      case STUCK ->
          "Its host answers and its process does not: see whether that is stopped, or has no processor time.";
      case PROCESS_GONE ->
          "Its process has ended: start it again. Messages to it wait until then, as many as the queue has places for (SessionOptions.queue), and requests until their deadlines.";
      case NODE_GONE ->
          "Neither its process nor its host answers: see whether the host runs, and check its cables.";
      case UNREACHABLE ->
          "No path leads to it, and no node that can be reached hears it: check the cables.";
      case LEFT ->
          "It has left the mesh: have it join again, or start it again, unless it is just joining.";
    };
  }
}
