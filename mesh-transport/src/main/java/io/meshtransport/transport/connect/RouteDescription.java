// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.spi.Route;
import io.meshtransport.transport.route.Candidate;
import java.net.InetAddress;

/** Makes the route that users see of what a set-up knows of it. Holds nothing. */
public final class RouteDescription {
  private RouteDescription() {}

  /**
   * The route of a channel to a candidate.
   *
   * @param peer how users know the peer node
   * @param peerName its name, empty if it has none
   * @param whyOverlay why it goes over an overlay, for people; empty over a cable
   * @param handshakeNs how long its handshake took, in nanoseconds
   */
  public static Route of(
      String peer, String peerName, Candidate candidate, String whyOverlay, long handshakeNs) {
    return of(
        peer,
        peerName,
        candidate.nic().label(),
        candidate.local(),
        candidate.remote().link().address(),
        candidate.subnet(),
        whyOverlay.isEmpty() ? candidate.why() : whyOverlay,
        handshakeNs);
  }

  /**
   * The route of a channel that a peer chose.
   *
   * @param peer how users know the peer node
   * @param peerName its name, empty if it has none
   * @param localNic label of the local NIC
   * @param local its address that the peer dialled
   * @param remote the peer's address
   * @param why what the peer chose it by, in a sentence
   * @param handshakeNs how long its handshake took, in nanoseconds
   */
  public static Route accepted(
      String peer,
      String peerName,
      String localNic,
      NicAddress local,
      InetAddress remote,
      String why,
      long handshakeNs) {
    return of(peer, peerName, localNic, local, remote, local.subnet(), why, handshakeNs);
  }

  private static Route of(
      String peer,
      String peerName,
      String localNic,
      NicAddress local,
      InetAddress remote,
      String subnet,
      String why,
      long handshakeNs) {
    GidEntry gid = local.gid();
    return new Route(
        peer,
        peerName,
        localNic,
        local.toString(),
        local.peerText(remote),
        subnet,
        gid.gid() + " [" + gid.index() + ", " + gid.type().label() + "]",
        why,
        handshakeNs);
  }
}
