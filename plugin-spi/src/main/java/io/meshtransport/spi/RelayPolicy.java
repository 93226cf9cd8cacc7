// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * Whether a connection goes over a relay: over nodes between the two ends, by an {@link Overlay}
 * that is attached to both transports. Without one the first two mean the same.
 */
public enum RelayPolicy {
  /** Only over a cable that both ends have: without one the connect fails with NO_ROUTE. */
  NEVER,

  /**
   * Over a cable while one leads to the peer, else over a relay. The connection goes on over the
   * relay when its last cable is lost, and back over a cable when there is one again: each message
   * and each notice comes once and in order, in both directions. A put or get that is under way
   * when its cable is lost is carried out once, or fails alone with {@link
   * TransportException.Reason#OUTCOME_UNKNOWN}. For that a rail over the relay is kept ready,
   * unless MESH_FAILOVER=0 at the end that connects; without one the connection fails with its
   * cable.
   */
  FALLBACK,

  /**
   * Over a relay, also where a cable leads to the peer. The relay takes the best path at each
   * moment, which may be that very cable, and changes it under the connection: requests, puts and
   * gets outlast the loss of any cable while another path is left, each carried out once. Costs a
   * copy and a thread's wake-up at either end; docs/RELAY.md has figures. Without an overlay the
   * connect fails with NO_ROUTE.
   */
  ALWAYS
}
