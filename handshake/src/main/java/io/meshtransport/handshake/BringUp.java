// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Brings the connector's queue pair from INIT to RTS once the peer's is known. Called at most once
 * per connect, on a callback thread of the {@link Handshaker} (at most {@value
 * CallbackThreads#MAX_THREADS} run at once): must return within milliseconds and never wait for
 * another handshake.
 */
@FunctionalInterface
public interface BringUp {
  /**
   * The TCP connection is established, so the path works; the peer's program need not have sent
   * anything yet. Called on the event loop, possibly more than once: must return at once.
   */
  default void connected() {
    // For callers that would otherwise try another path meanwhile.
  }

  /**
   * Returns when the queue pair can receive and send; READY follows once {@link #whenUp} is
   * complete.
   *
   * @param nonce identifies the connection on both sides
   * @param peer the peer's queue pair, for the attributes of RTR
   * @throws RefusedException to fail the handshake; its text is sent to the peer
   */
  void bringUp(ConnectionNonce nonce, QueuePairAddress peer) throws RefusedException;

  /**
   * Completes when READY may be sent: at once, unless something besides the queue pair must come up
   * first. Called after {@link #bringUp} on the same thread, which does not wait. Must complete
   * before the connect's deadline; a {@link RefusedException} as its failure fails the handshake,
   * and its text is sent to the peer.
   */
  default CompletionStage<Void> whenUp() {
    return CompletableFuture.completedFuture(null);
  }
}
