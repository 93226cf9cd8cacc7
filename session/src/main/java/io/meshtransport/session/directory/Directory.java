// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.spi.TransportException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.logging.log4j.Logger;

/**
 * The nodes of the mesh that this node knows, by their names. Any thread may call it; {@link #find}
 * acquires no lock.
 *
 * <p>There are two sources of entries. A node introduces itself over its own connection ({@link
 * #introduce}); other nodes report it ({@link #learn}), which is gossip and counts for less:
 *
 * <ul>
 *   <li>Gossip is bounded for each source, and not passed on.
 *   <li>Gossip does not change the entry of a node that was introduced and has a link.
 *   <li>An entry known by gossip alone is removed with its last source ({@link #removeSource}).
 *   <li>A removed node ({@link #remove}) comes back by its own introduction only, because others
 *       may remove it later and report it until then.
 * </ul>
 *
 * <p>Of two statements about one name by gossip the greater incarnation wins, as in SWIM. An
 * introduction always wins: a node that speaks is alive, even if its clock was wrong when it
 * started. A node that restarts after its clock went back learns from the others of a greater
 * incarnation of itself. It then raises its own above that one, as a SWIM member refutes a
 * suspicion, and the others accept the raised one.
 */
public final class Directory {
  /** Far above the size of any mesh, and cheap: 1024 nodes are under a megabyte. */
  public static final int MAX_NODES = 1024;

  /**
   * Nodes, neither introduced nor reached yet, that one source alone has reported. A newcomer to a
   * larger group connects to these first, and learns the rest from their introductions.
   */
  public static final int MAX_GOSSIP_PER_SOURCE = 128;

  private final SelfClaim claim;
  private final Supplier<byte[]> member;
  private final NodeIds ids;
  private final Predicate<String> isLinked;
  private final Logger log;
  private final NodeTable nodes = new NodeTable();
  private final DirectoryListeners listeners = new DirectoryListeners();
  private final Set<String> removed = new LinkedHashSet<>();
  private boolean isOverflowReported;
  private Optional<Node> evicted = Optional.empty();

  /**
   * @param self this node; its incarnation may be raised later, see {@link #self()}
   * @param member gives bytes of the layer above for the peers, at most {@value
   *     DirectoryMessage#MAX_MEMBER_BYTES}
   * @param ids reads the node's id in a handle
   * @param isLinked whether the node with an id is connected; never blocks
   * @param remedy what to do about two nodes of one name whose labels differ, a sentence
   * @param log where conflicts are reported
   */
  public Directory(
      Node self,
      Supplier<byte[]> member,
      NodeIds ids,
      Predicate<String> isLinked,
      String remedy,
      Logger log) {
    claim = new SelfClaim(self, remedy, log);
    this.member = member;
    this.ids = ids;
    this.isLinked = isLinked;
    this.log = log;
  }

  /** The messages that introduce this node and report the nodes introduced to it. */
  public List<byte[]> messages(int maxBytes) {
    List<Node> introduced = nodes.nodes(DirectoryEntry::introduced);
    return DirectoryMessage.encode(self(), member.get(), introduced, maxBytes);
  }

  /** This node as it introduces itself: its incarnation and its handle may have changed. */
  public Node self() {
    return claim.self();
  }

  /** The node with this name, this node included. */
  public Optional<Node> find(String name) {
    Node own = self();
    return own.name().equals(name)
        ? Optional.of(own)
        : Optional.ofNullable(nodes.at(name)).map(DirectoryEntry::node);
  }

  /** The node that gave this handle, with these or other addresses, this node included. */
  Optional<Node> withHandle(byte[] handle) {
    return idOf(handle).flatMap(this::withId);
  }

  /** The id of the node that gave a handle, known or not; empty if it cannot be read. */
  Optional<String> idOf(byte[] handle) {
    try {
      return Optional.of(ids.of(handle));
    } catch (TransportException e) {
      return Optional.empty();
    }
  }

  /** The node that gave a handle, if it was introduced; this node for its own. */
  Optional<Node> introducedWithHandle(byte[] handle) {
    return withHandle(handle)
        .filter(node -> node.id().equals(self().id()) || isIntroduced(node.id()));
  }

  /** The node with this id, this node included. */
  public Optional<Node> withId(String id) {
    Node own = self();
    return own.id().equals(id) ? Optional.of(own) : nodes.withId(id).map(DirectoryEntry::node);
  }

  /** Whether the node with this id has introduced itself. */
  public boolean isIntroduced(String id) {
    return nodes.withId(id).filter(DirectoryEntry::introduced).isPresent();
  }

  /** One of the sources that reported the node with this id; empty if there is none. */
  public Optional<String> sourceOf(String id) {
    return nodes.withId(id).flatMap(entry -> entry.sources().stream().findAny());
  }

  /** All others, a snapshot in no order. */
  public List<Node> all() {
    return nodes.nodes(entry -> true);
  }

  /** All others and this node, a snapshot in no order. */
  public List<Node> allAndSelf() {
    List<Node> nodesAndSelf = new ArrayList<>(all());
    nodesAndSelf.add(self());
    return nodesAndSelf;
  }

  /** Those that were introduced or reached: there is more than gossip about them. */
  public List<Node> confirmed() {
    return nodes.nodes(DirectoryEntry::isConfirmed);
  }

  /**
   * Enters what another node reports of this one.
   *
   * @param source the other's id
   * @return whether it was news: a node unknown so far, a newer statement about a known one, or a
   *     reason to raise the own incarnation
   */
  public boolean learn(Node node, String source) {
    return enter(node, Optional.of(source));
  }

  /**
   * Enters what a node says of itself over its own connection.
   *
   * @return as {@link #learn}; also if the node was known by gossip alone
   */
  public boolean introduce(Node sender) {
    return enter(sender, Optional.empty());
  }

  private boolean isEstablished(DirectoryEntry entry) {
    return entry.introduced() && isLinked.test(entry.node().id());
  }

  /** A link to the node with this id is open. */
  public void markReached(String id) {
    Optional<DirectoryEntry> first;
    synchronized (this) {
      first = nodes.withId(id).filter(entry -> !entry.isConfirmed());
      first.ifPresent(entry -> nodes.put(entry.withReached()));
    }
    first.ifPresent(entry -> listeners.confirmed(entry.node()));
  }

  /** The addresses of this node have changed, and with them its handle. */
  public void updateHandle(byte[] handle, long nowMs) {
    Optional<Node> changed;
    synchronized (this) {
      changed = claim.updateHandle(handle, nowMs);
    }
    changed.ifPresent(listeners::changed);
  }

  /**
   * Calls back for each piece of news, on the thread that brought it and without a lock: a node new
   * or newer, or introduced for the first time, or this node itself when what it announces of
   * itself has changed.
   */
  public void onChange(Consumer<Node> listener) {
    listeners.onChange(listener);
  }

  /** Calls back, as above, for each node of which there is more than gossip from now on. */
  public void onConfirmation(Consumer<Node> listener) {
    listeners.onConfirmation(listener);
  }

  /**
   * As {@link #onChange}, and before it, but with the node as it was known so far: only for one
   * that was known. {@link #withId} says whether its process still is, at other addresses.
   */
  public void onReplacement(Consumer<Node> listener) {
    listeners.onReplacement(listener);
  }

  /** Calls back for each node that was removed, without a lock. */
  public void onRemoval(Consumer<Node> listener) {
    listeners.onRemoval(listener);
  }

  /**
   * Removes the node with this id, whose process has ended: reports of it by others, who still know
   * it, are ignored from now on.
   */
  public void remove(String id) {
    Optional<Node> gone;
    synchronized (this) {
      gone = nodes.withId(id).map(DirectoryEntry::node);
      gone.ifPresent(nodes::remove);
      removed.add(id);
      if (removed.size() > MAX_NODES) {
        removed.remove(removed.iterator().next());
      }
    }
    gone.ifPresent(listeners::removed);
  }

  /**
   * Removes a source that has gone for good, and with it the nodes that it alone reported and that
   * never answered. Other nodes may report them later.
   *
   * @param isNeeded whether a node must be kept all the same
   * @return whether some were kept for that alone
   */
  public boolean removeSource(String source, Predicate<Node> isNeeded) {
    List<Node> gone = new ArrayList<>();
    boolean isKept = false;
    synchronized (this) {
      for (DirectoryEntry entry : List.copyOf(nodes.entries())) {
        if (!entry.sources().contains(source)) {
          continue;
        }
        boolean isLast = entry.isGossipOf(source);
        if (isLast && isNeeded.test(entry.node())) {
          isKept = true;
        } else if (isLast) {
          nodes.remove(entry.node());
          gone.add(entry.node());
        } else {
          nodes.put(entry.withoutSource(source));
        }
      }
    }
    gone.forEach(listeners::removed);
    return isKept;
  }

  private boolean enter(Node node, Optional<String> source) {
    DirectoryEntry before;
    Optional<Node> news;
    Optional<Node> crowdedOut;
    boolean isIntroduction = source.isEmpty();
    boolean isConfirmation;
    synchronized (this) {
      if (isIntroduction) {
        removed.remove(node.id());
      } else if (removed.contains(node.id())) {
        return false;
      }
      before = nodes.at(node.name());
      news =
          isOwn(node.name()) ? claim.contest(node, isIntroduction) : update(node, before, source);
      isConfirmation =
          isIntroduction
              && news.isPresent()
              && (before == null || !before.isConfirmed() || !before.node().equals(node));
      crowdedOut = evicted;
      evicted = Optional.empty();
    }
    crowdedOut.ifPresent(listeners::removed);
    if (news.isPresent() && before != null && !before.node().equals(node)) {
      listeners.replaced(before.node());
    }
    news.ifPresent(listeners::changed);
    if (isConfirmation && !isOwn(node.name())) {
      listeners.confirmed(node);
    }
    return news.isPresent();
  }

  private boolean isOwn(String name) {
    return name.equals(self().name());
  }

  private Optional<Node> update(Node node, DirectoryEntry before, Optional<String> source) {
    boolean isIntroduction = source.isEmpty();
    boolean isSame = before != null && before.node().equals(node);
    if (isSame && (!isIntroduction || before.introduced())) {
      source.ifPresent(by -> nodes.put(before.withSource(by)));
      return Optional.empty();
    }
    if (before != null && !isIntroduction && !supersedes(node, before)) {
      return Optional.empty();
    }
    Optional<DirectoryEntry> elsewhere =
        nodes.withId(node.id()).filter(other -> !other.node().name().equals(node.name()));
    if (elsewhere.isPresent()) {
      // A process has one name: the one that it introduces itself with.
      if (!isIntroduction || elsewhere.get().introduced()) {
        return Optional.empty();
      }
      nodes.remove(elsewhere.get().node());
    }
    if (before == null && !hasSpace(node, source)) {
      return Optional.empty();
    }
    boolean isSameProcess = before != null && before.node().id().equals(node.id());
    nodes.put(
        new DirectoryEntry(
            node,
            isIntroduction || isSameProcess && before.introduced(),
            isSameProcess && before.reached(),
            source.map(Set::of).orElse(Set.of())));
    return Optional.of(node);
  }

  /** Whether gossip about a node replaces what is known by its name. */
  private boolean supersedes(Node node, DirectoryEntry before) {
    return node.incarnation() > before.node().incarnation() && !isEstablished(before);
  }

  private boolean hasSpace(Node node, Optional<String> source) {
    if (source.isPresent() && nodes.gossipOf(source.get()) >= MAX_GOSSIP_PER_SOURCE) {
      return false;
    }
    return !nodes.isFull() || evictFor(node, source.isEmpty());
  }

  /** Nodes that were introduced and have an open link are not evicted. */
  private boolean evictFor(Node newcomer, boolean isIntroduction) {
    if (!isOverflowReported) {
      isOverflowReported = true;
      log.warn(
          "{}: more than {} nodes are known; those that started longest ago are removed. Give the"
              + " nodes names that they keep, so that a restarted one is not a new one.",
          self(),
          MAX_NODES);
    }
    DirectoryEntry entry = new DirectoryEntry(newcomer, isIntroduction, false, Set.of());
    evicted = nodes.evictFor(entry, this::isEstablished);
    return evicted.isPresent();
  }
}
