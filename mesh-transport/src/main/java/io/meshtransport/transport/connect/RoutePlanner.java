// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.PortState;
import io.meshtransport.spi.MeshKnowledge;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.RelayPolicy;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.device.LocalNics;
import io.meshtransport.transport.route.AddressPair;
import io.meshtransport.transport.route.NoRoute;
import io.meshtransport.transport.route.Router;
import io.meshtransport.transport.route.Routes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Routes from the NICs that this host has now to peers' addresses. Any thread may call it. */
public final class RoutePlanner {
  private final LocalNics nics;
  private volatile OverlayRoutes overlay = OverlayRoutes.NONE;
  private volatile MeshKnowledge mesh = MeshKnowledge.NONE;

  public RoutePlanner(LocalNics nics) {
    this.nics = nics;
  }

  /** From now on nodes are reached over this overlay, too. */
  public void overlay(OverlayRoutes routes) {
    overlay = routes;
  }

  /**
   * From now on no pair of addresses is tried that is known to be on no cable, and nodes have their
   * names.
   */
  public void consult(MeshKnowledge known) {
    mesh = known;
  }

  /** What is known of the mesh. */
  public MeshKnowledge mesh() {
    return mesh;
  }

  /** A node as people know it: by its name, too, if a mesh knows that. */
  public Peer peer(NodeId node) {
    return mesh.peer(node.toString());
  }

  /** Where the cable of a pair leads, if it is certain that it does not lead to the node. */
  Optional<String> offLink(NodeId node, AddressPair pair) {
    return pair.isLinkLocal()
        ? mesh.offLink(node.toString(), pair.nic().ifindex(), pair.remote().link().address())
        : Optional.empty();
  }

  /** The path over the overlay to a node, for people; empty if there is none. */
  String path(NodeId node) {
    return overlay.path(node);
  }

  /** Where handshakes with a node over the overlay begin; empty if it cannot be reached so. */
  Optional<InetSocketAddress> door(NodeId node) {
    return overlay.door(node);
  }

  /**
   * As {@link #plan(List, Optional)}, as far as the policy allows it; over the overlay only if a
   * path leads to the node, and over no cable that is known to lead elsewhere.
   */
  Routes plan(PeerHandle peer, Optional<InetAddress> named, RelayPolicy relay) {
    boolean isReached =
        relay != RelayPolicy.NEVER
            && nics.described().stream().anyMatch(RoutePlanner::isOverlay)
            && overlay.prepare(peer.node());
    return plan(
            peer.addresses(),
            named,
            nic ->
                isOverlay(nic)
                    ? isReached
                    : nic.state() == PortState.ACTIVE && relay != RelayPolicy.ALWAYS)
        .without(pair -> offLink(peer.node(), pair));
  }

  /** Whether both ends have an overlay's NIC, though perhaps no path leads there now. */
  boolean mayRelay(PeerHandle peer) {
    return !plan(peer.addresses(), Optional.empty(), RoutePlanner::isOverlay)
        .candidates()
        .isEmpty();
  }

  static boolean isOverlay(Nic nic) {
    return nic.netdev().equals(Overlay.NIC);
  }

  /**
   * Routes over ports that have a carrier.
   *
   * @param remotes the peer's addresses
   * @param named the one that the caller knows the peer by, if it knows one
   */
  public Routes plan(List<HandleAddress> remotes, Optional<InetAddress> named) {
    return plan(remotes, named, nic -> nic.state() == PortState.ACTIVE && !isOverlay(nic));
  }

  /** As {@link #plan}, also over NICs without a carrier. */
  Routes possible(List<HandleAddress> remotes) {
    return plan(remotes, Optional.empty(), nic -> !isOverlay(nic));
  }

  private Routes plan(
      List<HandleAddress> remotes, Optional<InetAddress> named, Predicate<Nic> which) {
    return Router.route(
        nics.described().stream().filter(which).toList(),
        remotes,
        named,
        nic -> nics.find(nic).map(open -> open.liveChannels().get()).orElse(0));
  }

  /**
   * Why there is no route.
   *
   * @param peer how users know it
   * @param none what {@link #plan} found, without a candidate
   */
  TransportException noRoute(String peer, Routes none) {
    return NoRoute.to(
        peer,
        none,
        plan(none.remotes(), Optional.empty(), nic -> nic.state() != PortState.ACTIVE)
            .candidates());
  }
}
