// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Brings the connector's queue pair from INIT to RTS once the peer's endpoint is known. Called at
 * most once per connect, on a callback thread of the {@link Handshaker} (at most {@value
 * CallbackThreads#MAX_THREADS} run at once): be done within milliseconds and never wait for another
 * handshake.
 */
@FunctionalInterface
public interface BringUp {
  /**
   * The peer's host has taken the connection, so the path is alive; its program need not have said
   * anything yet. Called on the event loop, perhaps more than once: must return at once.
   */
  default void connected() {
    // Of use to an owner that would otherwise try another path meanwhile.
  }

  /**
   * Returns when the queue pair can receive and send: READY follows, once {@link #whenUp} is over.
   *
   * @param nonce names the connection on both sides
   * @param peer what to put into the attributes of RTR
   * @throws RefusedException to end the handshake; the peer is told why
   */
  void bringUp(ConnectionNonce nonce, QueuePairAddress peer) throws RefusedException;

  /**
   * Is over when READY may be said: at once, unless something beside the queue pair is to come up
   * first. Called after {@link #bringUp} on the same thread, which does not wait. It must be over
   * before the connect's deadline passes; a {@link RefusedException} as its failure ends the
   * handshake, and the peer is told why.
   */
  default CompletionStage<Void> whenUp() {
    return CompletableFuture.completedFuture(null);
  }
}
