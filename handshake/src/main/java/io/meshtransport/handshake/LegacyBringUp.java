// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/**
 * Brings the connector's queue pair from INIT to RTS once the C plugin's is known. Rules as for
 * {@link BringUp}.
 */
@FunctionalInterface
public interface LegacyBringUp {
  /**
   * Returns when the queue pair can receive and send.
   *
   * @param peer what the listener answered
   * @throws RefusedException to end the connect; the peer, which has its queue pair up already, is
   *     not told, for its wire has no words for it
   */
  void bringUp(LegacyEndpoint peer) throws RefusedException;
}
