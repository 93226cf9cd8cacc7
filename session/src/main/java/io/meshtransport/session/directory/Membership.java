// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.util.Optional;

/**
 * What the layer above adds to a directory of nodes. Called on any thread, without a lock: must not
 * block.
 */
public interface Membership {
  /** Adds nothing. */
  Membership NONE = new Membership() {};

  /**
   * Bytes for the peers with each introduction, such as this node's address in a group: at most
   * {@value DirectoryMessage#MAX_MEMBER_BYTES}, else they are left out.
   */
  default byte[] member() {
    return new byte[0];
  }

  /** A node has introduced itself with these bytes of its layer above, before it is entered. */
  default void onIntroduction(Node node, byte[] member) {
    // Nothing to note.
  }

  /** Why a node cannot belong to this mesh, a sentence; empty if it can. */
  default Optional<String> objection(Node node) {
    return Optional.empty();
  }

  /** Whether a node must not be removed yet, although its process has ended. */
  default boolean isNeeded(Node node) {
    return false;
  }

  /** What to do about two nodes that have one name, a sentence. */
  default String remedy() {
    return "Give each node a name of its own.";
  }
}
