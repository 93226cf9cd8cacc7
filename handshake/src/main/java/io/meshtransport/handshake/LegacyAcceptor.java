// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetSocketAddress;

/**
 * Makes and owns the queue pairs of one {@link LegacyPort}. Calls, threads and duties are those of
 * {@link Acceptor}, with two differences due to the C plugin's wire: the peer does not identify
 * itself, and {@link #established} is called when the answer has left, because that wire has no
 * READY.
 */
public interface LegacyAcceptor {
  /**
   * Makes a queue pair for this peer and brings it through INIT, RTR and RTS.
   *
   * @param nonce identifies the connection on this side only
   * @param theirs the peer's end as it claims, unproven
   * @param local our address and port that the peer dialed
   * @param remote the peer's address and port
   * @return our end of the connection
   * @throws RefusedException to refuse the peer; the connection is closed without an answer
   */
  LegacyEndpoint offer(
      ConnectionNonce nonce,
      LegacyEndpoint theirs,
      InetSocketAddress local,
      InetSocketAddress remote)
      throws RefusedException;

  /** Our answer has left: the peer may send as soon as its queue pair is up. */
  void established(ConnectionNonce nonce);

  /** The connection was not established: destroy the queue pair of the offer. */
  void abandoned(ConnectionNonce nonce, HandshakeException why);
}
