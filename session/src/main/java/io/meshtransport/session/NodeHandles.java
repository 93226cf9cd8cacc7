// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.util.Optional;

/** Where nodes are known from: a file, a directory, the protocol of neighbours. */
@FunctionalInterface
public interface NodeHandles {
  /**
   * The current handle of a node's session. Called before each attempt to connect, on the session's
   * thread: must not block.
   *
   * @param name the node's {@link io.meshtransport.spi.Peer#name}
   * @return what {@link Session#handle} returned there; empty if the node is not known now, and
   *     then the session queries again after a pause, or at {@link PeerSession#connectNow}
   */
  Optional<byte[]> handle(String name);
}
