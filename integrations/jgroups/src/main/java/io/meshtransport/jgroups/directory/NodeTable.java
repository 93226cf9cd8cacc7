// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.directory;

import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jgroups.stack.IpAddress;

/**
 * The entries of a directory by overlay address, at most {@link Directory#MAX_NODES}. Any thread
 * may read, and acquires no lock; the directory's lock guards what changes the table.
 */
final class NodeTable {
  private final Map<IpAddress, DirectoryEntry> byOverlay = new ConcurrentHashMap<>();

  /** Null if there is none. */
  DirectoryEntry at(IpAddress overlay) {
    return byOverlay.get(overlay);
  }

  /** All entries, in no order. */
  Collection<DirectoryEntry> entries() {
    return byOverlay.values();
  }

  /** A snapshot of the nodes whose entries match, in no order. */
  List<Node> nodes(Predicate<DirectoryEntry> filter) {
    return byOverlay.values().stream().filter(filter).map(DirectoryEntry::node).toList();
  }

  Optional<DirectoryEntry> withId(String id) {
    for (DirectoryEntry entry : byOverlay.values()) {
      if (entry.node().id().equals(id)) {
        return Optional.of(entry);
      }
    }
    return Optional.empty();
  }

  /**
   * The node with this IP address if exactly one has it.
   *
   * @param self this node, which is in no table
   */
  Optional<Node> onlyOneAt(InetAddress address, Node self) {
    Node only = self.overlay().getIpAddress().equals(address) ? self : null;
    for (DirectoryEntry entry : byOverlay.values()) {
      if (entry.node().overlay().getIpAddress().equals(address)) {
        if (only != null) {
          return Optional.empty();
        }
        only = entry.node();
      }
    }
    return Optional.ofNullable(only);
  }

  void put(DirectoryEntry entry) {
    byOverlay.put(entry.node().overlay(), entry);
  }

  void remove(Node node) {
    byOverlay.remove(node.overlay());
  }

  boolean isFull() {
    return byOverlay.size() >= Directory.MAX_NODES;
  }

  /** How many nodes are known by the reports of that source alone. */
  long gossipOf(String source) {
    return byOverlay.values().stream().filter(entry -> entry.isGossipOf(source)).count();
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
    for (DirectoryEntry entry : byOverlay.values()) {
      if (!isKept.test(entry) && precedes(entry, oldest)) {
        oldest = entry;
      }
    }
    return byOverlay.remove(oldest.node().overlay(), oldest)
        ? Optional.of(oldest.node())
        : Optional.empty();
  }

  private static boolean precedes(DirectoryEntry one, DirectoryEntry other) {
    return one.introduced() == other.introduced()
        ? one.node().incarnation() < other.node().incarnation()
        : other.introduced();
  }
}
