// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;

/**
 * What a program does with what arrives and with what becomes of its peers. Called on the session's
 * thread, for all peers one after the other: must not block, and gives longer work to threads of
 * its own. What it throws is logged and counted ({@link Session#handlerFailures}), and a request is
 * then answered with it.
 */
public interface MessageHandler {
  /**
   * A message of a peer. Messages of one peer come in the order in which it sent them.
   *
   * @param message from its position to its limit; valid until this method returns. Bytes before
   *     and behind belong to other messages: a handler neither reads nor writes them
   */
  void onMessage(PeerSession from, ByteBuffer message);

  /**
   * A request of a peer, which waits for the reply.
   *
   * @param request as a message of {@link #onMessage}
   * @param reply answers it, now or later, from any thread
   */
  default void onRequest(PeerSession from, ByteBuffer request, Reply reply) {
    throw new UnsupportedOperationException("this node answers no requests");
  }

  /** The peer is connected: for the first time, or again. */
  default void onOpen(PeerSession peer) {
    // For programs that send and do not mind who is there.
  }

  /**
   * The connection to a peer has ended, or could not be opened. Says nothing about the peer's
   * process: silence may be a cut cable or a stopped process, and PEER_CLOSED is a peer that left
   * in good order. The session connects again while it has a reason to.
   *
   * @param wasOpen false if an attempt to connect has failed
   */
  default void onDown(PeerSession peer, boolean wasOpen, TransportException why) {
    // As above.
  }

  /**
   * The process that this peer was has ended for certain, and without a goodbye: its own host
   * refuses connections to its port, or another process answers under its name. Comes once for each
   * process, after {@link #onDown}.
   *
   * @param nodeId of the process that has ended, {@link io.meshtransport.spi.Peer#id}
   */
  default void onProcessEnd(PeerSession peer, String nodeId) {
    // As above.
  }
}
