package io.meshtransport.jgroups;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jgroups.logging.Log;
import org.jgroups.stack.IpAddress;

/**
 * The nodes of the mesh that this node knows, by overlay address. Any thread may call it; {@link
 * #find} takes no lock.
 *
 * <p>What a node says of itself ({@link #meet}) counts for more than what others say of it ({@link
 * #learn}): of hearsay only a newer incarnation is believed, whereas a node that speaks is alive
 * whatever its clock said when it started. So of a node that was forgotten ({@link #forget})
 * hearsay is not believed again, for others may forget it later; itself it is. A node whose clock
 * went back across a restart hears from the others of a life of its own that is newer than itself;
 * it then claims a still newer one, and the others follow.
 */
final class Directory {
  /** Far above any mesh, far below what would hurt: 1024 nodes are under a megabyte. */
  static final int MAX_NODES = 1024;

  /** So often an own claim is raised before a second live node of the same name is the likelier. */
  private static final int MAX_CLAIMS_RAISED = 3;

  /** Different claimants of the own address that are reported. */
  private static final int MAX_REPORTS = 16;

  private record Known(Node node, boolean met) {}

  private final Supplier<byte[]> member;
  private final Log log;
  private final Map<IpAddress, Known> nodes = new ConcurrentHashMap<>();
  private final List<Consumer<Node>> listeners = new CopyOnWriteArrayList<>();
  private final List<Consumer<Node>> successions = new CopyOnWriteArrayList<>();
  private final List<Consumer<Node>> departures = new CopyOnWriteArrayList<>();
  private final Set<ByteBuffer> forgotten = new LinkedHashSet<>();
  private final Set<String> reported = new HashSet<>();
  private volatile Node self;
  private int claimsRaised;
  private boolean overflowReported;
  private Optional<Node> evicted = Optional.empty();

  /**
   * @param self this node; its incarnation may be raised later, see {@link #self()}
   * @param member what gives this node's address in the group, as {@link MemberAddress} writes it
   * @param log where conflicts are reported
   */
  Directory(Node self, Supplier<byte[]> member, Log log) {
    this.self = self;
    this.member = member;
    this.log = log;
  }

  /** One that is in no group. */
  Directory(Node self, Log log) {
    this(self, () -> new byte[0], log);
  }

  /** The messages by which this node introduces itself and tells what it knows. */
  List<byte[]> messages(int maxBytes) {
    return DirectoryMessage.encode(self, member.get(), all(), maxBytes);
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

  /** The node with this handle, this node included. */
  Optional<Node> withHandle(byte[] handle) {
    Node own = self;
    if (own.hasHandle(handle)) {
      return Optional.of(own);
    }
    return nodes.values().stream().map(Known::node).filter(n -> n.hasHandle(handle)).findAny();
  }

  /** All others, a snapshot in no order. */
  List<Node> all() {
    return nodes.values().stream().map(Known::node).toList();
  }

  /**
   * Takes in what another node said of this one.
   *
   * @return whether it was news: a node unknown so far, a newer incarnation of a known one, or a
   *     reason to raise the own claim
   */
  boolean learn(Node node) {
    return take(node, false);
  }

  /**
   * Takes in what a node said of itself over a channel that it opened.
   *
   * @return as {@link #learn}
   */
  boolean meet(Node sender) {
    return take(sender, true);
  }

  /**
   * Calls back for each piece of news, on the thread that brought it and with no lock held: a node
   * new or newer, or this node itself when its claim was raised and must be spread.
   */
  void onChange(Consumer<Node> listener) {
    listeners.add(listener);
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
   * The node with this handle will not come back: it is known no more, and others are not believed
   * who still know it.
   */
  void forget(byte[] handle) {
    Optional<Node> gone;
    synchronized (this) {
      gone = nodes.values().stream().map(Known::node).filter(n -> n.hasHandle(handle)).findAny();
      gone.ifPresent(node -> nodes.remove(node.overlay()));
      forgotten.add(ByteBuffer.wrap(handle.clone()));
      if (forgotten.size() > MAX_NODES) {
        forgotten.remove(forgotten.iterator().next());
      }
    }
    gone.ifPresent(node -> departures.forEach(listener -> listener.accept(node)));
  }

  private boolean take(Node node, boolean met) {
    Known before;
    Optional<Node> news;
    Optional<Node> crowdedOut;
    synchronized (this) {
      if (met) {
        forgotten.remove(ByteBuffer.wrap(node.handle()));
      } else if (forgotten.contains(ByteBuffer.wrap(node.handle()))) {
        return false;
      }
      before = nodes.get(node.overlay());
      news = node.overlay().equals(self.overlay()) ? contest(node, met) : enter(node, met);
      crowdedOut = evicted;
      evicted = Optional.empty();
    }
    crowdedOut.ifPresent(least -> departures.forEach(listener -> listener.accept(least)));
    if (news.isPresent() && before != null) {
      successions.forEach(listener -> listener.accept(before.node()));
    }
    news.ifPresent(changed -> listeners.forEach(listener -> listener.accept(changed)));
    return news.isPresent();
  }

  private Optional<Node> enter(Node node, boolean met) {
    Known before = nodes.get(node.overlay());
    if (before == null) {
      if (nodes.size() >= MAX_NODES && !makeRoom(node, met)) {
        return Optional.empty();
      }
    } else if (before.node().equals(node)) {
      if (met && !before.met()) {
        nodes.put(node.overlay(), new Known(node, true));
      }
      return Optional.empty();
    } else if (!met && node.incarnation() <= before.node().incarnation()) {
      return Optional.empty();
    }
    nodes.put(node.overlay(), new Known(node, met));
    return Optional.of(node);
  }

  /** Drops whoever began longest ago, hearsay first, unless the newcomer is the least of all. */
  private boolean makeRoom(Node newcomer, boolean met) {
    if (!overflowReported) {
      overflowReported = true;
      log.warn(
          "%s: more than %d nodes are known; those that started longest ago are forgotten. Give the"
              + " nodes a fixed bind_port, so that a restarted one is not a new one.",
          self, MAX_NODES);
    }
    Known least = new Known(newcomer, met);
    for (Known known : nodes.values()) {
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
  private Optional<Node> contest(Node claimant, boolean met) {
    Node own = self;
    boolean former = !met && claimant.incarnation() < own.incarnation();
    if (former || claimant.name().equals(own.name()) && claimant.hasHandle(own.handle())) {
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
