// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.PeerSession;
import io.meshtransport.session.SendSlot;
import io.meshtransport.session.SessionOptions;
import io.meshtransport.session.directory.Directory;
import io.meshtransport.session.directory.Seed;
import io.meshtransport.session.directory.Seeds;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.annotations.MBean;
import org.jgroups.annotations.ManagedAttribute;
import org.jgroups.annotations.ManagedOperation;
import org.jgroups.annotations.Property;
import org.jgroups.stack.IpAddress;

/**
 * The transport of JGroups over a mesh of cables: each node has a subnet per cable, and no address
 * that all others reach. To JGroups every node has one {@link IpAddress} of an overlay network that
 * no interface has (198.18.0.0/15); MESH knows on which cable each node can be reached, and proves
 * it by a handshake over that cable.
 *
 * <p>Replaces TCP or UDP in a stack; {@code seeds} names one address or more of any other node.
 * Settings of the mesh itself are MESH_... in the environment, or in {@code settings}.
 *
 * <p>JGroups makes it, starts and stops it. Any thread may send, and waits for a peer at most
 * {@code send_timeout}; a message that cannot be sent by then is dropped with a {@link
 * SocketException}, and the protocols above retransmit it.
 */
@MBean(description = "Transport over a mesh of directly cabled machines")
public class MESH extends SocketlessTransport implements NodeDirectory {
  static {
    ProtocolIds.register(ProtocolIds.MESH, MESH.class);
  }

  /** Time for a handshake of slow hosts; a seed that is silent for so long has no node. */
  private static final long DISCOVERY_MS = 3_000;

  /** A seed that has answered has a node: the link to it may take long on a busy host. */
  private static final long ANSWERED_DISCOVERY_MS = 20_000;

  /**
   * For the first node that the mesh reports: an interface that has just come up sends and receives
   * by IPv6 after up to 2 s (RFC 4862, section 5.4).
   */
  private static final long NEIGHBOURS_MS = 3_000;

  /** For the nodes that the first node reported, one of which is the group's coordinator. */
  private static final long OTHERS_DISCOVERY_MS = 2_000;

  private static final long POLL_NS = 5_000_000;

  @Property(description = "Name of this node, its own among all nodes; the host's name if empty")
  protected String node_name = "";

  @Property(
      description =
          "Addresses on cables, or host names, of other nodes, separated by commas, each with a port or"
              + " without: 10.77.1.2, 10.77.2.3:4791. One that answers is enough to learn of all nodes")
  protected String seeds = "";

  @Property(
      description =
          "IPv4 network, on no cable, whose addresses stand for nodes; the same on all nodes",
      writable = false)
  protected String overlay_network = OverlayNetwork.DEFAULT;

  @Property(
      description =
          "Address of this node in the overlay network; found from node_name if empty. Only needed if"
              + " two names happen to give the same",
      writable = false)
  protected String overlay_addr = "";

  @Property(
      description =
          "Settings of the mesh for this channel alone, as in MESH_TIMEOUT_MS=2000;MESH_DEBUG=1; stronger"
              + " than system properties and the environment",
      exposeAsManagedAttribute = false,
      writable = false)
  protected String settings = "";

  @Property(
      description =
          "Whether this node says hello on its cables: it then finds other nodes without seeds, and"
              + " members whose process or node is gone are suspected after 1.5 s",
      writable = false)
  protected boolean join_mesh = true;

  @Property(
      description =
          "Whether members that no cable joins, or none any more, reach each other over members between"
              + " them; needs join_mesh",
      writable = false)
  protected boolean relay = true;

  @Property(
      description = "Buffers for bundles on their way out, of all peers together",
      writable = false)
  protected int send_buffers = 128;

  @Property(
      description = "Memory posted for each peer to write its bundles into, in longest bundles",
      writable = false)
  protected int recv_buffers = 32;

  @Property(
      description =
          "Milliseconds that a sender waits for a peer that consumes nothing, before it drops the message")
  protected long send_timeout = 500;

  @Property(
      description =
          "Milliseconds until a peer that could not be reached is tried again; doubles up to 10 times that")
  protected long reconnect_interval = 200;

  @Property(
      description =
          "Longest message or bundle in bytes that is sent or received; longer ones need FRAG2 or FRAG4 above",
      writable = false)
  protected int max_bundle = 128 << 20;

  @Property(
      description =
          "Whether a member is suspected as soon as the host of its process reports that it has ended;"
              + " only in stacks with VERIFY_SUSPECT or VERIFY_SUSPECT2, which check it")
  protected boolean suspect_gone = true;

  @Property(
      description =
          "Milliseconds after which a node is removed whose process has ended, and whose member is not"
              + " in the group any more; nodes at seeds are not",
      writable = false)
  public long forget_after = 30_000;

  /** Kept as long as the channel, across all its connects. */
  final GroupMembers group = new GroupMembers(this, log);

  private volatile MeshRuntime running;

  /** For JGroups, which makes it by name. */
  public MESH() {}

  @Override
  public boolean supportsMulticasting() {
    return false;
  }

  /** For JGroups up to 5.5.0, which prints it about a transport. */
  public String getInfo() {
    return printLinks();
  }

  @Override
  public Directory directory() {
    return live().directory();
  }

  @Override
  public boolean awaitInitialDiscovery() {
    MeshRuntime now = running;
    if (now == null) {
      return false;
    }
    Seeds discovery = now.nodes().seeds();
    discovery.initialDiscovery().await(DISCOVERY_MS, discovery::hasAnswer, ANSWERED_DISCOVERY_MS);
    now.neighbours().ifPresent(mesh -> awaitNeighbours(now, mesh));
    await(OTHERS_DISCOVERY_MS, () -> !now.nodes().hasUntried());
    return !discovery.areAllRefused() || !now.directory().confirmed().isEmpty();
  }

  /** With seeds, those have been waited for. */
  private void awaitNeighbours(MeshRuntime now, MeshNeighbours mesh) {
    if (!seeds.isBlank() || await(NEIGHBOURS_MS, mesh::hasPeer)) {
      await(ANSWERED_DISCOVERY_MS, () -> !mesh.hasPeer() || !now.directory().confirmed().isEmpty());
    }
  }

  /** Waits for a condition, until the time has passed, or until interrupted. */
  private static boolean await(long limitMs, BooleanSupplier isMet) {
    long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
    while (!isMet.getAsBoolean()) {
      if (System.nanoTime() - untilNs > 0 || Thread.currentThread().isInterrupted()) {
        return false;
      }
      LockSupport.parkNanos(POLL_NS);
    }
    return true;
  }

  private MeshRuntime live() {
    MeshRuntime now = running;
    if (now == null) {
      throw new IllegalStateException("MESH is not started");
    }
    return now;
  }

  @Override
  public void init() throws Exception {
    AttributeChecks.range("send_buffers", send_buffers, 2, 16_384);
    AttributeChecks.range("recv_buffers", recv_buffers, 1, Transport.MAX_REQUESTS - 1);
    AttributeChecks.range("send_timeout", send_timeout, 1, AttributeChecks.MAX_MS);
    AttributeChecks.range("reconnect_interval", reconnect_interval, 1, AttributeChecks.MAX_MS);
    AttributeChecks.range("forget_after", forget_after, 1, AttributeChecks.MAX_MS);
    AttributeChecks.range("max_bundle", max_bundle, 1 << 16, 1 << 30);
    AttributeChecks.range("bind_port", bind_port, 0, 65_535);
    AttributeChecks.range("port_range", port_range, 0, 65_535);
    AttributeChecks.text(
        "seeds", seeds, text -> Seed.parse(text, Transport.DEFAULT_HANDSHAKE_PORT));
    AttributeChecks.text("settings", settings, MeshSettings::parse);
    AttributeChecks.text("node_name", node_name, MeshIdentity::name);
    AttributeChecks.text("overlay_network", overlay_network, OverlayNetwork::parse);
    AttributeChecks.text(
        "overlay_addr",
        overlay_addr,
        text -> MeshIdentity.chosen(text, OverlayNetwork.parse(overlay_network)));
    // A local transport gets bundles as arrays, and has no registered memory.
    if (local_transport_class == null) {
      bundler_type = Bundlers.registered(bundler_type);
    }
    super.init();
  }

  @Override
  public void start() throws Exception {
    Map<String, String> given = transportSettings();
    Transport transport = new MeshPorts(bind_port, port_range).open(given);
    try {
      running =
          new MeshRuntime(
              this,
              transport,
              bundler.getMaxSize(),
              group,
              super::down,
              (delayMs, task) -> timer.schedule(task, delayMs, TimeUnit.MILLISECONDS, true),
              log);
    } catch (Exception e) {
      transport.close();
      throw e;
    }
    super.start();
  }

  private Map<String, String> transportSettings() {
    return MeshSettings.of(settings, node_name, MESH::setElsewhere);
  }

  /** The mesh of this node's cables; empty if it cannot be joined, or is not to be. */
  private Optional<Mesh> mesh(Transport transport) {
    Map<String, String> given = transportSettings();
    if (!join_mesh || MeshSettings.isOnLoopback(given, MESH::setElsewhere)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Mesh.join(transport, given));
    } catch (TransportException e) {
      String text = "MESH finds nodes at seeds only, and dead ones by their connections: %s";
      if (seeds.isBlank()) {
        log.warn(text, e.getMessage());
      } else {
        log.info(text, e.getMessage());
      }
      return Optional.empty();
    }
  }

  private static String setElsewhere(String name) {
    return System.getProperty(name, System.getenv(name));
  }

  /**
   * The port of peers that are given without one, as TCPPING requests it: bind_port, else
   * MESH_HANDSHAKE_PORT. {@link #printNodes} shows the port of this member itself.
   */
  @Override
  public int getBindPort() {
    return MeshSettings.peersPort(bind_port, settings, MESH::setElsewhere);
  }

  @Override
  protected void handleConnect() throws Exception {
    super.handleConnect();
    MeshRuntime now = live();
    now.connect(
        Seed.parse(seeds, getBindPort()), mesh(now.transport()), relay, transportSettings());
    log.info(
        "%s: MESH is up, handshake port %d",
        now.directory().self(), now.transport().handshakePort());
  }

  @Override
  public void stop() {
    // First: tasks still on the timer must not send a suspicion up a stopped stack.
    group.left();
    super.stop();
    MeshRuntime now = running;
    running = null;
    if (now != null) {
      now.close();
    }
  }

  @Override
  protected PhysicalAddress getPhysicalAddress() {
    MeshRuntime now = running;
    return now == null ? null : now.overlay();
  }

  /**
   * A message to an address on a cable was meant for this node, whose overlay address the sender
   * did not know.
   */
  @Override
  public boolean unicastDestMismatch(Address dest) {
    MeshRuntime now = running;
    boolean onCable = now != null && dest instanceof IpAddress ip && !now.network().contains(ip);
    return !onCable && super.unicastDestMismatch(dest);
  }

  @Override
  public Object down(Event event) {
    MeshRuntime now = running;
    if (event.getType() == Event.VIEW_CHANGE && now != null) {
      now.viewChanged(event.getArg());
    }
    return super.down(event);
  }

  /** Relays a search for members to all nodes, not only to those it names. */
  @Override
  public Object down(Message message) {
    MeshRuntime now = running;
    return now != null && now.discoveryRelay().relay(message) ? null : super.down(message);
  }

  /** The send slots; null before the start and after the stop. */
  SendSlots sendSlots() {
    MeshRuntime now = running;
    return now == null ? null : now.slots();
  }

  /** What each session of this group has, but for its name. */
  SessionOptions sessionOptions() {
    return live().options();
  }

  /**
   * This node's address in the overlay network.
   *
   * @throws IllegalStateException if it is not started
   */
  public IpAddress overlayAddress() {
    return live().overlay();
  }

  /** The array may be the stand-in of a slot in registered memory: see BundleOutput. */
  @Override
  public void sendUnicast(PhysicalAddress dest, byte[] data, int offset, int length)
      throws Exception {
    MeshRuntime now = sending();
    SendSlot slot = now.slots().slotOf(data);
    if (slot == null) {
      requireBundle(data, length);
      sendUnicast(dest, ByteBuffer.wrap(data, offset, length));
      return;
    }
    PeerSession peer = peerAt(now, dest);
    if (peer != null) {
      now.bundleSender().send(peer, slot, length);
    } else {
      sendUnicast(dest, slot.bytes().slice(0, length));
    }
  }

  /**
   * As JGroups 5.6 calls it. The buffer's position stays, because JGroups may send it to others
   * next.
   */
  public void sendUnicast(PhysicalAddress dest, ByteBuffer bundle) throws Exception {
    MeshRuntime now = sending();
    PeerSession peer = peerAt(now, dest);
    if (peer != null) {
      now.bundleSender().send(peer, bundle);
    } else if (dest instanceof IpAddress ip && !now.network().contains(ip)) {
      byte[] copy = new byte[bundle.remaining()];
      bundle.duplicate().get(copy);
      now.unresolvedDestinations()
          .whenKnown(
              new InetSocketAddress(ip.getIpAddress(), ip.getPort()),
              node -> sendLater(OverlayNetwork.address(node), copy));
    } else if (!dest.equals(now.overlay())) {
      throw BundleSender.unknownDestination(dest);
    }
  }

  private MeshRuntime sending() throws SocketException {
    MeshRuntime now = running;
    if (now == null) {
      throw new SocketException("MESH is stopped");
    }
    return now;
  }

  private void sendLater(IpAddress dest, byte[] copy) {
    try {
      sendUnicast(dest, copy, 0, copy.length);
    } catch (Exception e) {
      log.trace("sending to %s: %s", dest, e.toString());
    }
  }

  /** The peer at an address; null if it is unknown, or this node. */
  private static PeerSession peerAt(MeshRuntime now, PhysicalAddress dest) {
    if (dest instanceof IpAddress overlay) {
      return now.peer(overlay);
    }
    throw new IllegalArgumentException("MESH knows IpAddress, not " + dest.getClass());
  }

  @Override
  protected void sendUnicasts(List<PhysicalAddress> dests, byte[] data, int offset, int length)
      throws Exception {
    MeshRuntime now = running;
    if (now == null) {
      return;
    }
    PeerSession[] targets = new PeerSession[dests.size()];
    int count = 0;
    for (PhysicalAddress dest : dests) {
      PeerSession peer = peerAt(now, dest);
      if (peer != null) {
        targets[count++] = peer;
      } else {
        log.trace("%s: %s", local_addr, BundleSender.unknownDestination(dest).getMessage());
      }
    }
    PeerSession[] reached = count == targets.length ? targets : Arrays.copyOf(targets, count);
    SendSlot slot = now.slots().slotOf(data);
    if (slot == null) {
      requireBundle(data, length);
      now.bundleSender().send(reached, ByteBuffer.wrap(data, offset, length), this::missed);
    } else {
      now.bundleSender().send(reached, slot, length, this::missed);
    }
  }

  private static void requireBundle(byte[] data, int length) throws SocketException {
    if (data.length < length) {
      throw new SocketException(
          "MESH was stopped and started again; a bundle is gone with the memory it was in");
    }
  }

  private void missed(PeerSession peer, SocketException why) {
    log.trace("%s: a multicast misses %s: %s", local_addr, peer, why.toString());
  }

  @ManagedAttribute(description = "Connections to other nodes that are open")
  public long getOpenLinks() {
    MeshRuntime now = running;
    return now == null ? 0 : now.connections();
  }

  @ManagedAttribute(description = "Connections that were closed for what the other node sent")
  public long getRefusedLinks() {
    MeshRuntime now = running;
    return now == null ? 0 : now.session().refused();
  }

  @ManagedAttribute(description = "Bundles sent, one for each peer they went to")
  public long getBundlesSent() {
    MeshRuntime now = running;
    return now == null ? 0 : now.bundleSender().bundles();
  }

  @ManagedAttribute(
      description =
          "Times that a bundle, or a fragment of a long one, had to be copied into registered memory since"
              + " it was not written there")
  public long getCopies() {
    MeshRuntime now = running;
    return now == null ? 0 : now.bundleSender().copies();
  }

  @ManagedAttribute(description = "Bytes sent in bundles, for each peer they went to")
  public long getBytesSent() {
    MeshRuntime now = running;
    return now == null ? 0 : now.bundleSender().bytes();
  }

  @ManagedAttribute(description = "Messages dropped since a peer consumed nothing for send_timeout")
  public long getStalls() {
    MeshRuntime now = running;
    return now == null ? 0 : now.bundleSender().stalls();
  }

  @ManagedAttribute(
      description =
          "Bundles dropped that had waited for a connection, which then could not be opened")
  public long getDrops() {
    MeshRuntime now = running;
    return now == null ? 0 : now.bundleSender().drops();
  }

  @ManagedAttribute(description = "Suspicions of members whose process was gone")
  public long getGoneSuspicions() {
    return group.suspicions();
  }

  @ManagedAttribute(description = "Send buffers that are free")
  public int getFreeSendBuffers() {
    MeshRuntime now = running;
    return now == null ? 0 : now.session().freeSlots();
  }

  @ManagedOperation(description = "Each connection: its state, NIC, subnet, and why that one")
  public String printLinks() {
    MeshRuntime now = running;
    return now == null ? "not started" : now.print();
  }

  @ManagedOperation(description = "The nodes that are known, with their overlay addresses")
  public String printNodes() {
    MeshRuntime now = running;
    return now == null ? "not started" : now.directory().all().toString();
  }
}
