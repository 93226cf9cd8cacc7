// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetSocketAddress;

/**
 * The owner of the queue pairs on the accepting side. For each nonce: {@link #offer} once; if it
 * returned, exactly one of {@link #established} and {@link #abandoned} follows, unless the process
 * ends first. All are called on callback threads of the {@link Handshaker} (at most {@value
 * CallbackThreads#MAX_THREADS} run at once, for different nonces): be done within milliseconds and
 * never wait for another handshake.
 */
public interface Acceptor {
  /**
   * Makes a queue pair for this peer and brings it through INIT (receives posted), RTR and RTS, so
   * that the peer may send as soon as it has the answer.
   *
   * @param hello who asks, and its end
   * @param local our address and port that were dialled
   * @param remote the peer's address and port
   * @return our end; the queue pair stays the acceptor's
   * @throws RefusedException to turn the peer away; it is told why
   */
  QueuePairAddress offer(PeerHello hello, InetSocketAddress local, InetSocketAddress remote)
      throws RefusedException;

  /**
   * The peer said READY: its queue pair can receive and send. Our READY follows when this returns,
   * so a connector that sees its connect complete knows that this has run.
   */
  void established(ConnectionNonce nonce);

  /** The offer came to nothing: destroy its queue pair. */
  void abandoned(ConnectionNonce nonce, HandshakeException why);
}
