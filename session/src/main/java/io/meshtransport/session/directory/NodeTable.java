// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The entries of a directory by name, at most {@link Directory#MAX_NODES}. Any thread may read, and
 * acquires no lock; the directory's lock guards what changes the table.
 */
final class NodeTable {
  private final Map<String, DirectoryEntry> byName = new ConcurrentHashMap<>();

  /** Null if there is none. */
  DirectoryEntry at(String name) {
    return byName.get(name);
  }

  /** All entries, in no order. */
  Collection<DirectoryEntry> entries() {
    return byName.values();
  }

  /** A snapshot of the nodes whose entries match, in no order. */
  List<Node> nodes(Predicate<DirectoryEntry> filter) {
    return byName.values().stream().filter(filter).map(DirectoryEntry::node).toList();
  }

  Optional<DirectoryEntry> withId(String id) {
    for (DirectoryEntry entry : byName.values()) {
      if (entry.node().id().equals(id)) {
        return Optional.of(entry);
      }
    }
    return Optional.empty();
  }

  void put(DirectoryEntry entry) {
    byName.put(entry.node().name(), entry);
  }

  void remove(Node node) {
    byName.remove(node.name());
  }

  boolean isFull() {
    return byName.size() >= Directory.MAX_NODES;
  }

  /** How many nodes are known by the reports of that source alone. */
  long gossipOf(String source) {
    return byName.values().stream().filter(entry -> entry.isGossipOf(source)).count();
  }

  /**
   * Removes the node with the oldest incarnation, nodes known by gossip first, unless the newcomer
   * comes before all others in that order.
   *
   * @param isKept entries that stay in any case
   * @return the node removed; empty if there is no space for the newcomer
   */
  Optional<Node> evictFor(DirectoryEntry newcomer, Predicate<DirectoryEntry> isKept) {
    DirectoryEntry oldest = newcomer;
    for (DirectoryEntry entry : byName.values()) {
      if (!isKept.test(entry) && precedes(entry, oldest)) {
        oldest = entry;
      }
    }
    return byName.remove(oldest.node().name(), oldest)
        ? Optional.of(oldest.node())
        : Optional.empty();
  }

  private static boolean precedes(DirectoryEntry one, DirectoryEntry other) {
    return one.introduced() == other.introduced()
        ? one.node().incarnation() < other.node().incarnation()
        : other.introduced();
  }
}
