// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.jgroups.directory.Directory;
import io.meshtransport.jgroups.directory.DirectoryMessage;
import io.meshtransport.jgroups.directory.DiscoveryRelay;
import io.meshtransport.jgroups.directory.FailureDetector;
import io.meshtransport.jgroups.directory.MemberAddress;
import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.jgroups.directory.OverlayNetwork;
import io.meshtransport.jgroups.directory.Scheduler;
import io.meshtransport.jgroups.directory.Seeds;
import io.meshtransport.jgroups.directory.UnresolvedDestinations;
import io.meshtransport.jgroups.link.BundleHeader;
import io.meshtransport.jgroups.link.BundleSender;
import io.meshtransport.jgroups.link.InboundLink;
import io.meshtransport.jgroups.link.InboundLinks;
import io.meshtransport.jgroups.link.Introductions;
import io.meshtransport.jgroups.link.LinkListener;
import io.meshtransport.jgroups.link.Links;
import io.meshtransport.jgroups.link.SendBufferPool;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.logging.Log;

/** The parts of {@link MESH} that exist from start to stop. Closing it closes the transport. */
final class MeshRuntime implements AutoCloseable, FailureDetector.FailureActions, LinkListener {
  /**
   * The overhead of a bundle beyond its messages' own size: more than any version of JGroups adds.
   */
  private static final int BUNDLE_OVERHEAD_BYTES = 1_536;

  private final Transport transport;
  private final OverlayNetwork network;
  private final Directory directory;
  private final GroupMembers members;
  private final SendBufferPool pool;
  private final Links links;
  private final BundleSender bundleSender;
  private final Seeds seeds;
  private final FailureDetector failureDetector;
  private final InboundLinks inboundLinks;
  private final Introductions introductions;
  private final UnresolvedDestinations unresolvedDestinations;
  private final DiscoveryRelay discoveryRelay;
  private final boolean suspects;
  private final long forgetAfterMs;
  private final Scheduler scheduler;
  private final Listener listener;

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
      InboundLink.Handler arrivals,
      Consumer<Message> sendDown,
      Scheduler scheduler,
      Log log)
      throws TransportException {
    this.transport = transport;
    this.members = members;
    this.scheduler = scheduler;
    forgetAfterMs = mesh.forget_after;
    suspects = mesh.suspect_gone && GroupMembers.areSuspectsVerified(mesh);
    int bufferBytes =
        Math.max(
            BundleHeader.HEADER_BYTES + bundlerBytes + BUNDLE_OVERHEAD_BYTES,
            BundleHeader.HEADER_BYTES + DirectoryMessage.MIN_MESSAGE_BYTES);
    network = OverlayNetwork.parse(mesh.overlay_network);
    listener = transport.listen();
    Node self =
        MeshIdentity.of(mesh.node_name, mesh.overlay_addr, network, transport, listener.handle());
    directory =
        new Directory(
            self,
            () -> MemberAddress.write(mesh.getAddress()),
            transport::nodeId,
            this::isLinked,
            log);
    pool = new SendBufferPool(transport, mesh.send_buffers, bufferBytes);
    failureDetector = new FailureDetector(this, mesh.forget_after, scheduler);
    links =
        new Links(
            transport,
            directory,
            pool,
            bufferBytes,
            mesh.send_timeout,
            mesh.reconnect_interval,
            this,
            scheduler,
            log);
    seeds =
        new Seeds(
            directory,
            transport::lookup,
            (address, handle) -> links.introduceTo(handle),
            scheduler,
            log);
    directory.onReplacement(this::succeeded);
    directory.onRemoval(node -> failureDetector.removed(node.id()));
    bundleSender =
        new BundleSender(
            pool,
            links,
            bufferBytes,
            mesh.max_bundle,
            TimeUnit.MILLISECONDS.toNanos(mesh.send_timeout));
    inboundLinks =
        new InboundLinks(
            listener,
            channel ->
                new InboundLink(
                    channel, transport, mesh.recv_buffers, bufferBytes, mesh.max_bundle, arrivals),
            log);
    introductions = new Introductions(directory, network, links);
    unresolvedDestinations = new UnresolvedDestinations(seeds, directory);
    transport.addNicListener(now -> scheduler.after(0, this::cablesChanged));
    discoveryRelay =
        new DiscoveryRelay(
            directory, network, unresolvedDestinations::resolve, sendDown, scheduler);
  }

  /** Another process, or the same one with a greater incarnation. */
  private void succeeded(Node former) {
    if (directory.withId(former.id()).isEmpty()) {
      failureDetector.replaced(former.id());
    }
  }

  @Override
  public void staleHandle(Node node) {
    seeds.rediscover(node);
  }

  @Override
  public void opened(String id) {
    failureDetector.opened(id);
  }

  @Override
  public void ended(String id, TransportException why) {
    failureDetector.ended(id, why);
  }

  @Override
  public void unreachable(String id, TransportException why) {
    failureDetector.unreachable(id, why);
  }

  @Override
  public Optional<InetAddress> addressOf(String id) {
    return seeds.addressOf(id);
  }

  @Override
  public boolean hasLeft(String id) {
    return failureDetector.closedOrderly(id)
        || failureDetector.member(id).filter(members::hasLeft).isPresent();
  }

  @Override
  public void suspect(Address member) {
    if (suspects) {
      members.suspect(member);
    }
  }

  @Override
  public boolean isNeeded(String id, Optional<Address> member) {
    return member.filter(members::has).isPresent()
        || directory.withId(id).filter(this::isMembers).isPresent()
        || seeds.isSeedNode(id);
  }

  private boolean isMembers(Node node) {
    return members.isAnyAt(node.overlay());
  }

  @Override
  public void removeNode(String id) {
    directory.remove(id);
    links.disconnect(id);
  }

  /**
   * NICs, addresses or carriers of this host have changed: sends the new addresses to the peers,
   * and dials and queries at once all nodes that could not be reached.
   */
  private void cablesChanged() {
    directory.updateHandle(listener.handle(), System.currentTimeMillis());
    links.retryNow();
    seeds.retryNow();
  }

  /** Whether a link to or from that node is open. */
  private boolean isLinked(String id) {
    return links.isOpen(id) || inboundLinks.from(id).isPresent();
  }

  /**
   * The link from a node has ended: if it does not come back, its reports of others are removed.
   */
  void sourceEnded(String id) {
    scheduler.after(
        forgetAfterMs,
        () -> {
          if (inboundLinks.from(id).isEmpty() && directory.removeSource(id, this::isMembers)) {
            sourceEnded(id);
          }
        });
  }

  Transport transport() {
    return transport;
  }

  OverlayNetwork network() {
    return network;
  }

  Directory directory() {
    return directory;
  }

  SendBufferPool pool() {
    return pool;
  }

  Links links() {
    return links;
  }

  BundleSender bundleSender() {
    return bundleSender;
  }

  Seeds seeds() {
    return seeds;
  }

  FailureDetector failureDetector() {
    return failureDetector;
  }

  InboundLinks inboundLinks() {
    return inboundLinks;
  }

  Introductions introductions() {
    return introductions;
  }

  UnresolvedDestinations unresolvedDestinations() {
    return unresolvedDestinations;
  }

  DiscoveryRelay discoveryRelay() {
    return discoveryRelay;
  }

  @Override
  public void close() {
    seeds.close();
    inboundLinks.stopAccepting();
    links.close();
    inboundLinks.close();
    transport.close();
  }
}
