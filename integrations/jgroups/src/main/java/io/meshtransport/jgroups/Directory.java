// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.spi.TransportException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jgroups.logging.Log;
import org.jgroups.stack.IpAddress;

/**
 * The nodes of the mesh that this node knows, by overlay address. Any thread may call it; {@link
 * #find} takes no lock.
 *
 * <p>What a node says of itself over a channel that it opened ({@link #meet}) counts for more than
 * what others say of it ({@link #learn}). Hearsay is bounded for each teller, changes nothing of a
 * node that was met and to or from which a link stands, is not passed on, and is gone with its last
 * teller ({@link #untold}) unless the node was met or reached by then. Elsewhere only a newer
 * incarnation is believed, whereas a node that speaks is alive whatever its clock said when it
 * started. So of a node that was forgotten ({@link #forget}) hearsay is not believed again, for
 * others may forget it later; itself it is. A node whose clock went back across a restart hears
 * from the others of a life of its own that is newer than itself; it then claims a still newer one,
 * and the others follow.
 */
final class Directory {
  /** Far above any mesh, far below what would hurt: 1024 nodes are under a megabyte. */
  static final int MAX_NODES = 1024;

  /**
   * Nodes, neither met nor reached yet, of which one teller alone has told. A newcomer to a larger
   * group meets the others by these, and they tell it of the rest.
   */
  static final int MAX_HEARSAY = 128;

  /** So often an own claim is raised before a second live node of the same name is the likelier. */
  private static final int MAX_CLAIMS_RAISED = 3;

  /** Different claimants of the own address that are reported. */
  private static final int MAX_REPORTS = 16;

  /**
   * @param met it has said itself who it is
   * @param reached a link to it was open: a living node has that handle
   * @param tellers of a node that was not met, by their ids
   */
  private record Known(Node node, boolean met, boolean reached, Set<String> tellers) {
    boolean isConfirmed() {
      return met || reached;
    }

    Known toldBy(String teller) {
      if (met || tellers.contains(teller)) {
        return this;
      }
      Set<String> more = new HashSet<>(tellers);
      more.add(teller);
      return new Known(node, met, reached, Set.copyOf(more));
    }

    Known untoldBy(String teller) {
      Set<String> fewer = new HashSet<>(tellers);
      fewer.remove(teller);
      return new Known(node, met, reached, Set.copyOf(fewer));
    }
  }

  private final Supplier<byte[]> member;
  private final NodeIds ids;
  private final Predicate<String> isLinked;
  private final Log log;
  private final Map<IpAddress, Known> nodes = new ConcurrentHashMap<>();
  private final List<Consumer<Node>> listeners = new CopyOnWriteArrayList<>();
  private final List<Consumer<Node>> confirmations = new CopyOnWriteArrayList<>();
  private final List<Consumer<Node>> successions = new CopyOnWriteArrayList<>();
  private final List<Consumer<Node>> departures = new CopyOnWriteArrayList<>();
  private final Set<String> forgotten = new LinkedHashSet<>();
  private final Set<String> reported = new HashSet<>();
  private volatile Node self;
  private int claimsRaised;
  private boolean overflowReported;
  private Optional<Node> evicted = Optional.empty();

  /**
   * @param self this node; its incarnation may be raised later, see {@link #self()}
   * @param member what gives this node's address in the group, as {@link MemberAddress} writes it
   * @param ids reads whose a handle is
   * @param isLinked whether a link to or from the node with an id stands; never blocks
   * @param log where conflicts are reported
   */
  Directory(Node self, Supplier<byte[]> member, NodeIds ids, Predicate<String> isLinked, Log log) {
    this.self = self;
    this.member = member;
    this.ids = ids;
    this.isLinked = isLinked;
    this.log = log;
  }

  /** The messages by which this node introduces itself and tells whom it has met. */
  List<byte[]> messages(int maxBytes) {
    List<Node> met = nodes.values().stream().filter(Known::met).map(Known::node).toList();
    return DirectoryMessage.encode(self, member.get(), met, maxBytes);
  }

  /** This node as it is to be introduced: the incarnation may have been raised. */
  Node self() {
    return self;
  }

  /**
   * The node with this overlay address; this node itself for its own. If none has it with that
   * port, the one node that has the IP address in it: whoever writes addresses down by hand need
   * not know the ports in force. Two nodes of one IP address are told apart by their ports alone.
   */
  Optional<Node> find(IpAddress overlay) {
    Node own = self;
    if (own.overlay().equals(overlay)) {
      return Optional.of(own);
    }
    Known known = nodes.get(overlay);
    return known == null ? onlyOneAt(overlay.getIpAddress()) : Optional.of(known.node());
  }

  private Optional<Node> onlyOneAt(InetAddress address) {
    Node own = self;
    Node only = own.overlay().getIpAddress().equals(address) ? own : null;
    for (Known known : nodes.values()) {
      if (known.node().overlay().getIpAddress().equals(address)) {
        if (only != null) {
          return Optional.empty();
        }
        only = known.node();
      }
    }
    return Optional.ofNullable(only);
  }

  /** The node that gave this handle, now or at other addresses, this node included. */
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

  /** The node that gave a handle, if it has said itself who it is; this node for its own. */
  Optional<Node> metWithHandle(byte[] handle) {
    return withHandle(handle).filter(node -> node.id().equals(self.id()) || isMet(node.id()));
  }

  /** The node with this id, this node included. */
  Optional<Node> withId(String id) {
    Node own = self;
    return own.id().equals(id) ? Optional.of(own) : known(id).map(Known::node);
  }

  private Optional<Known> known(String id) {
    return nodes.values().stream().filter(known -> known.node().id().equals(id)).findAny();
  }

  /** Whether the node with this id has said itself who it is. */
  boolean isMet(String id) {
    return known(id).filter(Known::met).isPresent();
  }

  /** Whose hearsay the node with this id is, any one of them; empty if nobody's. */
  Optional<String> tellerOf(String id) {
    return known(id).flatMap(known -> known.tellers().stream().findAny());
  }

  /** All others, a snapshot in no order. */
  List<Node> all() {
    return nodes.values().stream().map(Known::node).toList();
  }

  /** Those of which more is known than hearsay: they were met, or reached. */
  List<Node> confirmed() {
    return nodes.values().stream().filter(Known::isConfirmed).map(Known::node).toList();
  }

  /**
   * Takes in what another node said of this one.
   *
   * @param teller the other's id
   * @return whether it was news: a node unknown so far, a newer statement about a known one, or a
   *     reason to raise the own claim
   */
  boolean learn(Node node, String teller) {
    return take(node, Optional.of(teller));
  }

  /**
   * Takes in what a node said of itself over a channel that it opened.
   *
   * @return as {@link #learn}; also if so far there was only hearsay of it
   */
  boolean meet(Node sender) {
    return take(sender, Optional.empty());
  }

  /**
   * The node whose place one would take that says who it is: with the same overlay address, met
   * before, and a link to or from it stands.
   */
  Optional<Node> rivalOf(Node sender) {
    Known known = nodes.get(sender.overlay());
    return known != null && isSettled(known) && !known.node().id().equals(sender.id())
        ? Optional.of(known.node())
        : Optional.empty();
  }

  private boolean isSettled(Known known) {
    return known.met() && isLinked.test(known.node().id());
  }

  /** A link to the node with this id is open. */
  void reached(String id) {
    Optional<Known> first;
    synchronized (this) {
      first = known(id).filter(known -> !known.isConfirmed());
      first.ifPresent(
          known ->
              nodes.put(
                  known.node().overlay(), new Known(known.node(), false, true, known.tellers())));
    }
    first.ifPresent(known -> confirmations.forEach(listener -> listener.accept(known.node())));
  }

  /** The addresses of this node have changed, and with them its handle. */
  void renew(byte[] handle, long nowMs) {
    Node renewed;
    synchronized (this) {
      Node own = self;
      if (own.hasHandle(handle)) {
        return;
      }
      long newer = Math.min(Node.MAX_INCARNATION, Math.max(nowMs, own.incarnation() + 1));
      renewed = own.withHandle(handle, newer);
      self = renewed;
    }
    listeners.forEach(listener -> listener.accept(renewed));
  }

  /**
   * Calls back for each piece of news, on the thread that brought it and with no lock held: a node
   * new or newer, or met for the first time, or this node itself when what it says of itself has
   * changed and must be spread.
   */
  void onChange(Consumer<Node> listener) {
    listeners.add(listener);
  }

  /** Calls back, as above, for each node of which there is more than hearsay from now on. */
  void onConfirmation(Consumer<Node> listener) {
    confirmations.add(listener);
  }

  /**
   * As {@link #onChange}, and before it, but with the node as it was known so far: only for one
   * that was known.
   */
  void onSuccession(Consumer<Node> listener) {
    successions.add(listener);
  }

  /** Calls back for each node that is known no more, with no lock held. */
  void onDeparture(Consumer<Node> listener) {
    departures.add(listener);
  }

  /**
   * The node with this id will not come back: it is known no more, and others are not believed who
   * still know it.
   */
  void forget(String id) {
    Optional<Node> gone;
    synchronized (this) {
      gone = known(id).map(Known::node);
      gone.ifPresent(node -> nodes.remove(node.overlay()));
      forgotten.add(id);
      if (forgotten.size() > MAX_NODES) {
        forgotten.remove(forgotten.iterator().next());
      }
    }
    gone.ifPresent(node -> departures.forEach(listener -> listener.accept(node)));
  }

  /**
   * A teller is gone for good. Nodes of which nobody else has told, and that never answered, are
   * known no more; others may be believed who tell of them later.
   *
   * @param isNeeded whether a node must be kept all the same
   * @return whether some were kept for that alone
   */
  boolean untold(String teller, Predicate<Node> isNeeded) {
    List<Node> gone = new ArrayList<>();
    boolean isKept = false;
    synchronized (this) {
      for (Known known : List.copyOf(nodes.values())) {
        if (!known.tellers().contains(teller)) {
          continue;
        }
        boolean isLast = known.tellers().size() == 1 && !known.isConfirmed();
        if (isLast && isNeeded.test(known.node())) {
          isKept = true;
        } else if (isLast) {
          nodes.remove(known.node().overlay());
          gone.add(known.node());
        } else {
          nodes.put(known.node().overlay(), known.untoldBy(teller));
        }
      }
    }
    gone.forEach(node -> departures.forEach(listener -> listener.accept(node)));
    return isKept;
  }

  private boolean take(Node node, Optional<String> teller) {
    Known before;
    Optional<Node> news;
    Optional<Node> crowdedOut;
    boolean isConfirmation;
    synchronized (this) {
      if (teller.isEmpty()) {
        forgotten.remove(node.id());
      } else if (forgotten.contains(node.id())) {
        return false;
      }
      before = nodes.get(node.overlay());
      news = node.overlay().equals(self.overlay()) ? contest(node, teller) : enter(node, teller);
      isConfirmation =
          teller.isEmpty()
              && news.isPresent()
              && (before == null || !before.isConfirmed() || !before.node().equals(node));
      crowdedOut = evicted;
      evicted = Optional.empty();
    }
    crowdedOut.ifPresent(least -> departures.forEach(listener -> listener.accept(least)));
    if (news.isPresent() && before != null && !before.node().equals(node)) {
      successions.forEach(listener -> listener.accept(before.node()));
    }
    news.ifPresent(changed -> listeners.forEach(listener -> listener.accept(changed)));
    if (isConfirmation && !node.overlay().equals(self.overlay())) {
      confirmations.forEach(listener -> listener.accept(node));
    }
    return news.isPresent();
  }

  private Optional<Node> enter(Node node, Optional<String> teller) {
    boolean met = teller.isEmpty();
    Known before = nodes.get(node.overlay());
    boolean isSame = before != null && before.node().equals(node);
    if (isSame && (!met || before.met())) {
      teller.ifPresent(who -> nodes.put(node.overlay(), before.toldBy(who)));
      return Optional.empty();
    }
    if (before != null && !met) {
      if (node.incarnation() <= before.node().incarnation() || isSettled(before)) {
        return Optional.empty();
      }
    }
    Optional<Known> elsewhere =
        known(node.id()).filter(other -> !other.node().overlay().equals(node.overlay()));
    if (elsewhere.isPresent()) {
      // One life of a node has one overlay address: the one that it says itself.
      if (!met || elsewhere.get().met()) {
        return Optional.empty();
      }
      nodes.remove(elsewhere.get().node().overlay());
    }
    if (before == null && !hasRoom(node, teller)) {
      return Optional.empty();
    }
    boolean isSameLife = before != null && before.node().id().equals(node.id());
    nodes.put(
        node.overlay(),
        new Known(
            node,
            met || isSameLife && before.met(),
            isSameLife && before.reached(),
            teller.map(Set::of).orElse(Set.of())));
    return Optional.of(node);
  }

  private boolean hasRoom(Node node, Optional<String> teller) {
    if (teller.isPresent() && hearsayOf(teller.get()) >= MAX_HEARSAY) {
      return false;
    }
    return nodes.size() < MAX_NODES || makeRoom(node, teller.isEmpty());
  }

  private long hearsayOf(String teller) {
    Set<String> alone = Set.of(teller);
    return nodes.values().stream()
        .filter(known -> !known.isConfirmed() && known.tellers().equals(alone))
        .count();
  }

  /**
   * Drops whoever began longest ago, hearsay first, unless the newcomer is the least of all. Nodes
   * with a link that stands stay.
   */
  private boolean makeRoom(Node newcomer, boolean met) {
    if (!overflowReported) {
      overflowReported = true;
      log.warn(
          "%s: more than %d nodes are known; those that started longest ago are forgotten. Give the"
              + " nodes a fixed bind_port, so that a restarted one is not a new one.",
          self, MAX_NODES);
    }
    Known least = new Known(newcomer, met, false, Set.of());
    for (Known known : nodes.values()) {
      if (isSettled(known)) {
        continue;
      }
      if (known.met() == least.met()
          ? known.node().incarnation() < least.node().incarnation()
          : least.met()) {
        least = known;
      }
    }
    if (!nodes.remove(least.node().overlay(), least)) {
      return false;
    }
    evicted = Optional.of(least.node());
    return true;
  }

  /** Somebody has the own overlay address: a former life of this node, or another node. */
  private Optional<Node> contest(Node claimant, Optional<String> teller) {
    Node own = self;
    boolean met = teller.isEmpty();
    boolean former = !met && claimant.incarnation() < own.incarnation();
    if (former || claimant.id().equals(own.id())) {
      return Optional.empty();
    }
    boolean namesake = claimant.name().equals(own.name());
    if (namesake && !met && claimsRaised < MAX_CLAIMS_RAISED) {
      if (claimant.incarnation() < Node.MAX_INCARNATION) {
        claimsRaised++;
        self = own.withIncarnation(claimant.incarnation() + 1);
        log.debug("%s: a later life of this node is known to others; claiming a later one", own);
        return Optional.of(self);
      }
    }
    report(claimant, namesake);
    return Optional.empty();
  }

  private void report(Node claimant, boolean namesake) {
    if (reported.size() >= MAX_REPORTS || !reported.add(claimant.name())) {
      return;
    }
    if (namesake) {
      log.error(
          "Another live node calls itself %s too: to the group both are the same member's address,"
              + " and messages go to one or the other. Give each node a node_name of its own.",
          self);
    } else {
      log.error(
          "Node %s has the overlay address %s, and so has this node, %s: messages go to one or the"
              + " other. Set overlay_addr on one of them to an address that no other node has, or"
              + " give it another node_name.",
          claimant.name(), claimant.overlay(), self.name());
    }
  }
}
