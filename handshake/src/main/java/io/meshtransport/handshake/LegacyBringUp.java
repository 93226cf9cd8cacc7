// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/**
 * Brings the connector's queue pair from INIT to RTS once the C plugin's is known. The rules of
 * {@link BringUp} apply.
 */
@FunctionalInterface
public interface LegacyBringUp {
  /**
   * Returns when the queue pair can receive and send.
   *
   * @param peer the listener's answer
   * @throws RefusedException to fail the connect; the peer, whose queue pair is up already, is not
   *     notified, because its wire has no message for it
   */
  void bringUp(LegacyEndpoint peer) throws RefusedException;
}
