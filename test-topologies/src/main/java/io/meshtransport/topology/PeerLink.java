// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;

/**
 * The two channels between this node and a peer, and the memory for them. Closed by the node's
 * program; each channel is used by one thread at a time.
 */
record PeerLink(String peer, SendChannel out, ReceiveChannel in, PeerMemory memory)
    implements AutoCloseable {
  /** All messages of a link have the same tag. */
  static final int TAG = 0;

  NodeEvent.Link describe() {
    var route = out.route();
    return new NodeEvent.Link(
        peer,
        route.localNic(),
        route.localAddress(),
        route.peerAddress(),
        route.subnet(),
        route.why(),
        route.handshakeNs());
  }

  @Override
  public void close() {
    out.close();
    in.close();
  }
}
