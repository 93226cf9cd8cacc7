// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetSocketAddress;

/**
 * Makes and owns the queue pairs on the accepting side. For each nonce {@link #offer} is called
 * once; if it returned, exactly one of {@link #established} and {@link #abandoned} follows, unless
 * the process ends first. All calls are on callback threads of the {@link Handshaker} (at most
 * {@value CallbackThreads#MAX_THREADS} at once, for different nonces): they must return within
 * milliseconds and never wait for another handshake.
 */
public interface Acceptor {
  /**
   * Makes a queue pair for this peer and brings it through INIT (receives posted), RTR and RTS, so
   * that the peer may send as soon as it has the answer.
   *
   * @param hello the peer and its queue pair
   * @param local our address and port that the peer dialed
   * @param remote the peer's address and port
   * @return the address of our queue pair, which belongs to the acceptor
   * @throws RefusedException to refuse the peer; its text is sent to the peer
   */
  QueuePairAddress offer(PeerHello hello, InetSocketAddress local, InetSocketAddress remote)
      throws RefusedException;

  /**
   * The peer sent READY: its queue pair can receive and send. Our READY follows when this returns,
   * so when the peer's connect completes, this call has returned.
   */
  void established(ConnectionNonce nonce);

  /** The connection was not established: destroy the queue pair of the offer. */
  void abandoned(ConnectionNonce nonce, HandshakeException why);
}
