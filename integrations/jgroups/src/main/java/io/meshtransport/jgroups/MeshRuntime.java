// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.relay.Relay;
import io.meshtransport.session.MessageHandler;
import io.meshtransport.session.PeerSession;
import io.meshtransport.session.PeerState;
import io.meshtransport.session.QueuePolicy;
import io.meshtransport.session.Session;
import io.meshtransport.session.SessionOptions;
import io.meshtransport.session.directory.Directory;
import io.meshtransport.session.directory.Membership;
import io.meshtransport.session.directory.Node;
import io.meshtransport.session.directory.Scheduler;
import io.meshtransport.session.directory.Seed;
import io.meshtransport.session.directory.SeedNodes;
import io.meshtransport.session.directory.UnresolvedDestinations;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.logging.Log;
import org.jgroups.stack.IpAddress;

/**
 * The parts of {@link MESH} that exist from start to stop: a session with each other node, and what
 * JGroups makes of their messages and of their ends. Closing it closes the transport.
 */
final class MeshRuntime implements AutoCloseable, MessageHandler, Membership {
  /**
   * The overhead of a bundle beyond its messages' own size: more than any version of JGroups adds.
   */
  private static final int BUNDLE_OVERHEAD_BYTES = 1_536;

  /** Pauses between attempts to connect are doubled up to so many times the first. */
  private static final int MAX_PAUSES = 10;

  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

  private final MESH mesh;
  private final Transport transport;
  private final OverlayNetwork network;
  private final MeshIdentity identity;
  private final GroupMembers members;
  private final SeedNodes nodes;
  private final SessionOptions options;
  private final Session session;
  private final SendSlots slots;
  private final BundleSender bundleSender;
  private final UnresolvedDestinations unresolvedDestinations;
  private final DiscoveryRelay discoveryRelay;
  private final NicListener cables = now -> cablesChanged();

  /** Null if this node is in no mesh, or not yet. */
  private volatile MeshNeighbours neighbours;

  private volatile Optional<Relay> relay = Optional.empty();

  private final boolean suspects;
  private final Scheduler scheduler;
  private final Log log;
  private final LoggedFailures reports = new LoggedFailures();

  /** The members of the group by the ids of their processes. */
  private final Map<String, Address> addresses = new ConcurrentHashMap<>();

  /** Peers by their overlay addresses, and these by the peers' names. */
  private final Map<IpAddress, PeerSession> peers = new ConcurrentHashMap<>();

  private final Map<String, IpAddress> senders = new ConcurrentHashMap<>();

  /** Whether JGroups is ready for messages. */
  private volatile boolean isConnected;

  /**
   * @param mesh has the attributes
   * @param transport this object's to close, once it is made
   * @param bundlerBytes that the bundler puts in one bundle at most
   * @param sendDown sends a discovery request to one node
   */
  MeshRuntime(
      MESH mesh,
      Transport transport,
      int bundlerBytes,
      GroupMembers members,
      Consumer<Message> sendDown,
      Scheduler scheduler,
      Log log)
      throws TransportException {
    this.mesh = mesh;
    this.transport = transport;
    this.members = members;
    this.scheduler = scheduler;
    this.log = log;
    suspects = mesh.suspect_gone && GroupMembers.areSuspectsVerified(mesh);
    network = OverlayNetwork.parse(mesh.overlay_network);
    identity = MeshIdentity.of(mesh.node_name, mesh.overlay_addr, network, transport);
    nodes = new SeedNodes(transport, this, mesh.forget_after, scheduler);
    options =
        SessionOptions.DEFAULT
            .name(OverlayNetwork.name(identity.overlay()))
            .lengths(bundlerBytes + BUNDLE_OVERHEAD_BYTES, mesh.max_bundle)
            .slots(mesh.send_buffers, mesh.recv_buffers)
            .queue(mesh.send_buffers, QueuePolicy.WAIT)
            .reconnect(
                CONNECT_LIMIT,
                Duration.ofMillis(mesh.reconnect_interval),
                Duration.ofMillis(MAX_PAUSES * mesh.reconnect_interval));
    session = Session.open(transport, nodes, this, options);
    slots = new SendSlots(session, mesh.send_buffers);
    bundleSender = new BundleSender(session, Duration.ofMillis(mesh.send_timeout));
    boolean isStarted = false;
    try {
      nodes.start(session, identity.label());
      isStarted = true;
    } finally {
      if (!isStarted) {
        session.close();
      }
    }
    nodes.directory().onRemoval(this::removed);
    nodes.directory().onReplacement(this::replaced);
    unresolvedDestinations = new UnresolvedDestinations(nodes.seeds(), nodes.directory());
    discoveryRelay =
        new DiscoveryRelay(
            nodes.directory(), network, unresolvedDestinations::resolve, sendDown, scheduler);
  }

  /**
   * JGroups is ready for messages: searches for other nodes, at seeds and in the mesh.
   *
   * @param mesh joined; this object's to close
   * @param relays whether members pass on what others send to others
   * @param settings of the mesh
   */
  void connect(
      List<Seed> seeds, Optional<Mesh> mesh, boolean relays, Map<String, String> settings) {
    isConnected = true;
    nodes.seeds().start(seeds);
    mesh.ifPresent(
        joined -> {
          relay = relays ? relay(joined, settings) : Optional.empty();
          neighbours = new MeshNeighbours(joined, new NeighbourReports(), scheduler);
          neighbours.start(session.handle());
          transport.addNicListener(cables);
        });
  }

  /** Before the first handle is published, which says that this node is reached over relays. */
  private Optional<Relay> relay(Mesh joined, Map<String, String> settings) {
    try {
      return Optional.of(Relay.start(joined, settings));
    } catch (TransportException | IllegalArgumentException e) {
      log.warn("MESH reaches members over cables only: %s", e.getMessage());
      return Optional.empty();
    }
  }

  private void cablesChanged() {
    scheduler.after(
        0,
        () -> {
          MeshNeighbours now = neighbours;
          if (now != null) {
            now.handleChanged(session.handle());
          }
        });
  }

  /** What the mesh says of other nodes; empty if this node is in none. */
  Optional<MeshNeighbours> neighbours() {
    return Optional.ofNullable(neighbours);
  }

  /** Nodes by the ids that the mesh, sessions and handles have in common. */
  private final class NeighbourReports implements MeshNeighbours.Reports {
    @Override
    public boolean isKnown(String nodeId) {
      return directory().isIntroduced(nodeId);
    }

    @Override
    public void found(byte[] handle) {
      nodes.found(handle);
    }

    /** A node that is only silent may be back in a later view; one whose process ended may not. */
    @Override
    public void gone(String nodeId, boolean isProof, String evidence) {
      directory()
          .withId(nodeId)
          .ifPresent(node -> session.nodeGone(node.name(), nodeId, isProof, evidence));
      Address member = addresses.get(nodeId);
      if (member != null && !isProof) {
        suspect(List.of(member));
      }
    }
  }

  /**
   * The peer at an overlay address; null if it is unknown, or this node. Allocates nothing for one
   * that was sent to before.
   */
  PeerSession peer(IpAddress overlay) {
    PeerSession known = peers.get(overlay);
    return known == null ? newPeer(overlay) : known;
  }

  private PeerSession newPeer(IpAddress overlay) {
    Node node = find(overlay).orElse(null);
    if (node == null || node.name().equals(session.name())) {
      return null;
    }
    PeerSession peer = session.to(node.name());
    IpAddress own = OverlayNetwork.address(node);
    peers.put(own, peer);
    if (directory().find(node.name()).isEmpty()) {
      // Removed in between: the entry would stay for good.
      peers.remove(own, peer);
    }
    return peer;
  }

  /**
   * The node with this overlay address; this node itself for its own. If no node has it with that
   * port, the one node that has its IP address: a user who writes addresses down need not know the
   * ports in force. Two nodes with one IP address differ by their ports alone.
   */
  private Optional<Node> find(IpAddress overlay) {
    if (overlay.getIpAddress() == null) {
      return Optional.empty();
    }
    Optional<Node> exact = directory().find(OverlayNetwork.name(overlay));
    if (exact.isPresent()) {
      return exact;
    }
    String host = overlay.getIpAddress().getHostAddress() + ":";
    List<Node> there =
        directory().allAndSelf().stream().filter(node -> node.name().startsWith(host)).toList();
    return there.size() == 1 ? Optional.of(there.get(0)) : Optional.empty();
  }

  @Override
  public byte[] member() {
    return MemberAddress.write(mesh.getAddress());
  }

  @Override
  public void onIntroduction(Node node, byte[] member) {
    try {
      MemberAddress.read(member).ifPresent(address -> addresses.put(node.id(), address));
    } catch (IOException e) {
      log.debug("%s: of node %s: %s", directory().self(), node, e.getMessage());
    }
  }

  @Override
  public Optional<String> objection(Node node) {
    return OverlayNetwork.address(node.name()).filter(network::isNodes).isPresent()
        ? Optional.empty()
        : Optional.of(
            "node "
                + node
                + " has no address in the overlay network "
                + network
                + ". overlay_network must be the same on every node.");
  }

  @Override
  public boolean isNeeded(Node node) {
    Address member = addresses.get(node.id());
    return member != null && members.has(member) || members.isAnyAt(OverlayNetwork.address(node));
  }

  @Override
  public String remedy() {
    return "Set overlay_addr on one of them to an address that no other node has, or give it"
        + " another node_name.";
  }

  /**
   * A process that is known by another handle now has been introduced, and has its member still.
   */
  private void replaced(Node former) {
    if (nodes.directory().withId(former.id()).isEmpty()) {
      addresses.remove(former.id());
    }
  }

  private void removed(Node node) {
    addresses.remove(node.id());
    reports.clear(node.id());
    senders.remove(node.name());
    PeerSession peer = peers.remove(OverlayNetwork.address(node));
    if (peer != null) {
      bundleSender.removed(peer);
    }
  }

  /** A bundle, which JGroups has copied when this returns. */
  @Override
  public void onMessage(PeerSession from, ByteBuffer bundle) {
    IpAddress sender = senders.get(from.name());
    if (sender == null) {
      sender = OverlayNetwork.address(from.name()).filter(network::isNodes).orElse(null);
    }
    if (sender == null || !isConnected) {
      return;
    }
    senders.putIfAbsent(from.name(), sender);
    try {
      Delivery.deliver(mesh, sender, new BufferDataInput(bundle), bundle.remaining());
    } catch (Exception | StackOverflowError | LinkageError e) {
      log.error("a bundle from node %s cannot be read: %s", from.name(), e);
    }
  }

  @Override
  public void onOpen(PeerSession peer) {
    reports.clear(peer.name());
    log.info("%s: connected to node %s: %s", directory().self(), labelOf(peer), route(peer));
  }

  /**
   * A connection is lost or could not be opened: logged once for each reason until it works again,
   * and not at all for a node that has left.
   */
  @Override
  public void onDown(PeerSession peer, boolean wasOpen, TransportException why) {
    if (!wasOpen) {
      bundleSender.unreachable(peer);
    }
    String text =
        wasOpen ? "%s: lost the connection to node %s: %s" : "%s: no connection to node %s: %s";
    if (isExpected(peer, why) || !reports.isNews(peer.name(), why)) {
      log.debug(text, directory().self(), labelOf(peer), why.summary());
    } else {
      log.warn(text, directory().self(), labelOf(peer), why.summary());
    }
  }

  private boolean isExpected(PeerSession peer, TransportException why) {
    boolean isDead = why.getCause() instanceof ConnectException;
    return LoggedFailures.isOrderly(why)
        || isDead
            && peer.lastPeer()
                .map(last -> addresses.get(last.id()))
                .filter(members::hasLeft)
                .isPresent();
  }

  /** The process of a member has ended: that matters only if it is in the view, or will be. */
  @Override
  public void onProcessEnd(PeerSession peer, String nodeId) {
    Address member = addresses.get(nodeId);
    if (member != null) {
      members.processEnded(member);
      suspect(List.of(member));
    }
  }

  /** The group has changed. */
  void viewChanged(View view) {
    suspect(members.viewChanged(view));
  }

  private void suspect(List<Address> ended) {
    if (suspects && !ended.isEmpty()) {
      scheduler.after(0, () -> ended.forEach(members::suspect));
    }
  }

  private String labelOf(PeerSession peer) {
    return directory().find(peer.name()).map(Node::toString).orElse(peer.name());
  }

  private static String route(PeerSession peer) {
    return peer.route().map(Object::toString).orElse("not connected");
  }

  /** Connections that are open. */
  long connections() {
    return session.peers().stream().filter(PeerSession::isOpen).count();
  }

  /** A line for each peer that messages went to, or that is connected. */
  String print() {
    StringBuilder text = new StringBuilder();
    for (PeerSession peer : session.peers()) {
      PeerState state = peer.state();
      String detail = peer.failure().map(TransportException::summary).orElseGet(() -> route(peer));
      text.append(labelOf(peer)).append(": ").append(state).append(", ").append(detail);
      text.append('\n');
    }
    return text.toString();
  }

  Transport transport() {
    return transport;
  }

  OverlayNetwork network() {
    return network;
  }

  IpAddress overlay() {
    return identity.overlay();
  }

  Directory directory() {
    return nodes.directory();
  }

  SeedNodes nodes() {
    return nodes;
  }

  Session session() {
    return session;
  }

  SessionOptions options() {
    return options;
  }

  SendSlots slots() {
    return slots;
  }

  BundleSender bundleSender() {
    return bundleSender;
  }

  UnresolvedDestinations unresolvedDestinations() {
    return unresolvedDestinations;
  }

  DiscoveryRelay discoveryRelay() {
    return discoveryRelay;
  }

  @Override
  public void close() {
    if (neighbours != null) {
      transport.removeNicListener(cables);
      relay.ifPresent(Relay::close);
      neighbours.close();
    }
    nodes.close();
    session.close();
    transport.close();
  }
}
