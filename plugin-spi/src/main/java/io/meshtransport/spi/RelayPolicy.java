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
   * Over a cable where one leads to the peer when the connection is made, else over a relay. The
   * connection stays where it was made: one whose cable is lost fails, and connecting again goes
   * over what is left.
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
