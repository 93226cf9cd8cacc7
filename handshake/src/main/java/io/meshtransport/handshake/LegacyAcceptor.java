// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetSocketAddress;

/**
 * The owner of the queue pairs of one {@link LegacyPort}. Calls, threads and duties as for {@link
 * Acceptor}, with two differences that the C plugin's wire makes: the peer never says who it is,
 * and {@link #established} comes when the answer has left, for that wire has no READY.
 */
public interface LegacyAcceptor {
  /**
   * Makes a queue pair for this peer and brings it through INIT, RTR and RTS.
   *
   * @param nonce names the connection on this side only
   * @param theirs the peer's end: its claim, unproven
   * @param local our address and port that were dialled
   * @param remote the peer's address and port
   * @return our end
   * @throws RefusedException to turn the peer away; the connection ends without a word
   */
  LegacyEndpoint offer(
      ConnectionNonce nonce,
      LegacyEndpoint theirs,
      InetSocketAddress local,
      InetSocketAddress remote)
      throws RefusedException;

  /** Our answer is on its way: the peer may send as soon as it has brought up its queue pair. */
  void established(ConnectionNonce nonce);

  /** The offer came to nothing: destroy its queue pair. */
  void abandoned(ConnectionNonce nonce, HandshakeException why);
}
