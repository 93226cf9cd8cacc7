// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.util.HashSet;
import java.util.Set;

/**
 * What a directory knows of one node.
 *
 * @param introduced the node itself has said who it is
 * @param reached a link to it was open: a living node has that handle
 * @param sources the nodes that reported it, by their ids; empty once it was introduced
 */
record DirectoryEntry(Node node, boolean introduced, boolean reached, Set<String> sources) {
  DirectoryEntry {
    sources = Set.copyOf(sources);
  }

  /** Whether there is more than gossip about the node. */
  boolean isConfirmed() {
    return introduced || reached;
  }

  /** Whether only one node has reported it, and nothing else is known of it. */
  boolean isGossipOf(String source) {
    return !isConfirmed() && sources.size() == 1 && sources.contains(source);
  }

  DirectoryEntry withReached() {
    return new DirectoryEntry(node, introduced, true, sources);
  }

  /** The same entry reported by one more node; of an introduced node the sources do not matter. */
  DirectoryEntry withSource(String source) {
    if (introduced || sources.contains(source)) {
      return this;
    }
    Set<String> more = new HashSet<>(sources);
    more.add(source);
    return new DirectoryEntry(node, false, reached, more);
  }

  DirectoryEntry withoutSource(String source) {
    Set<String> fewer = new HashSet<>(sources);
    fewer.remove(source);
    return new DirectoryEntry(node, introduced, reached, fewer);
  }
}
