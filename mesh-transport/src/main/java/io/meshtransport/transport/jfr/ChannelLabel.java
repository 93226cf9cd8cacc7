// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

import io.meshtransport.spi.Route;

/**
 * A channel, as events name it.
 *
 * @param number which of this process's channels it is, as JMX shows it; 0 during set-up
 * @param direction {@code to} at the end that connected, {@code from} at the end that accepted
 * @param peer id of the peer; during set-up whatever the peer is known by
 * @param peerName the peer's name; empty during set-up, and for a peer without a name
 * @param route the peer, its address and the local NIC, in one text; empty during set-up
 * @param maxRequests that may be outstanding at once; 0 during set-up
 */
public record ChannelLabel(
    long number, String direction, String peer, String peerName, String route, int maxRequests) {
  /** During set-up. */
  public static ChannelLabel inSetUp(String direction, String peer) {
    return new ChannelLabel(0, direction, peer, "", "", 0);
  }

  /** A channel that is there. */
  public static ChannelLabel of(long number, String direction, Route route, int maxRequests) {
    return new ChannelLabel(
        number, direction, route.peer(), route.peerName(), route.toString(), maxRequests);
  }
}
