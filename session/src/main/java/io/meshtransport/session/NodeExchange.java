// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * A source of handles that the nodes keep together: it talks to those of the peers over the
 * sessions' own connections ({@link PeerSession#exchange}). Called on the session's thread, before
 * the program's {@link MessageHandler}: must not block.
 */
public interface NodeExchange extends NodeHandles {
  /** The peer is connected; {@link PeerSession#lastPeer} is its process. */
  void onOpen(PeerSession peer);

  /**
   * As {@link MessageHandler#onDown}.
   *
   * @param wasOpen false if an attempt to connect has failed
   */
  void onDown(PeerSession peer, boolean wasOpen, TransportException why);

  /**
   * As {@link MessageHandler#onProcessEnd}.
   *
   * @param nodeId of the process that has ended
   */
  void onProcessEnd(PeerSession peer, String nodeId);

  /**
   * What the peer's exchange has sent.
   *
   * @param message from its position to its limit; valid until this method returns
   * @throws ProtocolException if the peer breaks the rules; its connection is closed
   */
  void onExchange(PeerSession from, ByteBuffer message) throws ProtocolException;
}
