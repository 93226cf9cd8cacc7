package io.meshtransport.handshake;

/**
 * Brings the connector's queue pair from INIT to RTS once the peer's endpoint is known. Called at
 * most once per connect, on a callback thread of the {@link Handshaker} (at most {@value
 * CallbackThreads#MAX_THREADS} run at once): be done within milliseconds and never wait for another
 * handshake.
 */
@FunctionalInterface
public interface BringUp {
  /**
   * Returns when the queue pair can receive and send: READY follows at once.
   *
   * @param nonce names the connection on both sides
   * @param peer what to put into the attributes of RTR
   * @throws RefusedException to end the handshake; the peer is told why
   */
  void bringUp(ConnectionNonce nonce, Endpoint peer) throws RefusedException;
}
